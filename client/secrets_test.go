package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
)

// drawn returns n characters, the same in each run. Secrets are made at run time, so that scanners
// find none in this file.
func drawn(seed uint64, n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := rand.New(rand.NewPCG(seed, 93))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// liveKey looks like a key that is in use.
func liveKey(seed uint64) string { return "gh" + "p_" + drawn(seed, 36) }

// vault makes secrets and knows all that it made.
type vault struct{ made []string }

// take notes a secret by the parts that nothing may repeat.
func (v *vault) take(s string) string {
	v.made = append(v.made, s[len(s)-12:])
	return s
}

func (v *vault) key() string   { return v.take(liveKey(uint64(len(v.made)))) }
func (v *vault) named() string { return v.take(drawn(uint64(1000+len(v.made)), 32)) }

// shown fails the test when a text repeats a secret.
func (v *vault) shown(t *testing.T, where, text string) {
	t.Helper()
	for i, s := range v.made {
		if at := strings.Index(text, s); at >= 0 {
			t.Errorf("%s shows secret %d: …%q", where, i, text[max(0, at-80):min(len(text), at+20)])
		}
	}
}

// value is shown for a value, by its fields and as JSON.
func (v *vault) value(t *testing.T, where string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	v.shown(t, where+" as JSON", string(text))
	v.shown(t, where, fmt.Sprintf("%+v", value))
}

// manySecrets returns a manifest with a secret in each field that can have one.
func manySecrets(v *vault, host string) string {
	encode := base64.RawURLEncoding.EncodeToString
	jwt := encode([]byte(`{"alg":"ES256"}`)) + "." + encode([]byte(`{"sub":"7"}`)) + "." + v.take(drawn(500, 86))
	pem := `-----BEGIN PRIV` + `ATE KEY-----\n` + v.take(drawn(501, 64)) + `\n-----END PRIV` + `ATE KEY-----`
	hidden := v.key()
	hidden = hidden[:9] + "\u200b" + hidden[9:]
	return `{"spec_version": "1.0", "name": "Service ` + v.key() + `", "base_url": "https://` + host + `",
		"description": "Call with Authorization: Bearer ` + jwt + ` or with ` + pem + ` or ` + hidden + `.",
		"docs_url": "https://` + host + `/docs?access_token=` + v.named() + `",
		"auth": {"type": "api_key", "header": "X-API-Key", "api_key": "` + v.named() + `", "instructions": "Send Cookie: session_id=` + v.named() + `"},
		"contact": {"email": "a@` + host + `", "url": "https://bob:` + v.named() + `@` + host + `/"},
		"x_` + v.key() + `": {"headers": [{"name": "X-API-Key", "value": "` + v.named() + `"}], "password": "` + v.named() + `"},
		"capabilities": [
			{"name": "a", "description": "Do a with ` + v.key() + `", "detail_url": "/a"},
			{"name": "b", "description": "Do b", "detail_url": "/b?token=` + v.named() + `"},
			{"name": "c", "description": "Do c", "detail_url": "https://` + host + `/` + v.key() + `/c"}]}`
}

// secretWorld is a site that publishes secrets everywhere.
func secretWorld(v *vault, internet *clienttest.Internet) *clienttest.Host {
	host := internet.Host("shop.example", nil)
	host.Handle(wellKnown, page(manySecrets(v, "shop.example"), "Cache-Control", "max-age=60"))
	host.Handle("/a", page(`{"name": "a", "description": "In detail: `+v.key()+`", "endpoint": "/x?key=`+v.named()+`", "method": "POST",
		"parameters": [{"name": "api_key", "type": "string", "description": "d", "default": "`+v.named()+`"}],
		"request_example": {"client_secret": "`+v.named()+`"}, "response_example": {}}`, "Cache-Control", "max-age=60"))
	host.Handle("/.well-known/ai-plugin.json", page(strings.Replace(pluginManifest("https://shop.example/api.json"), "Use it.", "Use "+v.key(), 1)))
	host.Handle("/api.json", page(strings.Replace(apiJSON(`, "x-secret": "`+v.named()+`"`), "ok", "ok "+v.key(), 1)))
	host.Handle("/llms.txt", clienttest.Page{Body: "# Shop\n\n> A shop; use " + v.key() + ".\n\n- [API](https://shop.example/api?api_key=" + v.named() + "): docs\n",
		Header: http.Header{"Content-Type": {"text/markdown"}}})
	host.Handle("/agents.md", clienttest.Redirect(http.StatusFound, "https://shop.example/other.md?access_token="+v.named()))
	problem := page(`{"title": "Key `+v.key()+` is bad", "detail": "password=`+v.named()+`"}`, "Content-Type", "application/problem+json")
	problem.Status = http.StatusForbidden
	host.Handle("/.well-known/agent-card.json", problem)
	host.Handle("/.well-known/ai", page(`{"aiendpoint": `+v.key()+`}`))
	host.Handle("/robots.txt", clienttest.Page{Body: "User-agent: *\n# " + v.key() + "\nDisallow: /private?token=" + v.named() + "\n"})
	return host
}

// No secret that a site publishes reaches an output: the Site, findings, details, errors, the log
// at its lowest level, the trace, recordings, or the files of a store. A diagnostic reports its
// place and the rule.
func TestNoSurfaceShowsSecrets(t *testing.T) {
	dir := t.TempDir()
	v := &vault{}
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		host := secretWorld(v, internet)
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var log, lines bytes.Buffer
		var recording client.Recording
		c := newClient(t, internet, func(o *client.Options) {
			o.Formats, o.Store, o.Robots.Mode, o.Lab.Record = formats.All(), store, client.RobotsReport, recording.Add
			o.Logger = slog.New(slog.NewMultiHandler(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}),
				slog.NewJSONHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
		})
		var trace client.Trace
		site, err := c.Resolve(client.WithTrace(t.Context(), &trace), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		internet.Watch(site)
		for key, want := range map[string][]string{"adp:a": {"https://shop.example/a"}, "adp:b": {}, "adp:c": {}} {
			_, capability := site.Capability(key)
			if d := cmp.Diff(want, capability.DetailURLs); d != "" {
				t.Errorf("%s has details at (-want +got):\n%s", key, d)
			}
		}
		v.value(t, "the Site", site)
		v.value(t, "the trace", trace)
		wantSecretNotes(t, site)
		for f, err := range c.Probe(t.Context(), "shop.example") {
			v.value(t, "a finding", f)
			v.shown(t, "its error", fmt.Sprint(err))
		}
		for _, capability := range site.Capabilities() {
			d, err := c.Describe(t.Context(), site, capability.Key)
			v.value(t, "the detail of "+capability.Key, d)
			if capability.Key == "adp:a" && (err != nil || d.Capability.Invocation != nil) {
				t.Errorf("a URL with a secret can be called: %v, %+v", err, d.Capability.Invocation)
			}
			v.shown(t, "its error", fmt.Sprint(err))
		}
		for _, path := range []string{wellKnown, "/a", "/agents.md", "/.well-known/agent-card.json", "/.well-known/ai", "/none?access_token=" + v.named()} {
			r, err := c.ParseURL(t.Context(), "https://shop.example"+path)
			if !strings.Contains(path, "?") { // that one is the caller's own
				v.value(t, "the reading of "+path, r)
				v.shown(t, "its error", fmt.Sprint(err))
			}
		}
		for _, p := range host.Paths() {
			if !strings.HasPrefix(p, "/none") {
				v.shown(t, "the request", p)
			}
		}
		for _, r := range host.Requests() {
			if !strings.HasPrefix(r.Path, "/none") {
				v.shown(t, "the query of a request", fmt.Sprintf("%+v", r))
			}
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		v.shown(t, "the log", log.String())
		v.shown(t, "the log in JSON", lines.String())
		if log.Len() == 0 || lines.Len() == 0 {
			t.Error("nothing was logged")
		}
		files := recording.Files()
		for name, content := range files {
			v.shown(t, "the recording's "+name, name+"\n"+string(content))
		}
		if len(files) < 8 {
			t.Errorf("%d files were recorded", len(files))
		}
	})
	if v.stored(t, dir) == 0 {
		t.Error("nothing was stored")
	}
}

// wantSecretNotes checks that each document with secrets has a diagnostic with the place.
func wantSecretNotes(t *testing.T, site *wayfind.Site) {
	t.Helper()
	var got []string
	for _, d := range site.Diagnostics {
		if d.Code != "text.secret" {
			continue
		}
		if d.Severity != wayfind.SeverityWarning {
			t.Errorf("%s is of severity %s", d.Code, d.Severity)
		}
		if path := strings.TrimPrefix(d.Source, "https://shop.example"); !slices.Contains(got, path) {
			got = append(got, path)
		}
	}
	slices.Sort(got)
	want := []string{"/.well-known/agent", "/.well-known/ai", "/.well-known/ai-plugin.json", "/api.json", "/llms.txt", "/robots.txt"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("documents that are said to hold secrets (-want +got):\n%s", d)
	}
}

// stored fails the test when a file of a directory holds a secret. It returns
// how many there are.
func (v *vault) stored(t *testing.T, dir string) (files int) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(os.DirFS(dir), name)
		files++
		v.shown(t, "the file "+name, name+"\n"+string(content))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// A body with a secret is kept in memory and nowhere else; when the
// document loses its secret it is stored again, and the other way round.
func TestABodyWithASecretIsKeptInMemoryOnly(t *testing.T) {
	dir := t.TempDir()
	v := &vault{}
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		clean := manifest("shop.example", "/a")
		dirty := strings.Replace(clean, "for tests", "for "+v.key(), 1)
		host := internet.Host("shop.example", nil)
		serve := func(body string, more ...string) {
			host.Handle(wellKnown, page(body, append([]string{"Cache-Control", "max-age=60"}, more...)...))
		}
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		entries := func() (n int) {
			for _, err := range store.Entries(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			return n
		}
		serve(clean)
		c := newClient(t, internet, shared(store))
		for i, step := range []struct {
			what string
			body string
			more []string
			want int
		}{
			{"clean", clean, nil, 1},
			{"a secret comes in", dirty, nil, 0},
			{"it goes", clean, nil, 1},
			{"one in a header field", clean, []string{"Link", "<https://shop.example/?access_token=" + v.named() + ">; rel=x"}, 0},
			{"it goes, too", clean, nil, 1},
		} {
			serve(step.body, step.more...)
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if n := entries(); n != step.want {
				t.Errorf("%s: %d entries on disk, want %d", step.what, n, step.want)
			}
			v.stored(t, dir)
			asked := len(host.Requests())
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(host.Requests()) != asked {
				t.Errorf("step %d, %s: it is not in memory (%v)", i, step.what, err)
			}
			time.Sleep(time.Second)
		}
	})
	v.stored(t, dir)
}

