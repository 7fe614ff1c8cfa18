//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock locks files against other processes and other opens of the same
// file, where the system has flock.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Exclusive takes the lock of an open file that no other may have, without
// waiting. Closing the file, or the end of the process, releases it.
func Exclusive(file *os.File) error { return flock(file, syscall.LOCK_EX) }

// Shared takes a lock that others may have too, as long as none is exclusive.
func Shared(file *os.File) error { return flock(file, syscall.LOCK_SH) }

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

// Held reports whether an error says that another open of the file has the lock.
func Held(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }

// Exists reports whether the system has such locks.
const Exists = true
