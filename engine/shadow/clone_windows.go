package shadow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// integrity is how a file's blocks are guarded, which only file systems tell that
// share blocks: ReFS, as on a Dev Drive. By winioctl.h's
// FSCTL_GET_INTEGRITY_INFORMATION_BUFFER.
type integrity struct {
	guard
	chunk, block uint32 // bytes
}

// guard is the part of it that can be set. Only files that have the same share blocks.
type guard struct {
	algorithm, reserved uint16
	flags               uint32
}

// extents is DUPLICATE_EXTENTS_DATA.
type extents struct {
	source           windows.Handle
	from, to, length int64
}

// mostExtents is how many bytes are shared at once; the system takes less than 4 GiB.
const mostExtents = 1 << 30

// cloneFile makes an empty file share the blocks of another, where the volume can.
func cloneFile(dst, src *os.File, info fs.FileInfo) (bool, error) {
	from, to := windows.Handle(src.Fd()), windows.Handle(dst.Fd())
	var of integrity
	var n uint32
	err := windows.DeviceIoControl(from, windows.FSCTL_GET_INTEGRITY_INFORMATION, nil, 0, (*byte)(unsafe.Pointer(&of)), uint32(unsafe.Sizeof(of)), &n, nil)
	if err != nil || of.block == 0 {
		return false, nil // as on most volumes
	}
	if of.algorithm != 0 && tell(to, windows.FSCTL_SET_INTEGRITY_INFORMATION, &of.guard) != nil {
		return false, nil
	}
	size, block := info.Size(), int64(of.block)
	if err := dst.Truncate(size); err != nil {
		return false, err
	}
	for at := int64(0); at < size; at += mostExtents {
		part := extents{source: from, from: at, to: at, length: min(mostExtents, (size-at+block-1)/block*block)}
		if tell(to, windows.FSCTL_DUPLICATE_EXTENTS_TO_FILE, &part) != nil {
			_, err := dst.Seek(0, io.SeekStart)
			return false, errors.Join(err, dst.Truncate(0))
		}
	}
	return true, nil
}

// tell sends a control code with what it takes to the file system of an open file.
func tell[T any](file windows.Handle, code uint32, in *T) error {
	var n uint32
	return windows.DeviceIoControl(file, code, (*byte)(unsafe.Pointer(in)), uint32(unsafe.Sizeof(*in)), nil, 0, &n, nil)
}
