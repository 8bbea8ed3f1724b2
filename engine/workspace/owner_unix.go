//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// KeepOwner gives the file made the owner of old, which it is about to replace:
// in a container we are often root and the files are not. Only root may do that,
// so whatever can't be done is left undone.
func KeepOwner(dir *os.Root, old, made string) {
	a, err := dir.Lstat(old)
	if err != nil {
		return
	}
	b, err := dir.Lstat(made)
	if err != nil {
		return
	}
	was, is := ownerOf(a), ownerOf(b)
	if was != is {
		_ = dir.Lchown(made, was.uid, was.gid)
	}
}

type owner struct{ uid, gid int }

func ownerOf(info fs.FileInfo) owner {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return owner{int(st.Uid), int(st.Gid)}
	}
	return owner{}
}
