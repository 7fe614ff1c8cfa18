//go:build unix

package cache_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// nobody is a user without rights of its own.
const nobody = 65534

// A directory that a process may not write to is still read. The process does not store its own
// answers there, and does not use older ones instead.
func TestAReadOnlyDirectoryIsRead(t *testing.T) {
	testkit.LongOnly(t) // it compiles a program
	program, dir := compile(t, cache.Schema), t.TempDir()
	start := func(name string) *running {
		cmd := exec.Command(program, name, dir)
		if os.Geteuid() == 0 { // root may write everywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return startBuild(t, cmd)
	}
	permit(t, filepath.Dir(dir), 0o755)
	permit(t, dir, 0o700)
	writer := start("w")
	writer.want("GET", "w1")
	writer.want("GET", "w1 stored")
	writer.kill()

	permit(t, dir, 0o500)
	defer permit(t, dir, 0o700)
	reader := start("r")
	reader.want("GET", "w1 stored")
	reader.want("GET no-cache", "r1")
	if got := reader.say("GET"); got[0] != 'r' {
		t.Errorf("after a reload: %q", got)
	}
	if got := reader.say("purge"); !strings.Contains(got, "permission denied") {
		t.Errorf("a purge: %q", got)
	}
	reader.want("corrupt", "0")
	again := start("x")
	again.want("GET", "w1 stored")
	again.want("POST", "x1")
	again.want("GET", "x2")
}

// permit gives the directories of a tree to the user nobody, if that is possible, with these
// permissions.
func permit(t *testing.T, dir string, mode fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if os.Geteuid() == 0 {
			if err := os.Lchown(path, nobody, nobody); err != nil {
				return err
			}
		}
		if d.IsDir() {
			return os.Chmod(path, mode)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
