package privatefile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// A link is followed if this user alone can change where it leads.
func TestALinkIsFollowedIfOnlyItsUserCanChangeIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no link is followed here: the owner of a file is not read")
	}
	for name, row := range map[string]struct {
		folder, target os.FileMode
		follows        bool
	}{
		"own folders":          {0o700, 0o700, true},
		"others read":          {0o755, 0o755, true},
		"the link's is shared": {0o777, 0o700, false},
		"the file's is shared": {0o700, 0o770, false},
	} {
		home := t.TempDir()
		folder, target := filepath.Join(home, "folder"), filepath.Join(home, "target")
		for dir, mode := range map[string]os.FileMode{folder: row.folder, target: row.target} {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(folder, "tokens.json")
		if err := os.Symlink("../target/tokens.json", link); err != nil {
			t.Fatal(err)
		}
		got, err := privatefile.Target(link)
		if want := filepath.Join(target, "tokens.json"); (err == nil) != row.follows || row.follows && got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if got, err := privatefile.Target(loop); err == nil {
		t.Errorf("a loop leads to %s", got)
	}
	plain := filepath.Join(t.TempDir(), "new")
	if got, err := privatefile.Target(plain); err != nil || got != plain {
		t.Errorf("a new file: %s, %v", got, err)
	}
}

// Whether a file can be replaced is known before it is, and the test leaves nothing.
func TestReplaceable(t *testing.T) {
	folder := t.TempDir()
	if err := privatefile.Replaceable(filepath.Join(folder, "tokens.json"), 1<<10); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	for _, name := range []string{filepath.Join(folder, "none", "tokens.json"), folder} {
		if err := privatefile.Replaceable(name, 1); err == nil {
			t.Errorf("%s could be replaced", name)
		}
	}
}
