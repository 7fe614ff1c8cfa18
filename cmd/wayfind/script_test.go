package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestScripts runs testdata/script: the command as people use it.
func TestScripts(t *testing.T) {
	testkit.Large(t) // hundreds of processes; tests that call run look for races
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"demo-env": demoEnv, "proxy-env": proxyEnv, "in-time": inTime, "call-shop": callShopEnv, "shop": callTheShop, "demo-variables": demoVariables, "dev-site": devSite, "publish": publishSite, "change": change},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               plainScript,
	})
}

// asks finds the runs of the command in a script, with their domains.
var asks = regexp.MustCompile(`(?m)^(!? *)(?:exec (?:sh -c .*)?wayfind|in-time \S+ wayfind|wayfind) (.*)$`)

// TestScriptsStayOnLoopback: each run that asks a domain and is to succeed has --connect-to or
// --unsafe-proxy with an address of this machine, or --offline.
func TestScriptsStayOnLoopback(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	expected, err := filepath.Glob(filepath.Join("testdata", "expected", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, expected...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range asks.FindAllStringSubmatch(string(text), -1) {
			for _, to := range regexp.MustCompile(`(?:--connect-to \S+:443:|--unsafe-proxy http://(?:\S*@)?)(\S+)`).FindAllStringSubmatch(run[2], -1) {
				if !slices.ContainsFunc([]string{"$DEMO_TO", "$PROXY", "127.0.0.1:", "localhost:", "proxy.example:3128"}, func(here string) bool { return strings.HasPrefix(to[1], here) }) {
					t.Errorf("%s: connects to %s", name, to[1])
				}
			}
			if strings.HasPrefix(run[1], "!") || askless(run[2]) {
				continue
			}
			if !strings.Contains(run[2], "--connect-to ") && !strings.Contains(run[2], "--unsafe-proxy ") && !strings.Contains(run[2], "--offline") && !strings.Contains(run[2], " $DEV") && !strings.Contains(string(text), "\ndemo-variables\n") {
				t.Errorf("%s: nothing says where the domain is: %s", name, run[0])
			}
		}
	}
}

// askless reports whether the arguments are of a verb that sends no request.
func askless(args string) bool {
	verb, rest, _ := strings.Cut(args, " ")
	switch verb {
	case "parse", "formats", "keys", "cache", "demo", "serve", "help", "completion", "--help", "--version":
		return true
	case "crawl":
		return !strings.HasPrefix(rest, "work ")
	case "pin", "diff":
		return strings.Contains(rest, "--remove") || !strings.Contains(rest, ".example")
	case "describe":
		return regexp.MustCompile(`(^| )(-|\./\S+|\S+\.(json|txt)) `).MatchString(rest)
	case "tools", "resolve", "inspect", "check":
		if regexp.MustCompile(`(^| )(-|\./\S*|\.|\S+\.yaml)( |$)`).MatchString(rest) {
			return true
		}
	case "lint":
		return !strings.Contains(rest, "https://") || strings.Contains(rest, "--url https://")
	}
	return strings.Contains(args, "--help")
}

// demoEnv starts "wayfind demo --serve", or the command of its arguments, and puts the
// file that it names into $DEMO_ENV, and two of the values in it into $DEMO_TO (the
// address) and $DEMO_CACERT. It ends with the script.
func demoEnv(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		args = []string{"demo", "--serve"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan ui.Outcome, 1)
	go func() {
		code := run(ctx, args, strings.NewReader(""), w, io.Discard)
		_ = w.Close()
		done <- code
	}()
	ts.Defer(func() {
		cancel()
		if code := <-done; code != ui.ExitFound {
			fmt.Fprintln(os.Stderr, args, "ended with", code)
		}
	})
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		words := shellWords(lines.Text())
		if len(words) != 2 || words[0] != "." {
			continue
		}
		ts.Setenv("DEMO_ENV", words[1])
		text, err := os.ReadFile(words[1])
		ts.Check(err)
		_, to, _ := strings.Cut(string(text), ":443:")
		ts.Setenv("DEMO_TO", to[:strings.IndexAny(to, " '")])
		ts.Setenv("DEMO_CACERT", filepath.Join(filepath.Dir(words[1]), "ca.pem"))
		break
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
}

// demoVariables sets the variables of the file that the demo names (see demoEnv), as
// a shell does.
func demoVariables(ts *testscript.TestScript, _ bool, _ []string) {
	text, err := os.ReadFile(ts.Getenv("DEMO_ENV"))
	ts.Check(err)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		ts.Setenv(name, strings.Trim(value, "'"))
	}
}

// inTime is "in-time DIR COMMAND...": exec of a command that uses the directory DIR for its cache.
// The directory must answer within 50 ms, which a busy machine may miss. A run that reports this is
// repeated. If DIR did not exist, it is removed before.
func inTime(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: in-time DIR COMMAND...")
	}
	_, err := os.Stat(ts.MkAbs(args[0]))
	for range 100 {
		ts.Check(ts.Exec(args[1], args[2:]...))
		said := ts.ReadFile("stderr")
		slow := strings.Contains(said, `msg="cache store failed"`) && strings.Contains(said, "deadline exceeded")
		if !slow && !strings.Contains(said, "the cache answered too slowly") {
			return
		}
		if err != nil {
			ts.Check(os.RemoveAll(ts.MkAbs(args[0])))
		}
	}
	ts.Fatalf("%s is never in time", args[0])
}

// proxyEnv starts an HTTP proxy that takes CONNECT, for whom every name is the
// demo (see demoEnv), and puts its address into $PROXY. Without the user "me" it
// makes no connection.
func proxyEnv(ts *testscript.TestScript, _ bool, _ []string) {
	demo := ts.Getenv("DEMO_TO")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv("PROXY", l.Addr().String())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go connectTo(c, demo)
		}
	}()
}

// connectTo answers one CONNECT.
func connectTo(c net.Conn, address string) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil || req.Method != http.MethodConnect {
		return
	}
	if req.Header.Get("Proxy-Authorization") != "Basic bWU6cGFzcw==" {
		_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
		return
	}
	up, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer up.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(up, c); _ = up.Close() }()
	_, _ = io.Copy(c, up)
}
