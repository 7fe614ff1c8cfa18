package disk

import (
	"errors"
	"io/fs"
	"os"

	"github.com/wayfindhq/wayfind/internal/filelock"
)

// lockFile locks an open file. A reader that looks at the same time holds the
// lock for a moment. On a system without locks a lease lasts until its end.
func lockFile(file *os.File) {
	for range maxWaits {
		if filelock.Exclusive(file) == nil {
			return
		}
		pause()
	}
}

// isLocked reports whether another open of the file has the lock. On a system
// without locks that cannot be seen, and it says yes.
func isLocked(file *os.File) bool {
	if !filelock.Exists {
		return true
	}
	err := filelock.Shared(file)
	return err != nil && !errors.Is(err, fs.ErrClosed)
}