// An answer that an earlier version stored is judged anew when it is read.
func TestAnswersOfAnEarlierVersionAreJudgedAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		v := &vault{}
		far := newFarStore()
		clean := manifest("shop.example", "/a")
		body := []byte(strings.Replace(clean, "for tests", "for "+v.key(), 1))
		host := internet.Host("shop.example", nil).Handle(wellKnown, page(clean, "Cache-Control", "max-age=600"))
		first := newClient(t, internet, shared(far))
		if _, err := first.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		far.rewrite(t, func(e *cache.Entry) { e.Body, e.Digest = body, sha256.Sum256(body) })
		if !strings.Contains(far.dump(), v.made[0]) {
			t.Fatal("nothing is stored")
		}
		second := newClient(t, internet, shared(far))
		site, err := second.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		v.value(t, "the Site", site)
		if !strings.Contains(fmt.Sprintf("%+v", site), "[redacted: github-token]") {
			t.Error("the stored document was not read")
		}
		v.shown(t, "the far store", far.dump())
		if n := len(host.Requests()); n != 1 {
			t.Errorf("%d requests, want the first only: it is in memory now", n)
		}
	})
}

// The answer of an endpoint is cleaned like a document.
func TestTheAnswerOfALiveEndpointIsCleaned(t *testing.T) {
	dir := t.TempDir()
	v := &vault{}
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		names(internet, "shop.example", "https://shop.example/mcp", "https://shop.example/bad")
		names(internet, "other.example", "https://third.example/bad")
		secret, named, wrong := v.key(), v.named(), v.key()
		p := offering(0)
		p.answer = func(_ context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
			if req.URL.Path == "/bad" {
				return nil, errors.New("the server said " + wrong)
			}
			a := offer(time.Hour, "tool")
			c := &a.Reading.Services[0].Capabilities[0]
			c.Description = "Use " + secret
			c.Extensions = map[string]json.RawMessage{"api_key": json.RawMessage(`"` + named + `"`)}
			c.Input = json.RawMessage(`{"type": "object", "properties": {"api_key": {"default": "` + secret + `"}}, "x": {"name": "token", "value": "` + named + `"}}`)
			return a, nil
		}
		c := newClient(t, internet, live(p), shared(store), func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		})
		other, err := c.Resolve(t.Context(), "other.example")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Describe(t.Context(), other, other.Services[0].ID)
		if v.shown(t, "the error", fmt.Sprint(err)); err == nil {
			t.Error("no error")
		}
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		v.value(t, "the Site", site)
		_, tool := site.Capability("mcp:mcp/tool")
		if tool == nil || tool.Description != "Use [redacted: github-token]" {
			t.Errorf("the tool became %+v", tool)
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	v.stored(t, dir)
}

