package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// surface collects what callers get to see.
type surface struct {
	t       *testing.T
	hostile *golden.Hostile
	checked int
}

// value checks what JSON has of a value.
func (s *surface) value(what string, v any) {
	s.t.Helper()
	s.checked++
	if why := s.hostile.HiddenIn(s.t, v); why != "" {
		s.t.Errorf("%s: %s", what, why)
	}
}

func (s *surface) text(what, text string) {
	s.t.Helper()
	s.checked++
	if why := s.hostile.Hidden(text); why != "" {
		s.t.Errorf("%s: %s", what, why)
	}
}

// error checks the text of an error, its URL and how JSON has it.
func (s *surface) error(what string, err error) {
	s.t.Helper()
	for ; err != nil; err = cause(err) {
		e, ok := err.(*wayfind.Error)
		if !ok {
			continue
		}
		s.text(what+": error", e.Error())
		s.text(what+": URL of the error", e.URL)
		if len(e.Error()) > 512 || strings.ContainsFunc(e.Error(), func(r rune) bool { return r < ' ' || r > '~' }) {
			s.t.Errorf("%s: the text of the error is %q", what, e.Error())
		}
	}
}

func cause(err error) error {
	if e, ok := err.(*wayfind.Error); ok {
		return e.Err
	}
	return nil
}

// prompt checks the text that a model gets.
func (s *surface) prompt(what string, write func(*prompt.Prompt)) {
	s.t.Helper()
	p := prompt.New()
	write(p)
	s.text(what+": prompt", p.String())
	if n := strings.Count(p.String(), "</"+p.Mark()+">"); n != strings.Count(p.String(), "\n<"+p.Mark())+1 {
		s.t.Errorf("%s: a block is ended %d times in %s", what, n, p.String())
	}
}

// TestNothingInvisibleComesOutOfParse: no invisible character of a document, in values or names,
// comes out of Parse. There is no export to CSV in this module; a cell that begins with "=" is
// text.
func TestNothingInvisibleComesOutOfParse(t *testing.T) {
	s := &surface{t: t, hostile: golden.NewHostile(t)}
	usable := 0
	for i, path := range golden.Documents(t) {
		if i%testkit.Stride() != 0 {
			continue
		}
		for _, all := range []bool{false, true} {
			if all && i%8 != 0 {
				continue // most are refused, in a few ways
			}
			name := fmt.Sprint(filepath.Base(filepath.Dir(path)), "/", filepath.Base(path), " all=", all)
			body := s.hostile.Poison(golden.Read(t, path), all)
			r, err := client.Parse(t.Context(), body, &client.ParseOptions{URL: "https://shop.example/doc", ContentType: "text/x-" + s.hostile.Text()})
			if err != nil {
				t.Fatal(err)
			}
			if r.Usable {
				usable++
			}
			s.value(name, r)
			s.prompt(name, func(p *prompt.Prompt) { p.Site(r.Site) })
			for c := range r.Site.Capabilities() {
				s.prompt(name, func(p *prompt.Prompt) { p.Detail(&wayfind.Detail{Service: c, Capability: &c.Capabilities[0]}) })
				break
			}
		}
	}
	t.Logf("%d surfaces checked, %d documents usable", s.checked, usable)
	if usable < golden.Least(t, golden.EnvCorpus, 200/testkit.Stride()) {
		t.Errorf("only %d documents are usable: nothing was tested", usable)
	}
}

// wellKnowns are the documents of one hostile site, by their place: of each
// kind the first of the corpus that can be used.
func wellKnowns(t *testing.T, hostile *golden.Hostile, all bool) clienttest.Pages {
	pages := clienttest.Pages{
		"/d/a":                   detail("a", "/a"),
		"/.well-known/agent":     manifest("shop.example", "/d/a", "/d/b"),
		"/.well-known/agents.md": "# Shop\n\nIt sells shoes.\n\n## Can\n\n- Sell shoes to agents\n\n## Cannot\n\n- Refund money\n",
		"/agents/v1":             `[{"id": "writer", "name": "The writer", "description": "It writes prose"}]`,
	}
	for place, folder := range map[string]string{
		"/.well-known/agent-card.json": "a2a-agent-card", "/.well-known/ai-plugin.json": "ai-plugin", "/openapi.json": "openapi",
		"/llms.txt": "llms-txt", "/robots.txt": "robots-txt", "/.well-known/ai": "ai-discovery-endpoint",
		"/agent.json": "agent-web-protocol", "/.well-known/mcp/server-card.json": "mcp-server-card",
	} {
		pages[place] = firstUsable(t, folder)
	}
	for _, place := range slices.Sorted(maps.Keys(pages)) {
		pages[place] = string(hostile.Poison([]byte(pages[place]), all))
	}
	return pages
}

func firstUsable(t *testing.T, folder string) string {
	for _, path := range golden.Files(t, filepath.Join(golden.Corpus(t), folder), "*") {
		body := golden.Read(t, path)
		if r, err := client.Parse(t.Context(), body, nil); err == nil && (r.Usable || folder == "robots-txt") {
			return string(body)
		}
	}
	t.Fatalf("nothing in %s can be used", folder)
	return ""
}

