package nats

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// skewVar moves the clock of a program that was built with skewed, in seconds.
const skewVar = "WAYFIND_TEST_SKEW"

// skewed returns flags of go build that give a program another clock. All of its packages read
// the time through package time.
func skewed(t *testing.T) (flags []string) {
	t.Helper()
	original := filepath.Join(runtime.GOROOT(), "src", "time", "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), reads) == 0 {
		t.Fatalf("%s does not read the clock by %q", original, reads)
	}
	changed := strings.ReplaceAll(string(text), reads, reads+"\tsec += skew\n")
	changed = strings.Replace(changed, "\nfunc Now() Time {", `
var skew = func() (n int64) {
	text, _ := syscall.Getenv("`+skewVar+`")
	digits := text
	if text != "" && text[0] == '-' {
		digits = text[1:]
	}
	for i := range len(digits) {
		n = 10*n + int64(digits[i]-'0')
	}
	if digits != text {
		n = -n
	}
	return n
}()

func Now() Time {`, 1)
	changed = strings.Replace(changed, "import (", "import (\n\t\"syscall\"", 1)
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: file}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{file: []byte(changed), overlay: list} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"-overlay", overlay}
}

// The clocks of two workers are wrong by an hour, one ahead and one behind. Leases and the
// pauses of sites have the right length, also if a site gives a date.
func TestClocks(t *testing.T) {
	testkit.LongOnly(t) // it builds the standard library
	names := domains(300)
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	f := newFleet(t, server.ClientURL(), names)
	f.sites.dates, f.sites.retryAfter = true, 4
	f.load(names)
	f.program = build(t, skewed(t)...)
	var fleet sync.WaitGroup
	said := make([]string, workers)
	for i, skew := range []string{"0", "3600", "-3600"} {
		fleet.Go(func() { said[i] = f.worker(i, place{queue: f.queue, env: []string{skewVar + "=" + skew}}) })
	}
	f.wait()
	fleet.Wait()
	ended := 0
	for i, text := range said {
		t.Logf("worker %d: %s", i, text)
		ended += endedBy(text)
	}
	if ended != len(names) {
		t.Errorf("%d leases ended with a result or were lost, want %d: no worker died", ended, len(names))
	}
	f.wantOneResultEach(names)
	f.wantPolite()
}
