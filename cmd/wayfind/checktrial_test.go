package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// devSite is "dev-site DIR": an HTTP server on this machine that serves the files of DIR,
// each with the media type in the file of its name and ".type" if there is one, and puts
// its address into $DEV. It ends with the script.
func devSite(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Join(dir, ".well-known"), 0o700))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Join(dir, filepath.FromSlash(r.URL.Path))
		body, err := os.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", recorded.TypeOf(name, body))
		if mediaType, err := os.ReadFile(name + ".type"); err == nil {
			w.Header().Set("Content-Type", string(mediaType))
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Etag", `"`+strings.ReplaceAll(string(body[:min(len(body), 8)]), `"`, "")+`"`)
		_, _ = w.Write(body) // the client may have left
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until it is closed
	}()
	ts.Defer(func() {
		_ = server.Close()
		<-done
	})
	ts.Setenv("DEV", "http://"+listener.Addr().String())
}

// publishSite is "publish REPORT ID": it writes the document that a report has for a check, or
// for the next step, to its place in the directory "site".
func publishSite(ts *testscript.TestScript, _ bool, args []string) {
	var r sitecheck.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &r))
	var d *sitecheck.Document
	if args[1] != "next" {
		d = r.Result(args[1]).Document
	} else if len(r.Next) > 0 {
		d = r.Next[0].Document
	}
	if d == nil {
		ts.Fatalf("the report has no document for %s", args[1])
	}
	name := filepath.Join(ts.MkAbs("site"), filepath.FromSlash(d.Place))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	ts.Check(os.WriteFile(name, []byte(d.Content), 0o600))
	ts.Check(os.WriteFile(name+".type", []byte(d.MediaType), 0o600))
}

// change is "change OLD NEW FILE": it replaces a text that occurs once.
func change(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[2])
	if strings.Count(text, args[0]) != 1 {
		ts.Fatalf("%q does not occur once in %s", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o600))
}
