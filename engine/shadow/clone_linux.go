package shadow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow keeps an entry that was replaced since it was listed from leading
// elsewhere, or a FIFO from blocking.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// cloneFile copies a file without copying its blocks where that can be done:
// as a clone, or without its holes. It reports whether the copy is complete.
func cloneFile(dst, src *os.File, info fs.FileInfo) (bool, error) {
	if unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) == nil {
		return true, nil
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Blocks*512 >= info.Size() {
		return false, nil // it has no holes
	}
	return sparse(dst, src, info.Size())
}

// sparse copies the data of a file and leaves its holes.
func sparse(dst, src *os.File, size int64) (bool, error) {
	for at := int64(0); at < size; {
		data, err := src.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, syscall.ENXIO) {
			break // nothing but a hole is left
		}
		if err != nil {
			return false, rewind(dst, src)
		}
		hole, err := src.Seek(data, unix.SEEK_HOLE)
		if err != nil {
			return false, rewind(dst, src)
		}
		if _, err := src.Seek(data, io.SeekStart); err != nil {
			return false, err
		}
		if _, err := dst.Seek(data, io.SeekStart); err != nil {
			return false, err
		}
		if _, err := io.CopyN(dst, src, hole-data); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		at = hole
	}
	return true, dst.Truncate(size)
}

// rewind goes back to the start of both files, to copy them in full.
func rewind(dst, src *os.File) error {
	_, err := dst.Seek(0, io.SeekStart)
	_, err2 := src.Seek(0, io.SeekStart)
	return errors.Join(err, err2, dst.Truncate(0))
}
