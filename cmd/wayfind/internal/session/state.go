package session

import (
	"os"
	"path/filepath"
	"runtime"
)

// State returns wayfind's directory for facts about calls: the tickets that were used, and the calls whose
// answer was lost. It is no cache: without them, a call may be made twice, so --cache does not move it and
// "wayfind cache" removes nothing in it. It is $XDG_STATE_HOME/wayfind, or else ~/.local/state/wayfind; on
// macOS and Windows the directory "wayfind" among the settings of programs. It is "" if the system has none.
func State() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wayfind")
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "wayfind")
		}
		return ""
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state", "wayfind")
}
