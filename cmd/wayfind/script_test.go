package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the command available to the scripts as "wayfind".
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wayfind": main})
}

// TestScripts runs testdata/script: the command as people use it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"demo-env": demoEnv},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// demoEnv starts "wayfind demo --serve", and puts the flags it prints into
// $DEMO_FLAGS, $DEMO_TO (the address) and $DEMO_CACERT. It ends with the
// script.
func demoEnv(ts *testscript.TestScript, _ bool, _ []string) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"demo", "--serve"}, strings.NewReader(""), w, io.Discard)
		_ = w.Close()
		done <- code
	}()
	ts.Defer(func() {
		cancel()
		if code := <-done; code != exitFound {
			fmt.Fprintln(os.Stderr, "demo --serve ended with", code)
		}
	})
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) > 7 && words[0] == "wayfind" && words[1] == "resolve" {
			ts.Setenv("DEMO_TO", strings.SplitN(words[3], ":", 3)[2])
			ts.Setenv("DEMO_CACERT", words[7])
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
}
