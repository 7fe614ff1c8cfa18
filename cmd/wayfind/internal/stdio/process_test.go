//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process that a server has started in a session of its own, and that holds the server's output
// open, does not hold up the end.
func TestADetachedChildDoesNotHoldTheEnd(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	file := filepath.Join(t.TempDir(), "pid")
	heard := make(chan string, 1)
	p, err := start(&Spec{Command: []string{"sh", "-c", `setsid sleep 600 & echo $! > "$0"; echo ready`, file}}, func(line []byte) bool { heard <- string(line); return true }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "ready" {
		t.Errorf("heard %q", got)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || child <= 1 {
		t.Fatalf("the child is %q, %v", raw, err)
	}
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	go p.end()
	select {
	case <-p.gone:
	case <-time.After(30 * time.Second): // many times what the end takes
		t.Fatal("the child holds up the end")
	}
	if p.ended.Error() != "it has ended" {
		t.Error(p.ended)
	}
	if err := syscall.Kill(child, 0); err != nil {
		t.Errorf("the child has not outlived its server: %v", err)
	}
}
