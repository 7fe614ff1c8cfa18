package credentials

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A lost call is kept until it is forgotten. A file that cannot be read is an error; a folder that cannot
// be reached has nothing, and takes nothing.
func TestLostCallsAreKeptInFiles(t *testing.T) {
	dir := t.TempDir()
	l, until := &lostCalls{filepath.Join(dir, "home", "lost")}, time.Now().Add(time.Hour).Truncate(time.Second)
	want := func(key string, end time.Time) {
		t.Helper()
		if k, u, err := l.Load(t.Context(), "abc"); err != nil || k != key || !u.Equal(end) {
			t.Errorf("%q, %v, %v", k, u, err)
		}
	}
	want("", time.Time{})
	if err := l.Keep(t.Context(), "abc", "key", until); err != nil {
		t.Fatal(err)
	}
	want("key", until)
	if err := os.WriteFile(l.name("bad"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Load(t.Context(), "bad"); err == nil {
		t.Error("a file that is none is read")
	}
	if err := l.Forget(t.Context(), "abc"); err != nil {
		t.Fatal(err)
	}
	want("", time.Time{})
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.dir = filepath.Join(dir, "file", "lost") // the home is no directory
	want("", time.Time{})
	if err := l.Keep(t.Context(), "abc", "key", until); err == nil {
		t.Error("a call is kept nowhere")
	}
}