// A URL with a secret is somebody's credential: it is not asked for, be
// it in a document or in a redirect.
func TestURLsWithSecretsAreNotFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		v := &vault{}
		host := internet.Host("shop.example", nil)
		host.Handle("/toy", page(`{"toy": ["x"], "links": ["https://shop.example/one?access_token=`+v.named()+`", "https://shop.example/two"]}`))
		host.Handle("/moved", clienttest.Redirect(http.StatusFound, "/three?access_token="+v.named()))
		c := newClient(t, internet, withFormats(toy("toy", parse.Location{Path: "/toy"}), toy("moved", parse.Location{Path: "/moved"})))
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		paths := host.Paths()
		slices.Sort(paths)
		if d := cmp.Diff([]string{"/moved", "/toy", "/two"}, paths); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		if len(site.Probes) != 3 {
			t.Errorf("there are probes of %+v", site.Probes)
		}
		for _, p := range site.Probes {
			if strings.HasSuffix(p.URL, "/moved") && (p.Verdict != wayfind.VerdictRefused || p.Reason != string(wayfind.CodeSecret)) {
				t.Errorf("the redirect is %s, %s", p.Verdict, p.Reason)
			}
		}
		v.value(t, "the Site", site)
		time.Sleep(verdict.KeepUnknown / 2)
		if _, err := anew(t, c, "shop.example"); err != nil {
			t.Fatal(err)
		}
		if n := asked(host)["/moved"]; n != 1 {
			t.Errorf("the redirect was asked for %d times within ten minutes", n)
		}
	})
}

