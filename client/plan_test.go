package client_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// probed maps the paths of a Site's probes to their verdicts.
func probed(site *wayfind.Site) map[string]wayfind.Verdict {
	m := map[string]wayfind.Verdict{}
	for _, p := range site.Probes {
		m[strings.TrimPrefix(p.URL, site.Origin)] = p.Verdict
	}
	return m
}

// A fallback is asked after a plain "no", and after nothing else.
func TestFallback(t *testing.T) {
	f := func() *parse.Format {
		return toy("toy", parse.Location{Path: "/first"}, parse.Location{Path: "/second", After: "/first"}, parse.Location{Path: "/third", After: "/second"})
	}
	rows := []struct {
		name  string
		pages clienttest.Pages
		first clienttest.Page
		want  []string
	}{
		{"found at once", clienttest.Pages{}, clienttest.Page{Body: `{"toy": ["a"]}`}, []string{"/first"}},
		{"absent", clienttest.Pages{"/second": `{"toy": ["a"]}`}, clienttest.Page{Status: 404}, []string{"/first", "/second"}},
		{"absent twice", clienttest.Pages{"/third": `{"toy": ["a"]}`}, clienttest.Page{Status: 404}, []string{"/first", "/second", "/third"}},
		{"forbidden is no no", clienttest.Pages{"/second": `{"toy": ["a"]}`}, clienttest.Page{Status: 403}, []string{"/first"}},
		{"a web page is no no", clienttest.Pages{"/second": `{"toy": ["a"]}`}, clienttest.Page{Body: "<html>"}, []string{"/first"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", r.pages)
				host.Handle("/first", r.first)
				_, _ = newClient(t, internet, withFormats(f())).Resolve(t.Context(), "shop.example")
				if d := cmp.Diff(r.want, host.Paths()); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
			})
		})
	}
}

// Links are followed within the site, each once, as deep as Follow allows. Their documents have
// lower authority.
func TestLinks(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		pages := clienttest.Pages{
			"/root": `{"toy": ["a"], "links": ["https://shop.example/1", "https://shop.example/1", "https://elsewhere.example/x", "http://shop.example/plain", "https://shop.example/root"]}`,
			"/1":    `{"toy": ["b"], "links": ["https://shop.example/2"]}`,
			"/2":    `{"toy": ["c"], "links": ["https://shop.example/3"]}`,
			"/3":    `{"toy": ["d"]}`,
		}
		host := internet.Host("shop.example", pages)
		elsewhere := internet.Host("elsewhere.example", clienttest.Pages{"/x": `{"toy": ["x"]}`})
		site, err := newClient(t, internet, withFormats(toy("toy", parse.Location{Path: "/root"}))).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"/root", "/1", "/2"}, host.Paths()); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
		if len(elsewhere.Paths()) != 0 {
			t.Errorf("followed to another site: %v", elsewhere.Paths())
		}
		var authorities []wayfind.Authority
		for _, s := range site.Sources {
			authorities = append(authorities, s.Authority)
		}
		if !slices.Equal(authorities, []wayfind.Authority{wayfind.AuthorityNative, wayfind.AuthorityLinked, wayfind.AuthorityLinked}) {
			t.Errorf("authorities %v", authorities)
		}
	})
}

func TestBudget(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{})
		var locations []parse.Location
		for i := range 5 {
			locations = append(locations, parse.Location{Path: fmt.Sprintf("/%d", i)})
		}
		c := newClient(t, internet, withFormats(toy("toy", locations...)), func(o *client.Options) { o.Limits.Budget = 3 })
		site, _ := c.Resolve(t.Context(), "shop.example")
		if len(host.Paths()) != 3 || probed(site)["/4"] != wayfind.VerdictSkipped || site.Probes[4].Reason != "budget" {
			t.Errorf("asked for %v: %v", host.Paths(), site.Probes)
		}
	})
}

// If a format panics, only the reading of its own document is lost.
func TestFormatPanics(t *testing.T) {
	for _, where := range []string{"match", "parse"} {
		t.Run(where, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{"/bad": `{"bad": ["a"]}`, "/good": `{"good": ["b"]}`})
				bad := toy("bad", parse.Location{Path: "/bad"})
				if where == "match" {
					bad.Match = func(in *parse.Input) parse.Claim {
						if in.URL.Path == "/bad" {
							panic("a bug in match")
						}
						return parse.Claim{}
					}
				} else {
					bad.Parse = func(*parse.Input) (*parse.Reading, error) { panic("a bug in parse") }
				}
				site, err := newClient(t, internet, withFormats(bad, toy("good", parse.Location{Path: "/good"}))).Resolve(t.Context(), "shop.example")
				if err != nil || len(site.Services) != 1 || site.Services[0].ID != "good" {
					t.Fatalf("%v, %+v", err, site)
				}
				if p := site.Probes[0]; p.Verdict != wayfind.VerdictMalformed || p.Reason != string(wayfind.CodePanic) || !strings.Contains(p.Error, "a bug in "+where) {
					t.Errorf("probe %+v", p)
				}
			})
		})
	}
}

