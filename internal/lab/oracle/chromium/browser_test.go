package chromium

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a test waits until the page shows something.
const patience = 20 * time.Second

// runTests sets these variables.
var (
	command string          // the program under test
	demo    []string        // the environment with which it finds the sites of the demo
	browser context.Context // the only Chromium
)

// runTests builds the command, serves the demo's sites and starts a browser.
func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wayfind-chromium-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "wayfind")
	build := exec.Command("go", "build", "-o", command, "./cmd/wayfind")
	build.Dir = filepath.Join("..", "..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return failed(fmt.Errorf("building the command: %w\n%s", err, out))
	}
	var stop func()
	demo, stop, err = serveSites("demo", "--serve")
	if err != nil {
		return failed(err)
	}
	defer stop()
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
		chromedp.Flag("host-resolver-rules", "MAP *.attacker.example 127.0.0.1"), chromedp.UserDataDir(filepath.Join(dir, "profile")))...)
	defer end()
	var close context.CancelFunc
	browser, close = chromedp.NewContext(allocator)
	defer close()
	if err := chromedp.Do(browser); err != nil {
		return failed(fmt.Errorf("chromium does not start (Debian's package \"chromium\"): %w", err))
	}
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// serveSites starts a command that serves sites, and returns the environment variables with
// which other commands find them.
func serveSites(args ...string) (variables []string, stop func(), err error) {
	lines, end, err := start(exec.Command(command, args...))
	if err != nil {
		return nil, nil, err
	}
	for line := range lines {
		file, found := strings.CutPrefix(strings.TrimSpace(line), ". ")
		if !found {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			end()
			return nil, nil, err
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			variables = append(variables, name+"="+strings.Trim(value, "'"))
		}
		return variables, end, nil
	}
	end()
	return nil, nil, fmt.Errorf("%q printed no line with its variables", args)
}

// start starts a program and returns the lines of its standard output. end stops it.
func start(cmd *exec.Cmd) (lines <-chan string, end func(), err error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	feed := make(chan string, 1000)
	go func() {
		defer close(feed)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			feed <- scanner.Text()
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	return feed, func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}, nil
}

// inspect serves the page for a target of the demo, and returns its address.
func inspect(t *testing.T, args ...string) string {
	t.Helper()
	return inspectAmong(t, demo, args...)
}

// inspectAmong is inspect for the sites of some environment variables.
func inspectAmong(t *testing.T, variables []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, append([]string{"inspect", "--no-browser", "--cache", t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), variables...)
	lines, end, err := start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	for line := range lines {
		if strings.HasPrefix(line, "http://127.0.0.1:") {
			return line
		}
	}
	t.Fatalf("wayfind inspect %s printed no address: %s", strings.Join(args, " "), cmd.Stderr)
	return ""
}

// tab opens a tab at an address. The test fails on any error of the page: an exception, an
// error in its console, or a request that failed or that its policy refused.
func tab(t *testing.T, address string, before ...chromedp.Action[chromedp.Void]) context.Context {
	t.Helper()
	ctx, errors := emptyTab(t)
	t.Cleanup(func() {
		for _, e := range errors() {
			t.Errorf("the page: %s", e)
		}
	})
	do(t, ctx, append(before, chromedp.Navigate(address))...)
	return ctx
}

// emptyTab opens a tab and collects the errors of its pages, which do not fail the test.
func emptyTab(t *testing.T) (ctx context.Context, errors func() []string) {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	errors = pageErrors(t, ctx)
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return ctx, errors
}

// pageErrors collects the errors of a page.
func pageErrors(t *testing.T, ctx context.Context) func() []string {
	t.Helper()
	var mu sync.Mutex
	var errors []string
	if err := chromedp.Listen(ctx, func(event any) {
		if said := errorOf(event); said != "" {
			mu.Lock()
			defer mu.Unlock()
			errors = append(errors, said)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(errors)
	}
}

// errorOf returns the error in an event, or "".
func errorOf(event any) string {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
		return said
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			return fmt.Sprintf("console.%s %v", e.Type, e.Args)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			return e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventLoadingFailed:
		if !e.Canceled {
			return e.ErrorText
		}
	}
	return ""
}

// do runs actions in a tab.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, end := context.WithTimeout(ctx, patience)
	defer end()
	if err := chromedp.Do(limited, actions...); err != nil {
		t.Fatal(err)
	}
}

// value evaluates an expression in the page.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	limited, end := context.WithTimeout(ctx, patience)
	defer end()
	v, err := chromedp.Run(limited, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shows waits until an element has a text in it.
func shows(t *testing.T, ctx context.Context, selector, text string) {
	t.Helper()
	seen := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		seen = value[string](t, ctx, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.innerText).join("\n")`, selector))
		if strings.Contains(seen, text) {
			return
		}
	}
	t.Fatalf("%s does not show %q, but:\n%s", selector, text, seen)
}
