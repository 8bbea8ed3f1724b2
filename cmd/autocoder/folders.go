package main

import (
	"os"
	"path/filepath"

	"autocoder/engine/trust"
)

// folders are the places outside a project that autocoder uses.
type folders struct {
	home, cache, state string
	// settings is the user's settings file.
	settings string
}

// folders follows the XDG rules, in which a relative path counts for nothing.
// Without HOME it is the home of the user's account. A folder for everybody, such
// as that of temporary files, is never used: others could plant settings in it.
func (w *world) folders() (folders, error) {
	home := w.home()
	missing := false
	base := func(variable, fallback string) string {
		if dir := w.getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "autocoder")
		}
		missing = missing || home == ""
		return filepath.Join(home, fallback, "autocoder")
	}
	f := folders{
		home:     home,
		cache:    base("XDG_CACHE_HOME", ".cache"),
		state:    base("XDG_STATE_HOME", filepath.Join(".local", "state")),
		settings: filepath.Join(base("XDG_CONFIG_HOME", ".config"), "config.toml"),
	}
	if missing {
		return f, usagef("there is no home folder for settings and state: set HOME, or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME, to absolute paths of yours")
	}
	if err := trust.Own(f.cache, f.state); err != nil {
		return f, usagef("%v, so it can't be used: set HOME, or XDG_STATE_HOME and XDG_CACHE_HOME, to folders of yours", err)
	}
	return f, nil
}

// home is the user's home folder, empty when there is none.
func (w *world) home() string {
	variable := "HOME"
	if w.goos == "windows" {
		variable = "USERPROFILE"
	}
	if home := w.getenv(variable); filepath.IsAbs(home) {
		return home
	}
	if info, err := os.Stat(w.account); filepath.IsAbs(w.account) && err == nil && info.IsDir() {
		return w.account
	}
	return ""
}

// runs is where runs are recorded.
func (f folders) runs() string { return filepath.Join(f.state, "runs") }
