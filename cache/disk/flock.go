package disk

import (
	"errors"
	"io/fs"
	"os"

	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// lockFile locks an open file. It tries again, because a reader may hold the lock for a moment. On
// a system without locks, a lease lasts until its end.
func lockFile(file *os.File) {
	for range maxWaits {
		if filelock.Exclusive(file) == nil {
			return
		}
		pause()
	}
}

// isLocked reports whether the file was locked through another open. On a system without locks this
// is not known, and it returns true.
func isLocked(file *os.File) bool {
	if !filelock.Exists {
		return true
	}
	err := filelock.Shared(file)
	return err != nil && !errors.Is(err, fs.ErrClosed)
}
