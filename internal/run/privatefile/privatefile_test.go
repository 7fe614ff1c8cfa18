package privatefile_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/filelock"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// put writes a file for all users, as another program might.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(name, []byte(text), 0o666), os.Chmod(name, 0o666)); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, name, text string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != text {
		t.Errorf("%s has %q, %v; want %q", name, got, err, text)
	}
}

// wantPrivate checks that only the owner may read a file. Windows says that elsewhere.
func wantPrivate(t *testing.T, name string) {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
	}
}

func wantAlone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, names) {
		t.Errorf("the directory has %q, %v; want %q", got, err, names)
	}
}

func TestAWrittenFileIsItsOwnersAloneWhateverItWasBefore(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "page")
	put(t, name, "old")
	if err := privatefile.Write(name, privatefile.Bytes([]byte("new"))); err != nil {
		t.Fatal(err)
	}
	wantFile(t, name, "new")
	wantPrivate(t, name)
	wantAlone(t, dir, "page")
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "page")
	put(t, name, "old")
	failure := errors.New("the queue is gone")
	err := privatefile.Write(name, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Error(err)
	}
	wantFile(t, name, "old")
	wantAlone(t, dir, "page")
}

func TestNoWriterFollowsALink(t *testing.T) {
	for name, write := range map[string]func(name string) error{
		"Write":  func(name string) error { return privatefile.Write(name, privatefile.Bytes([]byte("x"))) },
		"Create": func(name string) error { return closed(privatefile.Create(name)) },
		"Open":   func(name string) error { return closed(privatefile.Open(name)) },
	} {
		for _, target := range []string{"there", "missing"} {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "there"), "old")
			if err := os.Symlink(target, filepath.Join(dir, "link")); err != nil {
				t.Skip("no symbolic links here")
			}
			if err := write(filepath.Join(dir, "link")); err == nil {
				t.Errorf("%s has written through a link to a file that is %s", name, target)
			}
			wantFile(t, filepath.Join(dir, "there"), "old")
			wantAlone(t, dir, "link", "there")
		}
	}
}

func closed(f *os.File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

func TestNoWriterTakesTheNameOfADevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files")
	}
	for _, name := range []string{os.DevNull, t.TempDir()} {
		if privatefile.Write(name, privatefile.Bytes(nil)) == nil || closed(privatefile.Open(name)) == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestAFileInADirectoryReplacesLinksAndModes(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "other"), "old")
	put(t, filepath.Join(dir, "open"), "old")
	if err := os.Symlink("other", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"link", "open"} {
		if err := privatefile.WriteIn(root, name, []byte("new")); err != nil {
			t.Error(err)
		}
		wantFile(t, filepath.Join(dir, name), "new")
		wantPrivate(t, filepath.Join(dir, name))
	}
	wantFile(t, filepath.Join(dir, "other"), "old")
}

func TestALockIsHadByOneAtATimeAndLeavesNoFile(t *testing.T) {
	if !filelock.Exists {
		t.Skip("this system has no locks")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "lock")
	var all sync.WaitGroup
	var mu sync.Mutex
	held, most, n := 0, 0, 0
	for range 20 {
		all.Go(func() {
			for range 10 {
				release, err := privatefile.Lock(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				held, n = held+1, n+1
				most = max(most, held)
				mu.Unlock()
				mu.Lock()
				held--
				mu.Unlock()
				release()
			}
		})
	}
	all.Wait()
	if most != 1 || n != 200 {
		t.Errorf("%d had the lock at once, %d in all", most, n)
	}
	wantAlone(t, dir)
}

func TestALockIsWaitedForAsLongAsTheContextLasts(t *testing.T) {
	if !filelock.Exists {
		t.Skip("this system has no locks")
	}
	name := filepath.Join(t.TempDir(), "lock")
	release, err := privatefile.Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := privatefile.Lock(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two have the lock: %v", err)
	}
	release()
	if release, err = privatefile.Lock(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestASecretIsReadOnlyIfItIsItsOwnersAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := privatefile.WriteNew(name, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	wantPrivate(t, name)
	if data, err := privatefile.ReadSecret(name); err != nil || string(data) != "secret" {
		t.Errorf("read %q, %v", data, err)
	}
	if err := privatefile.WriteNew(name, []byte("other")); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second file: %v", err)
	}
	wantFile(t, name, "secret")
	for _, mode := range []os.FileMode{0o604, 0o620, 0o640, 0o666, 0o601} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if data, err := privatefile.ReadSecret(name); runtime.GOOS != "windows" && (err == nil || data != nil) {
			t.Errorf("mode %#o: read %q, %v", mode, data, err)
		}
	}
}

func TestASecretIsNeitherALinkNorAPipeNorLong(t *testing.T) {
	dir := t.TempDir()
	own, link, long := filepath.Join(dir, "own"), filepath.Join(dir, "link"), filepath.Join(dir, "long")
	if err := errors.Join(privatefile.WriteNew(own, nil), os.Symlink(own, link), privatefile.WriteNew(long, make([]byte, 1<<17))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, dir, long, filepath.Join(dir, "missing")} {
		if _, err := privatefile.ReadSecret(name); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
