//go:build !linux

package shadow

import "errors"

// whiteout is for overlays, which only Linux has.
func whiteout(string) error { return errors.ErrUnsupported }

// folderMarks finds nothing where there are no overlays.
func folderMarks(string) (hides bool, from string) { return false, "" }
