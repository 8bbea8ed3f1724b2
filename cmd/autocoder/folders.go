package main

import "path/filepath"

// folders are the places outside a project that autocoder uses.
type folders struct {
	home, cache, state string
	// settings is the user's settings file.
	settings string
}

// folders follows the XDG rules, in which a relative path counts for nothing.
func (w *world) folders() folders {
	home := w.getenv("HOME")
	if w.goos == "windows" {
		home = w.getenv("USERPROFILE")
	}
	base := func(variable, fallback string) string {
		if dir := w.getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "autocoder")
		}
		if home == "" {
			return filepath.Join(w.temp, "autocoder", fallback)
		}
		return filepath.Join(home, fallback, "autocoder")
	}
	return folders{
		home:     home,
		cache:    base("XDG_CACHE_HOME", ".cache"),
		state:    base("XDG_STATE_HOME", filepath.Join(".local", "state")),
		settings: filepath.Join(base("XDG_CONFIG_HOME", ".config"), "config.toml"),
	}
}

// runs is where runs are recorded.
func (f folders) runs() string { return filepath.Join(f.state, "runs") }
