package engine

import (
	"context"
	"time"

	"autocoder/engine/workspace"
)

// Stamp tells versions of a file apart without reading it.
type Stamp struct {
	Modified time.Time
	Size     int64
}

// Sources are the files and folders of a project's own, by their path in it with
// slashes: not what is ignored, shared or left out.
type Sources struct {
	Files map[string]Stamp
	// Folders has the root too, as ".".
	Folders []string
}

// FindSources looks at a folder without opening a file of it but .gitignore.
func FindSources(ctx context.Context, root, home string) (Sources, error) {
	snapshot, err := workspace.Scan(ctx, workspace.Config{Root: root, Home: home})
	if err != nil {
		return Sources{}, err
	}
	found := Sources{Files: map[string]Stamp{}, Folders: []string{"."}}
	for _, e := range snapshot.Entries() {
		switch {
		case e.Ignored:
		case e.Kind == workspace.File:
			found.Files[e.Path] = Stamp{e.ModTime, e.Size}
		case e.Kind == workspace.Folder:
			found.Folders = append(found.Folders, e.Path)
		}
	}
	return found, nil
}