// A description that could only be had with somebody's credential is not
// offered to Describe either.
func TestLinksWithSecretsAreNotOffered(t *testing.T) {
	v := &vault{}
	r := parseText(t, pluginManifest("https://shop.example/api.json?access_token="+v.named()), &client.ParseOptions{URL: "https://shop.example/.well-known/ai-plugin.json"})
	v.value(t, "the result", r)
	if s := r.Site.Services[0]; s.Lazy || len(s.DetailURLs) > 0 {
		t.Errorf("lazy %t, details at %q", s.Lazy, s.DetailURLs)
	}
}

// The error of a format about a document that it cannot read may quote the document.
func TestErrorsOfFormatsShowNoSecrets(t *testing.T) {
	v := &vault{}
	f := toy("toy")
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		doc, err := in.JSON()
		if err != nil {
			return nil, err
		}
		return nil, parse.Invalid("it holds %s", doc.Raw())
	}
	r := parseText(t, `{"toy": {"api_key": "`+v.named()+`", "b": "`+v.key()+`"}}`, &client.ParseOptions{Formats: []*parse.Format{f}})
	v.value(t, "the result", r)
	want := `it holds {"toy": {"api_key": "[redacted: named-secret]", "b": "[redacted: github-token]"}}`
	if e := r.Site.Probes[0].Error; !strings.HasSuffix(e, want) {
		t.Errorf("the error is %s", e)
	}
}

// Errors of net/http quote input that it cannot read.
func TestBrokenAnswersShowNoSecrets(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		v := &vault{}
		c := newClient(t, internet)
		for host, answer := range map[string]string{
			"line.example":   "HTTP/1.1 200 OK\r\nAuthorization " + v.key() + "\r\n\r\n",
			"status.example": "HTTP/1.1 " + v.key() + " OK\r\n\r\n",
		} {
			internet.Host(host, nil).Protocols("http/1.1").Raw(func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4<<10))
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			})
			site, err := c.Resolve(t.Context(), host)
			if err == nil || !strings.Contains(err.Error(), "[redacted: github-token]") {
				t.Errorf("%s: %v", host, err)
			}
			v.shown(t, "the error of "+host, fmt.Sprint(err))
			v.value(t, "the Site of "+host, site)
		}
	})
}

