//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// Links in the place of a file are not followed; the foreign file outside of the
// store's directory stays as it is.
func TestLinksInThePlaceOfAFileAreNotFollowed(t *testing.T) {
	outside := t.TempDir() + "/foreign"
	const public = 0o644
	if err := errors.Join(os.WriteFile(outside, []byte("foreign"), public), os.Chmod(outside, public)); err != nil { // whatever the umask
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := open(t, dir, nil)
	save(t, s, "other", "of another", time.Hour)
	save(t, s, "k", "text", time.Hour)
	for what, link := range map[string]func(name string) error{
		"symlink outside, absolute":  func(name string) error { return os.Symlink(outside, name) },
		"symlink outside, relative":  func(name string) error { return os.Symlink("../../../../foreign", name) },
		"symlink inside":             func(name string) error { return os.Symlink(where(dir, "other"), name) },
		"symlink inside, relative":   func(name string) error { return os.Symlink("../../../"+pathOf("other"), name) },
		"symlink to nothing":         func(name string) error { return os.Symlink("nothing", name) },
		"symlink to itself":          func(name string) error { return os.Symlink(name, name) },
		"hard link to a foreign one": func(name string) error { return os.Link(outside, name) },
		"FIFO":                       func(name string) error { return syscall.Mkfifo(name, 0o600) },
	} {
		for _, use := range []string{"load", "save", "delete"} {
			name := where(dir, "k")
			if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := link(name); err != nil {
				t.Fatal(err)
			}
			switch use {
			case "load":
				wantRejected(t, s, dir, what)
			case "save":
				save(t, s, "k", "text", time.Hour)
				want(t, what+", saved over", bodyOf(s, "k"), "text")
			case "delete":
				if err := s.Delete(t.Context(), "k"); err != nil {
					t.Errorf("%s: Delete: %v", what, err)
				}
				want(t, what+", deleted", bodyOf(s, "k"), "(miss)")
			}
		}
		if data, err := os.ReadFile(outside); string(data) != "foreign" {
			t.Errorf("%s: the foreign file is %q, %v", what, data, err)
		}
		if fi, err := os.Stat(outside); err != nil || fi.Mode().Perm() != public || time.Since(fi.ModTime()) > time.Hour || fi.ModTime().After(time.Now()) {
			t.Errorf("%s: the foreign file is now %v", what, fi)
		}
		want(t, "the other key after "+what, bodyOf(s, "other"), "of another")
	}
}

// A FIFO that is put there between look and opening does not make Load wait.
func TestAFIFODoesNotMakeLoadWait(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	save(t, s, "k", "text", time.Hour)
	s.files.fault = func(op, _ string) error {
		if op == "open" {
			_ = os.Remove(where(dir, "k"))
			return syscall.Mkfifo(where(dir, "k"), 0o600)
		}
		return nil
	}
	want(t, "a FIFO", bodyOf(s, "k"), "(corrupt)") // by the second look
}

func TestPlantedObligations(t *testing.T) {
	outside := t.TempDir() + "/foreign"
	if err := os.WriteFile(outside, []byte("foreign"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(outside, old, old); err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(time.Hour)
	for what, link := range map[string]func(name string) error{
		"symlink":   func(name string) error { return os.Symlink(outside, name) },
		"FIFO":      func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"hard link": func(name string) error { return os.Link(outside, name) },
		"directory": func(name string) error { return os.MkdirAll(name+"/sub", 0o700) },
	} {
		dir := t.TempDir()
		s := open(t, dir, nil)
		obligation := dir + "/" + obligationsDir + "/" + hashOf("k")
		if err := link(obligation); err != nil { // in the place of the directory
			t.Fatal(err)
		}
		if ok, _, _ := take(t, s, "k", until); !ok {
			t.Errorf("%s in the place of an obligation holds it", what)
		}
		if ok, _, _ := take(t, s, "k", until); ok {
			t.Errorf("%s in the place of an obligation: taken twice", what)
		}
		if err := link(obligation + "/7"); err != nil { // in the place of a generation
			t.Fatal(err)
		}
		if ok, _, _ := take(t, s, "k", until); ok {
			t.Errorf("%s in the place of a generation frees the one before", what)
		}
		if data, err := os.ReadFile(outside); string(data) != "foreign" {
			t.Errorf("%s: the foreign file is %q, %v", what, data, err)
		}
	}
}

func TestOpenRefusesWhatOthersMayWrite(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o770, 0o702, 0o720, os.ModeSticky | 0o777} {
		for _, below := range []string{"", "/v1"} {
			dir := t.TempDir()
			if err := os.MkdirAll(dir+below, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir+below, mode); err != nil {
				t.Fatal(err)
			}
			if s, err := Open(dir, nil); s != nil || !errors.Is(err, ErrNotPrivate) {
				t.Errorf("Open with %s at %v: %v", "dir"+below, mode, err)
			}
		}
	}
	dir := t.TempDir()
	if err := os.Symlink("/", dir+"/v1"); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir, nil); s != nil || !errors.Is(err, ErrNotDirectory) {
		t.Errorf("Open with a link as v1: %v", err)
	}
	made := dir + "/made"
	s := open(t, made, nil)
	save(t, s, "k", "text", time.Hour)
	take(t, s, "k", time.Now().Add(time.Hour))
	for name, mode := range map[string]os.FileMode{
		made: 0o700, made + "/v1": 0o700, where(made, "k"): 0o600,
		made + "/" + generationPath(hashOf("k"), 1): 0o600,
	} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v, want %v", name, fi.Mode(), err, mode)
		}
	}
}
