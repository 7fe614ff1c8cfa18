package cache_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Two builds of this package share a directory and a server. One of them writes entries in the next
// form. Each has its own entries, whatever the other requests, purges and writes at the same time,
// and treats none of the other's as damaged. Obligations are common.
func TestTwoBuildsShareAStore(t *testing.T) {
	testkit.LongOnly(t) // it compiles a program twice
	ours, theirs := compile(t, cache.Schema), compile(t, cache.Schema+1)
	server := testkit.StartRedis(t)
	for name, where := range map[string]string{"directory": t.TempDir(), "server": server.URL()} {
		t.Run(name, func(t *testing.T) {
			a, b := startBuild(t, exec.Command(ours, "a", where)), startBuild(t, exec.Command(theirs, "b", where))
			a.want("GET", "a1")
			b.want("GET", "b1")
			a.want("GET", "a1 stored")
			b.want("GET", "b1 stored")
			a.want("POST", "a2")
			a.want("GET", "a3")
			b.want("GET", "b1 stored")
			b.want("hold h", "held")
			a.want("take h", "false")
			a.want("take k", "true")
			b.want("take k", "false")

			again := startBuild(t, exec.Command(theirs, "c", where))
			again.want("GET", "b1 stored")
			again.want("churn", "begun")
			for range 50 {
				if got := a.say("GET no-cache"); a.say("GET") != got+" stored" {
					t.Errorf("%q is not stored", got)
				}
			}
			again.kill()
			if got := b.say("GET"); !strings.HasSuffix(got, " stored") || got[0] == 'a' {
				t.Errorf("after a kill: %q", got)
			}
			a.want("purge", "purged")
			if got := a.say("GET"); strings.Contains(got, "stored") {
				t.Errorf("after a purge: %q", got)
			}
			for _, one := range []*running{a, b} {
				one.want("corrupt", "0")
			}
			b.want("purge", "purged")
			b.want("GET no-cache", "b2")
			b.want("GET", "b2 stored")
		})
	}
}

// compile builds the program of testdata/build, which writes entries in the form of a
// number.
func compile(t *testing.T, schema int) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs("wire.go")
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Append(nil, "const Schema = ", cache.Schema, "\n")
	text := golden.Read(t, source)
	if bytes.Count(text, line) != 1 {
		t.Fatalf("%s has not one line %q", source, line)
	}
	other := filepath.Join(dir, "wire.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: other}})
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, line, fmt.Append(nil, "const Schema = ", schema, "\n"), 1)
	for name, content := range map[string][]byte{other: text, filepath.Join(dir, "overlay"): overlay} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "build")
	testkit.RunGo(t, ".", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay"), "-o", program, "./testdata/build")
	return program
}

// running is a build at work.
type running struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func startBuild(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd}
	r.cmd.Stderr = os.Stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	return r
}

// kill is kill -9.
func (r *running) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// say sends a line and returns the answer.
func (r *running) say(line string) string {
	r.t.Helper()
	if _, err := fmt.Fprintln(r.in, line); err != nil {
		r.t.Fatal(err)
	}
	answer, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return strings.TrimSpace(answer)
}

func (r *running) want(line, answer string) {
	r.t.Helper()
	if got := r.say(line); got != answer {
		r.t.Errorf("%s: %q, want %q", line, got, answer)
	}
}