// Hits of a registry are words of a stranger.
func TestHitsOfARegistryShowNoSecrets(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		v := &vault{}
		hit := strings.Replace(service("a.example", "cap "+v.key()), `"D"`, `"D `+v.key()+`"`, 1)
		bad := []string{service("https://b.example/" + v.key() + "/"), service("http://c.example/?access_token=" + v.named()), service("https://bob:" + v.named() + "@d.example")}
		internet.Host("registry.example", nil).Handle(discoverPath, registryOf(append(bad, hit)...))
		refusing := page(`{"success": false, "error": "bad key ` + v.key() + `"}`)
		refusing.Status = http.StatusBadRequest
		internet.Host("other.example", nil).Handle(discoverPath, refusing)
		c := newClient(t, internet)
		r, err := c.Search(t.Context(), "registry.example", "q")
		if err != nil {
			t.Fatal(err)
		}
		v.value(t, "the result", r)
		if len(r.Hits) != 1 || r.Hits[0].Description != "D [redacted: github-token]" || !slices.Contains(codesAt(r.Diagnostics), "text.secret /data/3/service/description") {
			t.Errorf("hits %+v, %v", r.Hits, codesAt(r.Diagnostics))
		}
		_, err = c.Search(t.Context(), "other.example", "q")
		if err == nil || !strings.Contains(err.Error(), "[redacted: github-token]") {
			t.Errorf("the refusal is %v", err)
		}
		v.shown(t, "the refusal", fmt.Sprint(err))
	})
}

