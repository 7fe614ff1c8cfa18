//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// deaf is a command for --server: it ignores signals and its input, answers nothing, and holds its output open
// in a process of a session of its own. It writes the numbers of both processes.
const deaf = `deaf=sh -c 'trap "" TERM INT HUP; setsid sleep 600 & echo "up $$ $!" >&2; while :; do sleep 600; done'`

// TestNothingWaitsForEver: after one signal each verb ends by itself or after five seconds, after two at once,
// whatever it waits for. No process is left that it started and that did not leave its group.
func TestNothingWaitsForEver(t *testing.T) {
	if _, err := osexec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and never says anything
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	list := filepath.Join(t.TempDir(), "list.txt")
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var targets strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&targets, "shop%d.example\n", i)
	}
	if err := os.WriteFile(list, []byte(targets.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		args    []string
		stopped bool // the reader of the output stops reading
		up      bool // its server is up before the signal comes
	}{
		"mcp, a deaf server":        {args: []string{"mcp", "--cache", "none", "--server", deaf}, up: true},
		"tools, a deaf server":      {args: []string{"tools", "--cache", "none", "--server", deaf}, up: true},
		"call, a deaf server":       {args: []string{"call", "--cache", "none", "--server", deaf, "deaf", "mcp:ring"}, up: true},
		"demo, a full pipe":         {args: []string{"demo", "--json", "--verbose"}, stopped: true},
		"batch, a full pipe":        {args: []string{"batch", "--offline", "--cache", t.TempDir(), "--contact", "a@shop.example", list}, stopped: true},
		"a store that says nothing": {args: []string{"--cache", "redis://" + silent.Addr().String(), "--cache-key", key, "--connect-to", "shop.example:443:" + silent.Addr().String(), "--allow-cidr", "127.0.0.0/8", "shop.example"}},
	} {
		for _, twice := range []bool{false, true} {
			t.Run(name+map[bool]string{false: ", one signal", true: ", two signals"}[twice], func(t *testing.T) {
				t.Parallel()
				p := launch(t, row.args...)
				switch {
				case row.stopped:
					p.untilFull(t)
				case row.up:
					p.untilUp(t)
				default:
					conn, err := silent.Accept()
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close()
				}
				p.signal(t, os.Interrupt)
				if twice {
					p.signal(t, syscall.SIGTERM)
				}
				p.ends(t, row.args[0] == "mcp" && !twice)
			})
		}
	}
}

// launched is a process of the command.
type launched struct {
	*osexec.Cmd
	out    *os.File // its standard output
	errs   *bufio.Reader
	server int // the process of its server
}

// launch starts the command. Its standard input stays open.
func launch(t *testing.T, args ...string) *launched {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "wayfind") // the name makes the test binary the command
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	p := &launched{Cmd: osexec.Command(program, args...)}
	if _, err := p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout, p.out = end, out
	errs, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.errs = bufio.NewReader(errs)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = end.Close()
	t.Cleanup(func() { _, _ = p.Process.Kill(), out.Close() })
	return p
}

// untilUp waits for the line of the deaf server.
func (p *launched) untilUp(t *testing.T) {
	t.Helper()
	for {
		line, err := p.errs.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v, %v", line, err, p.Wait())
		}
		if _, pids, ok := strings.Cut(line, "up "); ok {
			of := strings.Fields(pids)
			p.server, _ = strconv.Atoi(of[0])
			if child, err := strconv.Atoi(of[1]); err == nil && child > 1 {
				t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
			}
			return
		}
	}
}

// untilFull waits until the command writes. Nothing more is read, so it stops in the middle of its output.
func (p *launched) untilFull(t *testing.T) {
	t.Helper()
	if _, err := io.ReadFull(p.out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

func (p *launched) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Errorf("%v: %v", s, err)
	}
}

// ends waits for the end. A server that was told to end has done what it had to do.
func (p *launched) ends(t *testing.T, done bool) {
	t.Helper()
	var said bytes.Buffer
	_, _ = said.ReadFrom(p.errs)
	err := p.Wait()
	if status, ok := errors.AsType[*osexec.ExitError](err); done != (err == nil) || !done && (!ok || ui.Outcome(status.ExitCode()) != ui.ExitInterrupted) {
		t.Errorf("it ended with %v: %s", err, said.String())
	}
	for p.server > 1 && runs(p.server) && t.Context().Err() == nil {
		runtime.Gosched() // it was killed, and is ended soon
	}
}

// runs reports whether a process is there and has not ended.
func runs(pid int) bool {
	out, err := osexec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}
