//go:build unix

package credentials

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// fullDisk names the file of tokens of a process that can write no file.
const fullDisk = "WAYFIND_TEST_FULL_DISK"

// A refresh token is used only if the file of tokens can be replaced: the disk may be full.
func TestNoTokenIsSpentThatCannotBeKept(t *testing.T) {
	key := call.TokenKey{Principal: "ann", Issuer: "https://login.example", Resource: "r", Client: "app"}
	if name := os.Getenv(fullDisk); name != "" {
		signal.Ignore(syscall.SIGXFSZ)
		err := newTokenFile(t, name).Update(t.Context(), key, func([]byte) ([]byte, error) {
			t.Error("the token is spent")
			return []byte(`"two"`), nil
		})
		if err == nil || !strings.Contains(err.Error(), "it could not be replaced") {
			t.Errorf("the error is %v", err)
		}
		return
	}
	name := filepath.Join(t.TempDir(), "tokens.json")
	keep(t, newTokenFile(t, name), key, `"one"`)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 0 && exec "$0" -test.run '^TestNoTokenIsSpentThatCannotBeKept$'`, os.Args[0])
	cmd.Env = append(os.Environ(), fullDisk+"="+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if got := kept(t, newTokenFile(t, name), key); got != `"one"` {
		t.Errorf("kept %s", got)
	}
	wantNoLocks(t, name)
}
