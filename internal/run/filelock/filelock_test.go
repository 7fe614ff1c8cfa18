package filelock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

func TestLocks(t *testing.T) {
	if !filelock.Exists {
		t.Skip("this system has no locks")
	}
	name := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	defer b.Close()
	if err := filelock.Exclusive(a); err != nil {
		t.Fatal(err)
	}
	if !filelock.Held(filelock.Exclusive(b)) || !filelock.Held(filelock.Shared(b)) {
		t.Error("two opens have the lock")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Shared(b); err != nil {
		t.Errorf("the lock outlives its file: %v", err)
	}
	c := open()
	defer c.Close()
	if err := filelock.Shared(c); err != nil || filelock.Exclusive(c) == nil {
		t.Errorf("shared: %v", err)
	}
}
