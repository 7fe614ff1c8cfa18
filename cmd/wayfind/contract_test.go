package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestEveryOutputHasItsSchema: all output for programs, of calls that succeed and of calls that
// fail, has a schema and only the members of the schema.
func TestEveryOutputHasItsSchema(t *testing.T) {
	words := contractSite(t)
	on := func(verb string, rest ...string) []string {
		return slices.Concat([]string{verb, "--json", "--now", "2026-01-02T15:04:05Z"}, words, rest)
	}
	dir := t.TempDir()
	in := func(name, text string) string {
		file := filepath.Join(dir, name)
		if text != "" {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		return file
	}
	manifest, page := in("agent.json", contractManifest), in("page.html", "<!doctype html><title>x</title>")
	pins, store, site := in("pins.json", ""), in("store", ""), in("site.json", "")
	_, saved, _ := exec(t, "", on("resolve", "example.com")...)
	in("site.json", saved)
	queue := in("queue", "")
	exec(t, "example.com\n", "crawl", "load", "--queue", queue, "-")
	in("newer.json", strings.Replace(saved, "/site/1", "/site/2", 1))
	in("changed.json", strings.Replace(saved, "Send an email", "Send a letter", 1))
	changed := in("changed-pins.json", "")
	if code, _, errs := exec(t, "", on("pin", "--pins", changed, "example.com", "adp:send_email")...); code != ui.ExitFound {
		t.Fatal(errs)
	}
	in("changed-pins.json", strings.ReplaceAll(string(golden.Read(t, changed)), "Send an email", "Send a parcel"))
	seen := map[string]bool{}
	for _, row := range []struct {
		args  []string
		code  ui.Outcome
		want  []string // the schemas, one for each result
		error string   // code of the failure of the first
	}{
		{on("resolve", "example.com"), ui.ExitFound, []string{"site"}, ""},
		{on("resolve", "example.com", "nobody.invalid"), ui.ExitUsage, []string{"site", "error"}, "host_special_use"},
		{on("resolve", "127.0.0.1", "nobody.invalid"), ui.ExitUsage, []string{"error", "error"}, "host_ip_literal"},
		{[]string{"--json", "pasre", "example.com"}, ui.ExitUsage, []string{"error", "error"}, "host_single_label"},
		{[]string{"resolve", "--json", "--pins", in("garbage.json", "garbage"), "example.com", "example.org"}, ui.ExitUsage, []string{"error", "error"}, "stored"},
		{[]string{"batch", filepath.Join(dir, "missing")}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"batch", "--formats", "nonsense", manifest}, ui.ExitUsage, []string{"error"}, "usage"},
		{on("resolve", "www.example.com"), ui.ExitNothing, []string{"site"}, "not_found"},
		{on("resolve", "www.example.com", "example.com"), ui.ExitNothing, []string{"site", "site"}, "not_found"},
		{on("resolve", "localhost"), ui.ExitUsage, []string{"error"}, "host_single_label"},
		{on("resolve", "\u202e.example"), ui.ExitUsage, []string{"error"}, "host_idna"},
		{on("resolve"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("resolve", "--nonsense", "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"resolve", "--nonsense", "--json", "example.com"}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"--json", "--formats", "nonsense", "example.com"}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"--json", "--pins", in("garbage.json", "garbage"), "example.com"}, ui.ExitUsage, []string{"error"}, "stored"},
		{[]string{"--json", "--connect-to", "example.com:443:127.0.0.1:1", "example.com"}, ui.ExitRefused, []string{"site"}, "blocked_address"},
		{[]string{"--json", "--connect-to", "example.com:443:127.0.0.1:1", "--allow-cidr", "127.0.0.0/8", "example.com"}, ui.ExitUnasked, []string{"site"}, "network"},
		{on("describe", "example.com", "adp:send_email"), ui.ExitFound, []string{"detail"}, ""},
		{on("describe", "example.com", "adp"), ui.ExitFound, []string{"detail"}, ""},
		{on("describe", "example.com", "adp:nonsense"), ui.ExitUsage, []string{"error"}, "unknown_key"},
		{on("describe", "example.com", "adp:broken"), ui.ExitNothing, []string{"detail"}, "absent"},
		{on("describe", "www.example.com", "adp"), ui.ExitNothing, []string{"error"}, "not_found"},
		{on("describe", "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("describe", manifest, "adp:send_email"), ui.ExitNothing, []string{"detail"}, "absent"},
		{on("describe", manifest, "adp:nonsense"), ui.ExitUsage, []string{"error"}, "unknown_key"},
		{on("describe", "./no such file", "adp"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("describe", in("not.json", "{"), "adp"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("search", "example.com", "mail"), ui.ExitFound, []string{"hits"}, ""},
		{on("search", "example.com", "none"), ui.ExitNothing, []string{"hits"}, ""},
		{on("search", "www.example.com", "mail"), ui.ExitNothing, []string{"error"}, "absent"},
		{on("search", "example.com", " "), ui.ExitUsage, []string{"error"}, "schema"},
		{[]string{"parse", "--json", manifest}, ui.ExitFound, []string{"document"}, ""},
		{[]string{"parse", "--json", "--full", manifest}, ui.ExitFound, []string{"document"}, ""},
		{[]string{"parse", "--json", page}, ui.ExitNothing, []string{"document"}, ""},
		{[]string{"parse", "--json", in("none.json", "")}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"parse", "--json", "--format", "nonsense", manifest}, ui.ExitUsage, []string{"error"}, ""},
		{[]string{"lint", "--json", manifest}, ui.ExitFound, []string{"lint"}, ""},
		{[]string{"lint", "--json", manifest, "none", page}, ui.ExitUsage, []string{"lint", "error", "lint"}, ""},
		{on("lint", "https://example.com/.well-known/agent"), ui.ExitFound, []string{"lint"}, ""},
		{on("lint", "https://example.com/none"), ui.ExitNothing, []string{"error"}, "absent"},
		{on("lint", "http://example.com/none"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("check", "example.com"), ui.ExitFound, []string{"check"}, ""},
		{on("check", "www.example.com"), ui.ExitFound, []string{"check"}, ""},
		{on("check", "--min-level", "5", "example.com"), ui.ExitNothing, []string{"check"}, ""},
		{on("check", "--baseline", page, "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("check", "busy.example.com"), ui.ExitUnasked, []string{"check"}, "throttled"},
		{on("check", "example.com", "example.org"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("call", "example.com", "adp:send_email", "to=x"), ui.ExitRefused, []string{"call"}, ""},
		{on("call", "example.com", "adp:nonsense"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("pin", "--pins", pins, "example.com", "adp:send_email"), ui.ExitFound, []string{"pins"}, ""},
		{on("pin", "--pins", pins), ui.ExitFound, []string{"pins"}, ""},
		{on("pin", "--pins", pins, "--check", "example.com"), ui.ExitFound, []string{"pin-check"}, ""},
		{on("pin", "--pins", pins, "--check", "www.example.com"), ui.ExitNothing, []string{"error"}, "not_found"},
		{on("pin", "--pins", pins, "example.com", "adp:nonsense"), ui.ExitUsage, []string{"error"}, "unknown_key"},
		{on("pin", "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("pin", "--pins", pins, "--remove", "example.com"), ui.ExitFound, []string{"pins"}, ""},
		{on("pin", "--pins", pins, "--remove", "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{on("diff", "--pins", pins, "example.com"), ui.ExitFound, []string{"pin-check"}, ""},
		{on("diff", site, "example.com"), ui.ExitFound, []string{"diff"}, ""},
		{on("diff", filepath.Join(dir, "changed.json"), site), ui.ExitNothing, []string{"diff"}, ""},
		{on("diff", filepath.Join(dir, "newer.json"), site), ui.ExitUsage, []string{"error"}, "stored"},
		{on("diff", page, site), ui.ExitUsage, []string{"error"}, "stored"},
		{on("diff", filepath.Join(dir, "missing.json"), site), ui.ExitUsage, []string{"error"}, "usage"},
		{on("diff", site), ui.ExitUsage, []string{"error"}, "usage"},
		{on("resolve", "--pins", changed, "example.com"), ui.ExitRefused, []string{"site"}, "pin_mismatch"},
		{on("resolve", "--pins", changed, "--pin-policy", "warn", "example.com"), ui.ExitFound, []string{"site"}, ""},
		{on("describe", "--pins", changed, "example.com", "adp:send_email"), ui.ExitRefused, []string{"error"}, "pin_mismatch"},
		{on("diff", "--pins", changed, "example.com"), ui.ExitNothing, []string{"pin-check"}, ""},
		{on("resolve", "busy.example.com"), ui.ExitUnasked, []string{"site"}, "throttled"},
		{on("lint", "https://busy.example.com/agent.json"), ui.ExitUnasked, []string{"error"}, "throttled"},
		{on("resolve", "--strict", "--formats", "adp", "example.com"), ui.ExitFound, []string{"site"}, ""},
		{on("resolve", "--prompt", "example.com"), ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"demo", "--json", "--serve=no"}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"formats", "--json"}, ui.ExitFound, []string{"formats"}, ""},
		{[]string{"keys", "--json", "--new", "https://bot.example.com", filepath.Join(dir, "bot.key")}, ui.ExitFound, []string{"keys"}, ""},
		{[]string{"keys", "--json", filepath.Join(dir, "missing.key")}, ui.ExitUsage, []string{"error"}, "usage"},
		{on("resolve", "--cache", store, "example.com"), ui.ExitFound, []string{"site"}, ""},
		{[]string{"cache", "stats", "--json", "--cache", store}, ui.ExitFound, []string{"cache"}, ""},
		{[]string{"cache", "rm", "--json", "--cache", store, "example.com"}, ui.ExitFound, []string{"cache-removal"}, ""},
		{[]string{"cache", "rm", "--json", "--cache", store, "127.0.0.1"}, ui.ExitUsage, []string{"error"}, "host_ip_literal"},
		{[]string{"cache", "rm", "--json", "--cache", store}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"crawl", "status", "--json", "--queue", queue}, ui.ExitFound, []string{"crawl"}, ""},
		{[]string{"crawl", "status", "--json", "--queue", filepath.Join(dir, "mistyped")}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"crawl", "status", "--json", "--queue", page}, ui.ExitUsage, []string{"error"}, "usage"},
		{[]string{"cache", "stats", "--json", "--cache", page}, ui.ExitUsage, []string{"error"}, "usage"},
		{append([]string{"batch", "--pause", "0s"}, append(slices.Clone(words), in("list", "example.com\nno such\nwww.example.com\n"))...), ui.ExitNothing, []string{"result", "result", "result"}, "host_syntax"},
	} {
		code, out, errs := exec(t, "", row.args...)
		var got []string
		first := ""
		for d := json.NewDecoder(strings.NewReader(out)); ; {
			var v map[string]any
			if err := d.Decode(&v); err != nil {
				if err != io.EOF {
					t.Errorf("%q: %v in %s", row.args, err, out)
				}
				break
			}
			name, failure := checkContract(t, row.args, v)
			got = append(got, name)
			seen[name] = true
			if first == "" {
				first = failure
			}
		}
		if slices.Sort(got); code != row.code || !slices.Equal(got, slices.Sorted(slices.Values(row.want))) || row.error != "" && first != row.error {
			t.Errorf("%q: exit status %d, want %d; schemas %q, want %q; error %q, want %q\n%s%s", row.args, code, row.code, got, row.want, first, row.error, out, errs)
		}
	}
	// Tools go to standard output as a vendor takes them; the report is a file.
	report := in("report.json", "")
	args := append([]string{"tools", "--report", report}, append(slices.Clone(words), "example.com")...)
	if code, _, errs := exec(t, "", args...); code != ui.ExitFound {
		t.Errorf("%q: exit status %d: %s", args, code, errs)
	}
	var reported map[string]any
	if err := json.Unmarshal(golden.Read(t, report), &reported); err != nil {
		t.Fatal(err)
	}
	name, _ := checkContract(t, args, reported)
	seen[name] = true
	in("recording/index.txt", "wayfind recording 1\nhttps://shop.example/ failed tls tls certificate expired\n")
	seen[servedJSON(t, filepath.Join(dir, "recording"))] = true
	for _, s := range schemas() {
		if !seen[nameOf(s.Name)] {
			t.Errorf("no call here prints %s", s.Name)
		}
	}
}

// servedJSON is the schema of what "serve --json DIR" prints before it serves.
func servedJSON(t *testing.T, dir string) string {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	args := []string{"serve", "--json", dir}
	var out, errs bytes.Buffer
	if code := run(ended, args, strings.NewReader(""), &out, &errs); code != ui.ExitFound {
		t.Errorf("%q: exit status %d: %s", args, code, errs.String())
	}
	var v map[string]any
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	name, _ := checkContract(t, args, v)
	return name
}

const contractManifest = `{"spec_version": "1.0", "name": "MailForge", "description": "Transactional email API.", "base_url": "https://example.com",
	"auth": {"type": "none"}, "capabilities": [{"name": "send_email", "description": "Send an email", "detail_url": "/d/send_email"},
	{"name": "broken", "description": "Has no detail", "detail_url": "/d/broken"}]}`

// contractSite starts a site on loopback with a manifest and a registry, an empty site, and a site
// that asks to come back later.
func contractSite(t *testing.T) (flags []string) {
	t.Helper()
	flags = onLoopback(t, func(w http.ResponseWriter, r *http.Request) {
		text := map[string]string{
			"/.well-known/agent": contractManifest,
			"/d/send_email":      `{"name": "send_email", "description": "Send an email", "endpoint": "/mail", "method": "POST", "parameters": [{"name": "to", "type": "string"}, {"name": "subject", "type": "string"}]}`,
			"/api/discover":      hits,
			"/docs/openapi.json": `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}}`,
		}[r.URL.Path]
		if r.URL.Query().Get("q") == "none" {
			text = `{"success": true, "data": []}`
		}
		if r.Host == "busy.example.com" {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if text == "" || r.Host != "example.com" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	})
	return append(flags, "--connect-to", "www."+flags[1], "--connect-to", "busy."+flags[1])
}

// nameOf is a schema without its number.
func nameOf(schema string) string {
	return strings.TrimSuffix(strings.TrimPrefix(schema, "wayfind/"), "/1")
}

// checkContract compares one result with the type of its schema, and returns the
// name of the schema and the code of the failure.
func checkContract(t *testing.T, args []string, v map[string]any) (name, code string) {
	t.Helper()
	i := slices.IndexFunc(schemas(), func(s ui.Schema) bool { return s.Name == v["schema"] })
	if i < 0 {
		t.Errorf("%q: the schema is %v", args, v["schema"])
		return "", ""
	}
	s := schemas()[i]
	rest := maps.Clone(v)
	delete(rest, "schema")
	if f, ok := rest["error"]; ok {
		delete(rest, "error")
		checkShape(t, fmt.Sprintf("%q: error", args), reflect.TypeFor[ui.Failure](), f)
		f := f.(map[string]any)
		if code, _ = f["code"].(string); code == "" || !slices.ContainsFunc(ui.Kinds(), func(k ui.Kind) bool { return k.Word() == f["kind"] }) {
			t.Errorf("%q: %v", args, f)
		}
	}
	checkShape(t, fmt.Sprintf("%q", args), reflect.TypeOf(s.Value), rest)
	return nameOf(s.Name), code
}

// checkShape compares a value with the description of its type in docs/OUTPUT.md.
func checkShape(t *testing.T, at string, typ reflect.Type, v any) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer:
		checkShape(t, at, typ.Elem(), v)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok && typ != reflect.TypeFor[json.RawMessage]() {
			t.Errorf("%s: %v is no list", at, v)
		}
		for i, item := range list {
			if typ != reflect.TypeFor[json.RawMessage]() {
				checkShape(t, fmt.Sprintf("%s[%d]", at, i), typ.Elem(), item)
			}
		}
	case reflect.Struct:
		if !strings.HasPrefix(typ.PkgPath(), reflect.TypeFor[wayfind.Site]().PkgPath()) || typ == reflect.TypeFor[wayfind.Limit]() {
			return
		}
		members, _ := v.(map[string]any)
		known := map[string]bool{}
		for _, f := range reflect.VisibleFields(typ) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || !f.IsExported() || name == "-" {
				continue
			}
			known[name] = true
			member, is := members[name]
			if is {
				checkShape(t, at+"."+name, f.Type, member)
			} else if options == "" {
				t.Errorf("%s: there is no %q", at, name)
			}
		}
		for name := range members {
			if !known[name] {
				t.Errorf("%s: %q is not described", at, name)
			}
		}
	}
}

// TestDemoKeepsItsSchema: the Sites of the demo, which contain most members of a Site, match
// docs/OUTPUT.md.
func TestDemoKeepsItsSchema(t *testing.T) {
	lines := 0
	for line := range strings.Lines(string(golden.Read(t, filepath.Join("testdata", "demo.jsonl")))) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if name, _ := checkContract(t, []string{"demo"}, v); name != "site" {
			t.Errorf("the schema is %q", name)
		}
		lines++
	}
	if lines != len(demo.Sites()) {
		t.Errorf("%d lines", lines)
	}
}

// TestInterruptedHasALineForEach: of domains that are not asked any more, too.
func TestInterruptedHasALineForEach(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	args := []string{"--json", "--cache", "none", "a.example", "b.example", "c.example"}
	if code := run(ctx, args, strings.NewReader(""), &out, io.Discard); code != ui.ExitInterrupted {
		t.Errorf("exit status %d", code)
	}
	var targets []any
	for line := range strings.Lines(out.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if _, code := checkContract(t, args, v); code != string(wayfind.CodeCanceled) {
			t.Errorf("code %q in %s", code, line)
		}
		failure, _ := v["error"].(map[string]any)
		targets = append(targets, failure["target"])
	}
	if want := []any{"a.example", "b.example", "c.example"}; !slices.Equal(targets, want) {
		t.Errorf("targets %q, want %q", targets, want)
	}
}

// A value that has no schema is a mistake of ours.
func TestSchemaOf(t *testing.T) {
	names := map[string]bool{}
	for _, s := range schemas() {
		if names[s.Name] || ui.SchemaOf(schemas(), s.Value) != s.Name {
			t.Errorf("%s stands there twice, or for another type", s.Name)
		}
		names[s.Name] = true
	}
	defer func() {
		if recover() == nil {
			t.Error("a number has a schema")
		}
	}()
	ui.SchemaOf(schemas(), 1)
}
