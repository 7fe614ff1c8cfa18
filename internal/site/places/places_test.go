package places_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

func format(name string, locations ...parse.Location) *parse.Format {
	return &parse.Format{Name: name, Locations: locations}
}

func TestPlanOneCandidatePerURL(t *testing.T) {
	a := format("a", parse.Location{Path: "/.well-known/x", Accept: "application/json"}, parse.Location{Path: "/x", After: "/.well-known/x"})
	b := format("b", parse.Location{Path: "/x", Accept: "text/markdown"})
	b.Limits = parse.Limits{Bytes: 1 << 20, Redirects: -1, SameSiteOnly: true}
	c := format("c", parse.Location{Path: "/card", Base: true}, parse.Location{Path: "/old", After: "/card", Base: true})
	got := places.Plan(resolve.Target{Origin: "https://example.com", Base: "/shop"}, []*parse.Format{a, b, c})
	limits := parse.Limits{}.WithDefaults()
	want := []places.Candidate{
		{URL: "https://example.com/.well-known/x", Formats: []*parse.Format{a}, Accept: "application/json", Limits: limits},
		// b requires it at once, so it is no longer a fallback. The strictest limits apply.
		{URL: "https://example.com/x", Formats: []*parse.Format{a, b}, Accept: "text/markdown",
			Limits: parse.Limits{Bytes: 1 << 20, Items: 1000, Redirects: 0, SameSiteOnly: true}},
		{URL: "https://example.com/shop/card", Formats: []*parse.Format{c}, Accept: "application/json, text/markdown;q=0.9, text/plain;q=0.8", Limits: limits},
		{URL: "https://example.com/shop/old", Formats: []*parse.Format{c}, After: []string{"https://example.com/shop/card"},
			Accept: "application/json, text/markdown;q=0.9, text/plain;q=0.8", Limits: limits},
	}
	same := cmp.Comparer(func(x, y *parse.Format) bool { return x == y })
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(places.Candidate{}), same, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("Plan (-want +got):\n%s", d)
	}
}

func TestFollow(t *testing.T) {
	a, b := format("a"), format("b")
	links := []parse.Link{
		{URLs: []string{"https://example.com/1", "https://example.com/2"}, Format: "b"},
		{URLs: []string{"https://example.com/3"}},
		{URLs: []string{"https://example.com/4"}, Lazy: true},
		{URLs: []string{"https://example.com/5"}, Format: "nobody"},
	}
	got, _, _ := places.Follow(&places.Candidate{URL: "https://example.com/doc"}, false, 1, links, []*parse.Format{a, b})
	var urls []string
	for _, c := range got {
		urls = append(urls, c.URL)
		if c.Depth != 1 || c.From != "https://example.com/doc" {
			t.Errorf("%s: depth %d from %q", c.URL, c.Depth, c.From)
		}
	}
	if d := cmp.Diff([]string{"https://example.com/1", "https://example.com/2", "https://example.com/3"}, urls); d != "" {
		t.Errorf("URLs (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"https://example.com/1"}, got[1].After); d != "" {
		t.Errorf("the second URL of a link comes after the first (-want +got):\n%s", d)
	}
	if len(got[0].Formats) != 1 || got[0].Formats[0] != b || got[2].Formats != nil {
		t.Errorf("formats: %v, %v", got[0].Formats, got[2].Formats)
	}
}

// A fallback follows the place that it names, in any position.
func TestPlanAfterAnotherBase(t *testing.T) {
	f := format("f", parse.Location{Path: "/.well-known/x"}, parse.Location{Path: "/x", After: "/.well-known/x", Base: true})
	got := places.Plan(resolve.Target{Origin: "https://example.com", Base: "/shop"}, []*parse.Format{f})
	if d := cmp.Diff([]string{"https://example.com/.well-known/x"}, got[1].After); d != "" || got[1].URL != "https://example.com/shop/x" {
		t.Errorf("%s after (-want +got):\n%s", got[1].URL, d)
	}
}

// A well-known name is inserted before the path of a target, and is at the root next, unless a format
// requires it there at once.
func TestPlanInsertsTheName(t *testing.T) {
	f := format("f", parse.Location{Path: "/.well-known/x", Insert: true}, parse.Location{Path: "/old", After: "/.well-known/x"})
	g := format("g", parse.Location{Path: "/.well-known/x"})
	for _, r := range []struct {
		base    string
		formats []*parse.Format
		want    []string // URLs, and those after which they are asked
	}{
		{"", []*parse.Format{f}, []string{"/.well-known/x", "/old after /.well-known/x"}},
		{"/mcp", []*parse.Format{f}, []string{"/.well-known/x/mcp", "/.well-known/x else /.well-known/x/mcp", "/old after /.well-known/x"}},
		{"/mcp", []*parse.Format{f, g}, []string{"/.well-known/x/mcp", "/.well-known/x", "/old after /.well-known/x"}},
		{"/mcp", []*parse.Format{g, f}, []string{"/.well-known/x", "/.well-known/x/mcp", "/old after /.well-known/x"}},
	} {
		var got []string
		for _, c := range places.Plan(resolve.Target{Origin: "https://a.example", Base: r.base}, r.formats) {
			var text strings.Builder
			text.WriteString(c.URL)
			if c.Else != "" {
				text.WriteString(" else " + c.Else)
			}
			for _, u := range c.After {
				text.WriteString(" after " + u)
			}
			got = append(got, strings.ReplaceAll(text.String(), "https://a.example", ""))
		}
		if d := cmp.Diff(r.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", r.base, d)
		}
	}
}

// A layout returns the same plan as for the target alone, with the names of formats.
func TestALayoutIsThePlanOfEachTarget(t *testing.T) {
	all := formats.All()
	layout := places.NewLayout(all)
	for _, target := range []resolve.Target{{Origin: "https://example.com"}, {Origin: "https://shop.example:8443"}, {Origin: "https://example.com", Base: "/shop"}} {
		want, got := places.Plan(target, all), layout.Plan(target)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(places.Candidate{}), cmp.Comparer(func(a, b *parse.Format) bool { return a == b })); diff != "" || len(got) == 0 {
			t.Errorf("%v (-alone +layout)\n%s", target, diff)
		}
		for i := range got {
			if diff := cmp.Diff(want[i].Names(), got[i].Names()); diff != "" || len(got[i].Names()) == 0 {
				t.Errorf("%s (-alone +layout)\n%s", got[i].URL, diff)
			}
		}
	}
}
