//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

const readFlags = os.O_RDONLY

// private returns true, because the mode does not show it on these systems. Access depends on lists
// that a directory inherits from the user's profile.
func private(fs.FileInfo) bool { return true }
