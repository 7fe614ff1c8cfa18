package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// asking are command lines that ask shop.example.
var asking = []string{
	"shop.example", "--json shop.example", "--prompt shop.example", "--verbose shop.example", "tools shop.example", "describe shop.example a2a:find",
	"call --yes shop.example a2a:find task=x", "check shop.example", "lint https://shop.example", "diff empty.json shop.example", "pin --pins pins.json shop.example",
	"--json --out old.json shop.example", "check --json -o old.json shop.example", "tools --report old.json shop.example", "inspect --html old.json shop.example",
	"batch list.txt", "inspect --html page.html shop.example", "mcp --domain shop.example --print-config cursor", "search shop.example find",
}

// TestAnInterruptAtEachRequest interrupts each verb at several of its requests, which are not answered. A
// verb that was interrupted says so and ends with 130. It never ends as if it had the whole answer, and
// never replaces a file by a part of one.
func TestAnInterruptAtEachRequest(t *testing.T) {
	var asked, at atomic.Int64
	var interrupt atomic.Pointer[context.CancelFunc]
	sites, err := loopback.Start(loopback.AnyPort(), []string{"shop.example"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) >= at.Load() {
			(*interrupt.Load())()
			<-r.Context().Done()
			return
		}
		switch r.URL.Path {
		case "/.well-known/agent-card.json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"protocolVersion": "0.3.0", "name": "Shop", "description": "Sells.", "version": "1", "url": "https://shop.example/a2a", "capabilities": {},
				"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "find", "name": "Find", "description": "Finds things.", "tags": ["find"]}]}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"list.txt": "shop.example\n", "empty.json": `{"schema":"wayfind/site/1","origin":"https://shop.example"}`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range asking {
		if err := os.WriteFile("old.json", []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int64{1, 2, 3, 8, 20, 32, 40} {
			ctx, cancel := context.WithCancel(t.Context())
			asked.Store(0)
			at.Store(k)
			interrupt.Store(&cancel)
			var out, errs bytes.Buffer
			args := strings.Fields(line)
			if args[0] != "lint" {
				args = append(args, "--cache", "none")
			}
			status := run(ctx, args, strings.NewReader(""), &out, &errs)
			stopped := ctx.Err() != nil
			cancel()
			if old, err := os.ReadFile("old.json"); stopped && (err != nil || string(old) != "old") {
				t.Errorf("%s, at request %d: the file is %.80s, %v", line, k, old, err)
			}
			if stopped && (status != ui.ExitInterrupted || !strings.Contains(errs.String()+out.String(), "interrupted")) {
				t.Errorf("%s, at request %d: status %d, %s", line, k, status, errs.String())
			}
			if !stopped {
				break
			}
		}
	}
}
