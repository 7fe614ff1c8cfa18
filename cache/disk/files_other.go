//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

const readFlags = os.O_RDONLY

// private cannot be told from a mode here: access is a matter of lists that a
// directory inherits from the profile it is in.
func private(fs.FileInfo) bool { return true }
