//go:build !unix

package privatefile

import "io/fs"

// isOwn reports false, because the owner of a file is not read here.
func isOwn(fs.FileInfo) bool { return false }