// Several formats may be certain about one document. A likely one reads it only if no format is
// certain.
func TestContentDecides(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/x": `{"a": ["1"], "b": ["2"], "c": ["3"]}`})
		a, b, c := toy("a", parse.Location{Path: "/x"}), toy("b", parse.Location{Path: "/y"}), toy("c", parse.Location{Path: "/x"})
		match := c.Match
		c.Match = func(in *parse.Input) parse.Claim {
			claim := match(in)
			if claim.Level == parse.Exact {
				claim.Level = parse.Likely
			}
			return claim
		}
		resolved := func(formats ...*parse.Format) []string {
			site, err := newClient(t, internet, withFormats(formats...)).Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, s := range site.Services {
				ids = append(ids, s.ID)
			}
			return ids
		}
		if d := cmp.Diff([]string{"a", "b"}, resolved(c, a, b)); d != "" {
			t.Errorf("all that are sure (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"c"}, resolved(c)); d != "" {
			t.Errorf("the likely one alone (-want +got):\n%s", d)
		}
	})
}

func TestStrict(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		body := strings.Replace(manifest("shop.example", "/a"), `"1.0"`, `1.0`, 1)
		internet.Host("shop.example", clienttest.Pages{wellKnown: body})
		if _, err := newClient(t, internet).Resolve(t.Context(), "shop.example"); err != nil {
			t.Errorf("leniently: %v", err)
		}
		site, err := newClient(t, internet, func(o *client.Options) { o.Strict = true }).Resolve(t.Context(), "shop.example")
		if p := only(t, site); !errors.Is(err, wayfind.ErrInvalid) || p.Verdict != wayfind.VerdictMalformed || p.Reason != "strict" || len(site.Diagnostics) == 0 {
			t.Errorf("strictly: %v, %+v, %v", err, p, site.Diagnostics)
		}
	})
}

func TestOptionsRefused(t *testing.T) {
	good := func() *parse.Format { return toy("good", parse.Location{Path: "/x"}) }
	change := func(f func(*parse.Format)) []*parse.Format {
		g := good()
		f(g)
		return []*parse.Format{g}
	}
	for name, o := range map[string]*client.Options{
		"nil format":        {Formats: []*parse.Format{nil}},
		"twice":             {Formats: []*parse.Format{good(), good()}},
		"bad name":          {Formats: change(func(f *parse.Format) { f.Name = "Not a name" })},
		"no match":          {Formats: change(func(f *parse.Format) { f.Match = nil })},
		"no parse":          {Formats: change(func(f *parse.Format) { f.Parse = nil })},
		"relative path":     {Formats: change(func(f *parse.Format) { f.Locations[0].Path = "x" })},
		"two slashes":       {Formats: change(func(f *parse.Format) { f.Locations[0].Path = "//evil.example/x" })},
		"after nothing":     {Formats: change(func(f *parse.Format) { f.Locations[0].After = "/y" })},
		"negative timeout":  {Timeout: -1},
		"negative capacity": {Limits: client.Limits{MaxBytes: -1}},
		"nil store":         {Store: (*memory.Store)(nil)},
		"nil resolver":      {Network: client.Network{Resolver: (*noNames)(nil)}},
		"nil prober":        {Live: []client.LiveProber{(*noProber)(nil)}},
		"zero logger":       {Logger: &slog.Logger{}},
	} {
		if c, err := client.New(o); !errors.Is(err, wayfind.ErrInvalid) || c != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// noNames and noProber are types whose nil pointers cannot be used.
type (
	noNames  struct{ client.Resolver }
	noProber struct{ client.LiveProber }
)

// Options are copied: later changes by the caller have no effect.
func TestOptionsAreCopied(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/x": `{"toy": ["a"]}`})
		opts := internet.Options()
		opts.Formats = []*parse.Format{toy("toy", parse.Location{Path: "/x"})}
		c, err := client.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		opts.Formats[0] = toy("other", parse.Location{Path: "/y"})
		opts.Policy = security.Guard{}
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Error(err)
		}
	})
}

// A request is refused before it is sent, and by the guard of a Client that was configured to allow
// more.
func TestGuard(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.DNS("inside.example", clienttest.Addrs(internet.NewAddr(), addr("10.1.2.3")))
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "inside.example")
		var e *wayfind.Error
		if !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeBlockedAddress || only(t, site).Verdict != wayfind.VerdictRefused {
			t.Errorf("a mixed answer: %v", err)
		}
		n := len(internet.Lookups())
		time.Sleep(time.Minute)
		if _, err := c.Resolve(t.Context(), "inside.example"); !errors.Is(err, wayfind.ErrRefused) || len(internet.Lookups()) != n {
			t.Errorf("asked again: %v", err)
		}
	})
}
