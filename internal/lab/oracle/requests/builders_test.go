package requests

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// build passes examples to the npm builders, which answer in the same order. The examples of a
// document are adjacent.
func build(t *testing.T, list []*example) []map[string]*built {
	t.Helper()
	var input bytes.Buffer
	to := json.NewEncoder(&input)
	write := func(v any) {
		if err := to.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	var last *document
	for _, e := range list {
		if e.document != last {
			last = e.document
			write(map[string]any{"file": last.file, "url": servedAt})
		}
		write(map[string]any{"path": e.path, "method": e.method, "media": e.tool.Capability.Invocation.ContentType, "values": e.values()})
	}
	return answers(t, &input, len(list))
}

// answers runs the builders.
func answers(t *testing.T, input io.Reader, n int) []map[string]*built {
	t.Helper()
	return lines[map[string]*built](t, "build.mjs", input, n)
}

// lines returns the n values that a program of npm prints.
func lines[T any](t *testing.T, program string, input io.Reader, n int) (out []T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", program)
	var said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = npmFolder(t), input, &said
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var one T
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	if len(out) != n {
		t.Fatalf("%d answers to %d lines: %s", len(out), n, said.Bytes())
	}
	return out
}

// npmFolder returns a folder in which npm has installed the builders: the folder npm, or its
// copy in WAYFIND_BUILDERS.
func npmFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("WAYFIND_BUILDERS")
	if folder == "" {
		folder = "npm"
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("the packages of npm are not installed: run npm ci in internal/lab/oracle/requests/npm, or .ci/run builders own")
	}
	return folder
}
