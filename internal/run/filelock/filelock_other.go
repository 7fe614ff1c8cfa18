//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Exclusive takes no lock: there is none here.
func Exclusive(*os.File) error { return nil }

// Shared takes no lock: there is none here.
func Shared(*os.File) error { return nil }

// Held is false: no file is locked.
func Held(error) bool { return false }

// Exists reports whether the system has such locks.
const Exists = false
