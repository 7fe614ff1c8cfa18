package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// outcome is the result of a test with a fault.
type outcome string

const (
	killed   outcome = "killed"
	survived outcome = "SURVIVED"
	broken   outcome = "BROKEN" // the entry proves nothing
)

// result is an entry that was tried.
type result struct {
	mutant
	outcome outcome
	took    time.Duration
	output  string
	detail  error // why the entry is broken
}

// trial tries entries. It builds the unchanged binary of a package once, and runs each test
// once without a fault.
type trial struct {
	dir      string // for binaries and changed files
	time     time.Duration
	mu       sync.Mutex
	binaries map[test]func() (string, error) // by module and package
	sound    map[test]func() error
}

// tryAll yields the entries in the order of the lists.
func tryAll(ctx context.Context, dir string, mutants []mutant, o options) iter.Seq[result] {
	return func(yield func(result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		t := &trial{dir: dir, time: o.time, binaries: map[test]func() (string, error){}, sound: map[test]func() error{}}
		slots := make(chan struct{}, o.atOnce)
		results := make([]chan result, len(mutants))
		for i := range mutants {
			results[i] = make(chan result, 1)
		}
		running.Go(func() {
			for i, m := range mutants {
				slots <- struct{}{}
				running.Go(func() {
					results[i] <- t.try(ctx, i, m)
					<-slots
				})
			}
		})
		for _, r := range results {
			if !yield(<-r) {
				return
			}
		}
	}
}

// try runs the test of an entry, without the fault and with it.
func (t *trial) try(ctx context.Context, i int, m mutant) result {
	started := time.Now()
	r := result{mutant: m}
	r.outcome, r.output, r.detail = t.judge(ctx, filepath.Join(t.dir, fmt.Sprint(i)), m)
	r.took = time.Since(started)
	return r
}

func (t *trial) judge(ctx context.Context, dir string, m mutant) (outcome, string, error) {
	files, err := m.apply()
	if err != nil {
		return broken, "", err
	}
	if err := t.isSound(ctx, m.test); err != nil {
		return broken, "", err
	}
	overlay, err := writeOverlay(dir, files)
	if err != nil {
		return broken, "", err
	}
	binary := filepath.Join(dir, "test")
	if err := build(ctx, m.test, binary, "-overlay="+overlay); err != nil {
		return broken, "", err
	}
	defer os.Remove(binary)
	output, err := t.execute(ctx, binary, m.test)
	switch {
	case err == nil:
		return survived, output, nil
	case !strings.Contains(output, "--- FAIL: "):
		return broken, output, fmt.Errorf("the test does not fail, it ends with %w:\n%s", err, tail(output))
	}
	return killed, output, nil
}

// isSound returns an error if a test cannot detect a fault: without one it must run and pass.
func (t *trial) isSound(ctx context.Context, of test) error {
	t.mu.Lock()
	pkg := test{module: of.module, pkg: of.pkg}
	if t.binaries[pkg] == nil {
		binary := filepath.Join(t.dir, fmt.Sprintf("sound%d", len(t.binaries)))
		t.binaries[pkg] = sync.OnceValues(func() (string, error) { return binary, build(ctx, pkg, binary) })
	}
	binary := t.binaries[pkg]
	if t.sound[of] == nil {
		t.sound[of] = sync.OnceValue(func() error { return t.runSound(ctx, binary, of) })
	}
	sound := t.sound[of]
	t.mu.Unlock()
	return sound()
}

func (t *trial) runSound(ctx context.Context, built func() (string, error), of test) error {
	binary, err := built()
	if err != nil {
		return err
	}
	output, err := t.execute(ctx, binary, of)
	if err != nil {
		return fmt.Errorf("the test does not pass without the fault: %w\n%s", err, tail(output))
	}
	// A pattern with a slash runs the parent of a subtest even if there is no such subtest.
	depth := strings.Count(of.tests, "/")
	for line := range strings.Lines(output) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- PASS: ")
		if name, _, _ := strings.Cut(name, " "); ok && strings.Count(name, "/") >= depth {
			return nil
		}
	}
	return errors.New("no test with this name runs and passes")
}

// writeOverlay writes the changed files, and their list for go test -overlay.
func writeOverlay(dir string, files map[string]string) (string, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		changed := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[absolute] = changed
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o644)
}

// build builds the test binary of a package.
func build(ctx context.Context, of test, binary string, flags ...string) error {
	args := append([]string{"-C", of.module, "test", "-c", "-vet=off", "-o", binary}, flags...)
	words, err := exec.CommandContext(ctx, "go", append(args, of.pkg)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not build: %w\n%s", of.pkg, err, words)
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%s has no tests", of.pkg)
	}
	return nil
}

// execute runs a test in the folder of its package, like go test.
func (t *trial) execute(ctx context.Context, binary string, of test) (string, error) {
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.count=1", "-test.timeout="+t.time.String(), "-test.run="+of.tests)
	cmd.Dir = filepath.Join(of.module, of.pkg)
	cmd.WaitDelay = time.Second
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// tail returns the last twenty lines of an output.
func tail(output string) string {
	lines := strings.SplitAfter(output, "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}
