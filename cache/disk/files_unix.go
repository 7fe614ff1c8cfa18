//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// readFlags open a file without waiting, because a FIFO could be put in its place at the last
// moment.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK

// othersWrite are the mode bits with which group or others may write.
const othersWrite = 0o022

// private reports whether only this user and the superuser may write to a directory.
func private(fi fs.FileInfo) bool {
	if fi.Mode().Perm()&othersWrite != 0 {
		return false
	}
	stat, ok := fi.Sys().(*syscall.Stat_t)
	return !ok || stat.Uid == 0 || int(stat.Uid) == os.Geteuid()
}
