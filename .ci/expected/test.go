package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// outcome is the end of a listed test.
type outcome string

const (
	failed     outcome = "fails" // as it should
	passed     outcome = "PASSES"
	missing    outcome = "MISSING"
	skipped    outcome = "SKIPPED"
	notStarted outcome = "NOT STARTED"
	notReached outcome = "NOT REACHED"
)

// result is a listed test that was run.
type result struct {
	fault
	outcome outcome
	took    time.Duration
	output  []byte
	detail  string // the reason, if the step fails because of it
}

// build builds the test binary of each package, without the race detector, and returns their
// paths by package. Linking uses one core, so several binaries are built at a time.
func build(ctx context.Context, dir string, faults []fault, atOnce int) (map[string]string, error) {
	binaries := map[string]string{}
	for _, f := range faults {
		if binaries[f.pkg] == "" {
			binaries[f.pkg] = filepath.Join(dir, fmt.Sprintf("%d.test", len(binaries)))
		}
	}
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	var mu sync.Mutex
	var wrong []error
	for pkg, binary := range binaries {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := buildOne(ctx, pkg, binary); err != nil {
				mu.Lock()
				defer mu.Unlock()
				wrong = append(wrong, err)
			}
		})
	}
	running.Wait()
	return binaries, errors.Join(wrong...)
}

// buildOne builds the test binary of one package.
func buildOne(ctx context.Context, pkg, binary string) error {
	words, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-o", binary, pkg).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", pkg, err, words)
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%s has no tests", pkg)
	}
	return nil
}

// runAll yields the tests in the order in which they end.
func runAll(ctx context.Context, binaries map[string]string, faults []fault, l limits) iter.Seq[result] {
	return func(yield func(result) bool) {
		results := make(chan result, len(faults))
		slots := make(chan struct{}, l.atOnce)
		var running sync.WaitGroup
		go func() {
			for _, f := range faults {
				slots <- struct{}{}
				running.Go(func() {
					results <- runOne(ctx, binaries[f.pkg], f, l)
					<-slots
				})
			}
			running.Wait()
			close(results)
		}()
		for r := range results {
			if !yield(r) {
				return
			}
		}
	}
}

// runOne runs one test in a separate process.
func runOne(ctx context.Context, binary string, f fault, l limits) result {
	if ctx.Err() != nil {
		return result{fault: f, outcome: notReached}
	}
	started := time.Now()
	own, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	output, err := execute(own, binary, f, l)
	r := result{fault: f, took: time.Since(started), output: output}
	r.outcome = judge(output, f.name, err)
	if err != nil && ctx.Err() != nil {
		r.outcome = notReached // stopped with all others, before its own time expired
	}
	switch {
	case r.outcome != failed:
		r.detail = fmt.Sprintf("%s %s: %v", f.pkg, f.name, err)
	case own.Err() != nil:
		r.output = append(r.output, fmt.Sprintf("killed after %v\n", l.time)...)
	}
	return r
}

// execute runs the binary with a limit of memory. The kernel limits the memory that a process
// may write to, which is close to the size of its heap. The address space is not a suitable
// limit, because Go reserves more than it uses.
func execute(ctx context.Context, binary string, f fault, l limits) ([]byte, error) {
	script := fmt.Sprintf(`ulimit -d %d && exec "$0" "$@"`, l.memory<<10)
	cmd := exec.CommandContext(ctx, "sh", "-c", script, binary, "-test.v", "-test.count=1", "-test.timeout=0", "-test.run=^"+f.name+"$")
	cmd.Dir = filepath.FromSlash(f.pkg)
	cmd.Env = append(os.Environ(), testkit.RunExpected+"=1")
	// If the test ends, the processes that it has started end too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

// judge reads the output of a test binary that ran with -test.v. It uses the last matching
// line, because a test may print the output of others.
func judge(output []byte, name string, err error) outcome {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) && !errors.Is(err, context.DeadlineExceeded) {
		return notStarted
	}
	lines := strings.Split(string(bytes.TrimSpace(output)), "\n")
	began := slices.Contains(lines, "=== RUN   "+name)
	switch {
	case !began && slices.Contains(lines, "testing: warning: no tests to run"):
		return missing
	case !began:
		return notStarted
	case err != nil:
		return failed
	}
	for _, line := range slices.Backward(lines) {
		switch {
		case strings.HasPrefix(line, "--- PASS: "+name+" ("):
			return passed
		case strings.HasPrefix(line, "--- SKIP: "+name+" ("):
			return skipped
		}
	}
	return notStarted
}
