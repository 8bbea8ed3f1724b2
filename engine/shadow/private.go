package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Private makes a folder that only the user can change, in one that everybody can
// write: nobody else can have made it.
func Private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a private folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is no folder", dir)
	}
	if err == nil {
		err = mine(dir, info)
	}
	if err != nil {
		return fmt.Errorf("use a private folder: %w", err)
	}
	return nil
}
