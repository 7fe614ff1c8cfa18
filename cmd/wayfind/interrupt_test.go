package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// TestAnInterruptEndsWith130 interrupts a process while it waits for a site.
func TestAnInterruptEndsWith130(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal of this kind")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "wayfind") // the name makes the test binary the command
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(program, "--cache", "none", "--allow-cidr", "127.0.0.0/8", "--connect-to", "shop.example:443:"+silent.Addr().String(), "shop.example")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := silent.Accept() // now it waits for a handshake
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if status, ok := errors.AsType[*osexec.ExitError](err); !ok || ui.Outcome(status.ExitCode()) != ui.ExitInterrupted {
		t.Errorf("it ended with %v: %s", err, said.String())
	}
	if !strings.Contains(said.String(), "interrupted") || strings.Contains(said.String(), "context canceled") {
		t.Errorf("it says %s", said.String())
	}
}