// hostileHandler serves pages with header fields that hold hostile text, as far
// as HTTP lets bytes through.
func hostileHandler(pages clienttest.Pages, hostile *golden.Hostile) http.Handler {
	field := func() string { return strings.Map(fieldRune, hostile.Text()) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("ETag", `"`+field()+`"`)
		h.Set("Last-Modified", field())
		h.Set("Link", "</"+field()+`>; rel="`+field()+`"`)
		h.Set("Cache-Control", "max-age="+field())
		h.Set("Content-Signal", field())
		h.Set("Server", field())
		h.Set("WWW-Authenticate", `Bearer realm="`+field()+`", `+field())
		h.Set("Retry-After", field())
		switch body, ok := pages[r.URL.Path]; {
		case ok:
			h.Set("Content-Type", "text/"+field())
			_, _ = w.Write([]byte(body))
		case strings.HasPrefix(r.URL.Path, "/.well-known/mcp"):
			h.Set("Location", "/moved/"+field()+"?"+field()+"#"+field())
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/.well-known/o"):
			h.Set("Location", "https://"+field()+"/")
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/moved/"):
			w.WriteHeader(http.StatusUnauthorized)
		default:
			h.Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			problem, _ := json.Marshal(map[string]string{"title": hostile.Text(), "detail": hostile.Text()})
			_, _ = w.Write(problem)
		}
	})
}

// fieldRune drops characters that no header field can have.
func fieldRune(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// TestNothingInvisibleReachesACaller: with every text of a site hostile, nothing that a
// caller gets holds a character that does not show: Sites, findings, details,
// hits, errors, traces, recordings, logs of either kind, prompts.
func TestNothingInvisibleReachesACaller(t *testing.T) {
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprint("all=", all), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				s := &surface{t: t, hostile: golden.NewHostile(t)}
				s.sweep(internet, all)
				t.Logf("%d surfaces checked", s.checked)
			})
		})
	}
}

func (s *surface) sweep(internet *clienttest.Internet, all bool) {
	t := s.t
	pages := wellKnowns(t, s.hostile, all)
	internet.Host("shop.example", hostileHandler(pages, s.hostile))
	internet.Host("registry.example", nil).Handle(discoverPath, clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}},
		Body: string(s.hostile.Poison([]byte(registryOf(service("a.example", "one two")).Body), all))})
	var logs bytes.Buffer
	var recording client.Recording
	for _, handler := range []slog.Handler{
		slog.NewJSONHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}),
		slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}),
	} {
		c := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) {
			o.Logger, o.Lab.Record, o.Robots.Mode, o.Store = slog.New(handler), recording.Add, client.RobotsReport, &faultyStore{text: s.hostile.Text()}
		})
		s.resolve(c)
		s.search(c)
		for i := 0; i < 10; i += testkit.Stride() {
			s.targets(c)
		}
		synctest.Wait() // writes in the background are logged there, too
	}
	if logs.Len() < 1000 {
		t.Errorf("the log holds %q", logs.String())
	}
	s.text("log", logs.String())
	s.text("index of the recording", string(recording.Files()[client.RecordingIndex]))
	for name := range recording.Files() {
		s.text("file of the recording", name)
	}
}

// resolve asks for the site, and for all that is in it.
func (s *surface) resolve(c *client.Client) {
	ctx := s.t.Context()
	var trace client.Trace
	site, err := c.Resolve(client.WithTrace(ctx, &trace), "shop.example")
	s.error("Resolve", err)
	s.value("Site", site)
	s.value("Trace", trace)
	s.prompt("Site", func(p *prompt.Prompt) { p.Site(site) })
	var keys []string
	for service, capability := range site.Capabilities() {
		keys = append(keys, service.ID, capability.Key)
	}
	if err == nil && len(keys) < 10 {
		s.t.Errorf("only %d keys in the Site: nothing is tested", len(keys))
	}
	for i, key := range append(keys, s.hostile.Text()) {
		if i > 60 {
			break
		}
		d, err := c.Describe(ctx, site, key)
		s.error("Describe", err)
		s.value("Detail", d)
		s.prompt("Detail", func(p *prompt.Prompt) { p.Detail(d); p.Error(err) })
	}
	for f, err := range c.Probe(ctx, "shop.example") {
		s.error("Probe", err)
		s.value("Finding", f)
	}
	for _, path := range []string{"/.well-known/agent", "/openapi.json", "/none", "/moved/x", "/.well-known/oauth"} {
		r, err := c.ParseURL(ctx, "https://shop.example"+path)
		s.error("ParseURL", err)
		s.value("ParseURL", r)
	}
}

func (s *surface) search(c *client.Client) {
	for _, query := range []string{"q", s.hostile.Text()} {
		r, err := c.Search(s.t.Context(), "registry.example", query)
		s.error("Search", err)
		s.value("SearchResult", r)
	}
}

// targets resolves texts that are no names.
func (s *surface) targets(c *client.Client) {
	for _, target := range []string{s.hostile.Text(), "https://shop.example/" + s.hostile.Text(), "shop.example" + s.hostile.Text()} {
		site, err := c.Resolve(s.t.Context(), target)
		s.error("Resolve", err)
		s.value("Site", site)
		for f, err := range c.Probe(s.t.Context(), target) {
			s.error("Probe", err)
			s.value("Finding", f)
		}
		r, err := c.ParseURL(s.t.Context(), target)
		s.error("ParseURL", err)
		s.value("ParseURL", r)
		_, err = c.Search(s.t.Context(), target, "q")
		s.error("Search", err)
	}
}

// faultyStore fails in the words of somebody else.
type faultyStore struct{ text string }

func (f *faultyStore) Load(context.Context, string) (*cache.Variants, error) {
	return nil, errors.New(f.text)
}

func (f *faultyStore) Save(context.Context, string, *cache.Variants, time.Duration) error {
	return errors.New(f.text)
}

func (f *faultyStore) Delete(context.Context, string) error { return errors.New(f.text) }

func (f *faultyStore) Acquire(context.Context, string, time.Time) (bool, time.Time, func(), error) {
	return false, time.Time{}, nil, errors.New(f.text)
}

func (f *faultyStore) Hold(context.Context, string, time.Time) error { return errors.New(f.text) }

func (f *faultyStore) Close() error { return nil }