// The diagnostic about a secret contains the pointer or line, the field and the rule.
func TestDiagnosticsNameThePlaceOfASecret(t *testing.T) {
	v := &vault{}
	type note struct {
		Pointer string
		Line    int
		Message string
	}
	message := func(rule, field string) string {
		if field != "" {
			field = fmt.Sprintf(" of the field %q", field)
		}
		return "a likely secret (" + rule + ") was taken out" + field + "; every reader of the document has it"
	}
	for name, row := range map[string]struct {
		body string
		want []note
	}{
		"JSON": {`{"toy": [], "a": [{"api_key": "` + v.named() + `"}], "b": "see ` + v.key() + `"}`,
			[]note{{"/a/0/api_key", 0, message("named-secret", "api_key")}, {"/b", 0, message("github-token", "b")}}},
		"name and value": {`{"toy": [], "h": {"name": "X-Api-Key", "value": "` + v.named() + `"}}`,
			[]note{{"/h/value", 0, message("named-secret", "X-Api-Key")}}},
		"a secret as a name": {`{"toy": [], "` + v.key() + `": 1}`, []note{{"/[redacted: github-token]", 0, message("github-token", "")}}},
		"Markdown":           {"# Shop\n\n## Can\n\n- Sell\n- Use " + v.key() + "\n", []note{{"", 6, message("github-token", "")}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := parseText(t, row.body, nil)
			v.value(t, "the result", r)
			var got []note
			for _, d := range r.Diagnostics {
				if d.Code == "text.secret" {
					got = append(got, note{d.Pointer, d.Line, d.Message})
				}
			}
			if d := cmp.Diff(row.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A hundred secrets are reported together, and not one by one.
func TestManySecretsAreReportedTogether(t *testing.T) {
	v := &vault{}
	var list []string
	for range 100 {
		list = append(list, `"`+v.key()+`"`)
	}
	r := parseText(t, `{"toy": [`+strings.Join(list, ", ")+`]}`, &client.ParseOptions{Formats: []*parse.Format{toy("toy")}})
	v.value(t, "the result", r)
	var notes []string
	for _, d := range r.Diagnostics {
		if d.Code == "text.secret" {
			notes = append(notes, d.Message)
		}
	}
	if len(notes) != 17 || notes[16] != "84 more secrets were taken out" {
		t.Errorf("%d notes: %q", len(notes), notes)
	}
}

// Documentation is shown as it was written.
func TestDocumentationSurvives(t *testing.T) {
	text := "Send Authorization: Bearer YOUR_API_KEY, X-API-Key: {{TOKEN}}, ${TOKEN} or <token>; test with sk_test_4eC39HqLyjWDarjtT1zdp7dc or AKIAIOSFODNN7EXAMPLE."
	body := strings.Replace(manifest("shop.example", "/a"), "A service for tests.", text, 1)
	r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + wellKnown, Formats: []*parse.Format{adp.Format()}})
	if got := r.Site.Services[0].Description; got != text {
		t.Errorf("it became %q", got)
	}
	for _, d := range r.Diagnostics {
		if d.Code == "text.secret" {
			t.Errorf("%+v", d)
		}
	}
}

// Secrets are taken out before a text is cut: half of one is one.
func TestSecretsAreTakenOutBeforeATextIsCut(t *testing.T) {
	v := &vault{}
	secret := v.key()
	v.made = append(v.made, secret[4:16])
	name := strings.Repeat("long ", 200) + secret // the limit of a line is in the midst of it
	body := strings.Replace(manifest("shop.example", "/a"), `"Service"`, `"`+name+`"`, 1)
	r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + wellKnown})
	v.value(t, "the result", r)
}

// However many secrets a document contains, and however deep, the stored data about them is in
// proportion to its size.
func TestSecretsCostTheirBytes(t *testing.T) {
	body := func(keys, depth int) string {
		var list strings.Builder
		for i := range keys {
			list.WriteString("?key=" + drawn(uint64(i), 11) + " ")
		}
		return strings.Repeat(`{"`+strings.Repeat("k", 1024)+`":`, depth) + strconv.Quote(list.String()) + strings.Repeat("}", depth)
	}
	large := body(8000, 55)
	testkit.BoundAllocs(t, len(large), 1000, 4<<20, func() { // 200 without the race detector; it was 15,000
		if _, err := client.Parse(t.Context(), []byte(large), &client.ParseOptions{URL: "https://shop.example/x.json"}); err != nil {
			t.Fatal(err)
		}
	})
}

// A secret that the search of the body misses, because YAML has escapes, is found in the model. The
// document is then also removed from the store.
func TestAnEscapedSecretIsNotStored(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		v := &vault{}
		key := v.take(liveKey(3))
		far := newFarStore()
		host := internet.Host("shop.example", clienttest.Pages{})
		host.Handle("/.well-known/ai-plugin.json", page(pluginManifest("https://shop.example/openapi.yaml")))
		host.Handle("/openapi.yaml", page(strings.Replace(apiYAML, "{title: Orders,", `{title: "Orders \x67`+key[1:]+`",`, 1), "Content-Type", "application/yaml", "Cache-Control", "max-age=3600"))
		var recording client.Recording
		site, err := newClient(t, internet, readPlugins, shared(far), func(o *client.Options) { o.Lab.Record = recording.Add }).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if text := fmt.Sprintf("%+v", site); !strings.Contains(text, "[redacted: github-token]") {
			t.Errorf("the Site says nothing of it: %s", text)
		}
		far.mu.Lock()
		defer far.mu.Unlock()
		for name, kept := range far.kept {
			if strings.Contains(string(kept.text), key[8:30]) {
				t.Errorf("the store has it under %q", name)
			}
		}
		for name, file := range recording.Files() {
			if strings.Contains(string(file), key[8:30]) {
				t.Errorf("the recording has it in %s", name)
			}
		}
	})
}

// An error page is looked through before anything is stored of it,
// however a secret is written there.
func TestErrorPagesAreStoredWithoutSecrets(t *testing.T) {
	v := &vault{}
	key := v.key()
	for name, row := range map[string]struct {
		body string
		kept bool
	}{
		"nothing":            {"404 page not found\r\n", true},
		"plain":              {"404: " + key + " is unknown\r\n", false},
		"escaped":            {`{"a": "` + strings.Replace(key, "_", `\u005f`, 1) + `"}`, false},
		"invisible":          {"404: " + key[:6] + "\u200b" + key[6:], false},
		"control":            {"404: " + key[:6] + "\x01" + key[6:], false},
		"password by a name": {`{"password": "Tr0ub4dor&3"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Page{Status: http.StatusNotFound, Body: row.body})
				far := newFarStore()
				_, _ = newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example")
				synctest.Wait()
				far.mu.Lock()
				defer far.mu.Unlock()
				if kept := len(far.kept) > 0; kept != row.kept {
					t.Errorf("stored: %v, want %v", kept, row.kept)
				}
			})
		})
	}
}
