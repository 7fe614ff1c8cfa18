package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// expected are the scenarios with their results: "pass", or the reason why one fails.
func expected(t *testing.T, file string) map[string]string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, result, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(name, "#") {
			list[name] = strings.TrimSpace(result)
		}
	}
	return list
}

// The results without a reason: of a scenario that passes, and of one that checks nothing.
const (
	passes = "pass"
	empty  = "checks nothing"
)

// Each scenario for clients has the result of the list.
func TestClientScenarios(t *testing.T) {
	node, suite := installed(t)
	program := filepath.Join(t.TempDir(), "client")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./client").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := exec.CommandContext(t.Context(), node, suite, "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := expected(t, "testdata/expected.txt")
	for _, name := range clientScenarios(string(list)) {
		result, ok := want[name]
		delete(want, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !ok {
				t.Fatal("the scenario is not in testdata/expected.txt")
			}
			said, passed := play(t, node, suite, program, name)
			switch vacuous := strings.Contains(said, "Passed: 0/0"); {
			case vacuous != (result == empty):
				t.Errorf("checks nothing: %t, want %q:\n%s", vacuous, result, said)
			case vacuous:
			case passed && result != passes:
				t.Errorf("it passes now, and the list says: %s", result)
			case !passed && result == passes:
				t.Errorf("it fails:\n%s", said)
			}
		})
	}
	for name := range want {
		t.Errorf("%s: the suite has no such scenario", name)
	}
}

// clientScenarios returns the scenarios of the first section of the list.
func clientScenarios(list string) (names []string) {
	client := false
	for line := range strings.Lines(list) {
		switch word := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "Client"):
			client = true
		case word != "" && !strings.HasPrefix(line, " "):
			client = false
		case client && strings.HasPrefix(word, "- "):
			names = append(names, strings.Fields(word)[1])
		}
	}
	return names
}

// play plays a scenario. A scenario passes if the suite says so, of its client too.
func play(t *testing.T, node, suite, program, name string) (said string, passed bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, suite, "client", "--command", program, "--scenario", name, "--timeout", "60000", "--verbose")
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !e.Exited()) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), err == nil
}
