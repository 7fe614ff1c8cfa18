//go:build unix

package privatefile

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to this user or to root.
func isOwn(there fs.FileInfo) bool {
	stat, ok := there.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
