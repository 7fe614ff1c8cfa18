//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockFile locks an open file. A reader that looks at the same time holds the
// lock for a moment.
func lockFile(file *os.File) {
	for range maxWaits {
		if flock(file, syscall.LOCK_EX) == nil {
			return
		}
		pause()
	}
}

// isLocked reports whether another open of the file has the lock.
func isLocked(file *os.File) bool {
	err := flock(file, syscall.LOCK_SH)
	return err != nil && !errors.Is(err, fs.ErrClosed)
}

// flock tries to take a lock, without waiting. Closing the file releases it.
func flock(file *os.File, how int) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	if err := conn.Control(func(fd uintptr) { failure = syscall.Flock(int(fd), how|syscall.LOCK_NB) }); err != nil {
		return err
	}
	return failure
}
