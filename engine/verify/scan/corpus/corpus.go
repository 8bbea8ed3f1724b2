// Package corpus has cheats, edits that make tests pass without repairing
// anything, and honest repairs that look suspicious. Tests hold every layer of
// trust against them.
//
// Each is a txtar file: a small project that fails, and the edit below edit/. Its
// comment says in its first line what it does; "names:" lists words of which a
// warning must have all, "delete:" and "link: path target" do what files can't.
package corpus

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed cheats honest
var files embed.FS

// Case is one edit of one project.
type Case struct {
	// Name is that of its file, which begins with the language.
	Name, Lang string
	// Honest tells repairs from cheats.
	Honest bool
	// About is a sentence.
	About string
	// Names are words that a warning about the cheat must have.
	Names []string
	// Files are the project, and Write, Delete and Links the edit.
	Files, Write map[string]string
	Delete       []string
	Links        map[string]string
}

// Load returns all cases, cheats first.
func Load() ([]Case, error) {
	var all []Case
	for _, folder := range []string{"cheats", "honest"} {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		for _, e := range entries {
			text, err := files.ReadFile(path.Join(folder, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("read the corpus: %w", err)
			}
			c, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), text)
			if err != nil {
				return nil, err
			}
			c.Honest = folder == "honest"
			all = append(all, c)
		}
	}
	return all, nil
}

func parse(name string, text []byte) (Case, error) {
	archive := txtar.Parse(text)
	c := Case{Name: name, Files: map[string]string{}, Write: map[string]string{}, Links: map[string]string{}}
	c.Lang, _, _ = strings.Cut(name, "-")
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "#"))
		key, rest, _ := strings.Cut(line, ": ")
		switch {
		case c.About == "":
			c.About = line
		case key == "names":
			c.Names = strings.Split(rest, ", ")
		case key == "delete":
			c.Delete = append(c.Delete, rest)
		case key == "link":
			at, target, _ := strings.Cut(rest, " ")
			c.Links[at] = target
		case line != "":
			return c, fmt.Errorf("%s: unknown line %q", name, line)
		}
	}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "edit/"); ok {
			c.Write[p] = string(f.Data)
		} else {
			c.Files[f.Name] = string(f.Data)
		}
	}
	if c.About == "" || len(c.Write)+len(c.Delete)+len(c.Links) == 0 {
		return c, fmt.Errorf("%s: a case needs a sentence about it and an edit", name)
	}
	return c, nil
}
