package session

import (
	"path/filepath"
	"runtime"
	"testing"
)

// What must not be forgotten is not in the cache, whatever the name of the cache.
func TestStateIsNoCache(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "caches"))
	if runtime.GOOS == "linux" {
		if got, want := State(), filepath.Join(dir, ".local", "state", "wayfind"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	t.Setenv("XDG_STATE_HOME", "relative") // which the specification of the directories says to ignore
	if got := State(); !filepath.IsAbs(got) {
		t.Errorf("a relative directory: %s", got)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	if got, want := State(), filepath.Join(dir, "state", "wayfind"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
