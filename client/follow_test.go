package client_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// toyIndex returns a format whose documents list others. Links to a document that is called a list
// are marked as such.
func toyIndex(name string, locations ...parse.Location) *parse.Format {
	f := toy(name, locations...)
	f.Index = true
	read := f.Parse
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		for i := range r.Links {
			if strings.Contains(r.Links[i].URLs[0], "/list") {
				r.Links[i].Format = name
			}
		}
		return r, nil
	}
	return f
}

// list is a document of toyIndex.
func list(links ...string) string {
	return fmt.Sprintf(`{"list": [], "links": ["%s"]}`, strings.Join(links, `", "`))
}

const shopURL = "https://shop.example"

// followSite resolves shop.example with a list at /list and a toy at /toy, and
// returns the Site and the paths that were asked for after these.
func followSite(t *testing.T, pages clienttest.Pages, change ...func(*client.Options)) (site *wayfind.Site, paths []string) {
	t.Helper()
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", pages)
		formats := withFormats(toy("toy", parse.Location{Path: "/toy"}), toyIndex("list", parse.Location{Path: "/list"}))
		site, _ = newClient(t, internet, append([]func(*client.Options){formats}, change...)...).Resolve(t.Context(), "shop.example")
		for _, p := range host.Paths() {
			if p != "/toy" && p != "/list" && !strings.HasPrefix(p, "/.well-known/wayfind-") {
				paths = append(paths, p)
			}
		}
	})
	return site, paths
}

// Up to three indexes are nested, beginning with one on the origin. Documents are followed in
// addition, as far as Follow allows.
func TestThreeIndexesNestAtMost(t *testing.T) {
	site, paths := followSite(t, clienttest.Pages{
		"/list":  list(shopURL + "/list2"),
		"/list2": list(shopURL + "/list3"),
		"/list3": list(shopURL+"/list4", shopURL+"/card"),
		"/list4": list(shopURL + "/never"),
		"/card":  `{"toy": ["a"], "links": ["https://shop.example/api"]}`,
		"/api":   `{"toy": ["b"], "links": ["https://shop.example/more"]}`,
		"/more":  `{"toy": ["c"]}`,
	})
	if d := cmp.Diff([]string{"/list2", "/list3", "/card", "/api"}, paths); d != "" {
		t.Errorf("asked for (-want +got):\n%s", d)
	}
	if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool {
		return d.Code == "follow.depth" && d.Source == shopURL+"/list3" && strings.HasPrefix(d.Message, "1 links")
	}) {
		t.Errorf("what was cut is not counted: %v", site.Diagnostics)
	}
}

// The content decides what a link leads to. A list is a list even if its link does not call it one,
// and a document is none even if its link does.
func TestTheContentDecidesTheKindOfALinkedDocument(t *testing.T) {
	_, paths := followSite(t, clienttest.Pages{
		"/list":      list(shopURL+"/hidden", shopURL+"/list-card"),
		"/hidden":    list(shopURL + "/hidden2"),
		"/hidden2":   list(shopURL + "/hidden3"),
		"/hidden3":   list(shopURL + "/never"),
		"/list-card": `{"toy": ["a"], "links": ["https://shop.example/2"]}`,
		"/2":         `{"toy": ["b"], "links": ["https://shop.example/3"]}`,
		"/3":         `{"toy": ["c"]}`,
	})
	slices.Sort(paths)
	if d := cmp.Diff([]string{"/2", "/hidden", "/hidden2", "/hidden3", "/list-card"}, paths); d != "" {
		t.Errorf("asked for (-want +got):\n%s", d)
	}
}

// Each URL once, in all its spellings and by all its redirects.
func TestEachURLIsAskedOnceInAllItsSpellings(t *testing.T) {
	rows := []struct {
		name  string
		pages clienttest.Pages
		away  string
		want  []string
	}{
		{"itself", clienttest.Pages{"/list": list(shopURL+"/list", shopURL+"/list#x", "https://SHOP.example/list", shopURL+":443/list", shopURL+"/%6Cist", shopURL+"/a/../list")}, "", nil},
		{"there and back", clienttest.Pages{"/list": list(shopURL + "/list2"), "/list2": list(shopURL+"/list", shopURL+"/list2")}, "", []string{"/list2"}},
		{"two ways to one document", clienttest.Pages{"/list": list(shopURL+"/a", shopURL+"/list2"), "/list2": list(shopURL + "/a"), "/a": `{"toy": ["a"]}`}, "", []string{"/a", "/list2"}},
		{"where a redirect led", clienttest.Pages{"/list": list(shopURL + "/list2"), "/list2": list(shopURL + "/final"), "/final": `{"toy": ["a"]}`}, "/final", []string{"/list2", "/away", "/final"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			var paths []string
			if r.away == "" {
				_, paths = followSite(t, r.pages)
				slices.Sort(paths)
			} else {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", r.pages)
					host.Handle("/list", page(list(shopURL+"/away", shopURL+"/list2")))
					host.Handle("/away", clienttest.Redirect(302, shopURL+r.away))
					_, _ = newClient(t, internet, withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy"))).Resolve(t.Context(), "shop.example")
					paths = host.Paths()
					slices.Sort(paths)
					r.want = []string{"/away", "/final", "/list", "/list2"}
				})
			}
			if d := cmp.Diff(r.want, paths); d != "" {
				t.Errorf("asked for (-want +got):\n%s", d)
			}
		})
	}
}

// The places of formats come first, and links share the rest of the budget in the order of the
// document. A Site does not list every link that was not followed.
func TestPlacesComeBeforeLinks(t *testing.T) {
	var links []string
	for i := range 500 {
		links = append(links, fmt.Sprintf("%s/%03d", shopURL, i))
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/list": list(links...), "/third": `{"toy": ["a"]}`})
		formats := withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy", parse.Location{Path: "/first"},
			parse.Location{Path: "/second", After: "/first"}, parse.Location{Path: "/third", After: "/second"}))
		site, err := newClient(t, internet, formats, func(o *client.Options) { o.Limits.Budget = 6 }).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		got := host.Paths()
		slices.Sort(got)
		if d := cmp.Diff([]string{"/000", "/001", "/first", "/list", "/second", "/third"}, got); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
		skipped := 0
		for _, p := range site.Probes {
			if p.Reason == "budget" {
				skipped++
			}
		}
		if said := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool {
			return d.Code == "follow.budget" && strings.HasPrefix(d.Message, "498 links")
		}); skipped != 100 || !said {
			t.Errorf("%d links are listed as skipped, and the number is said: %v", skipped, said)
		}
	})
}

// Neither another site nor one with which a public suffix is shared is
// asked; the hosts of the site are.
func TestNoOtherSiteIsAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.github.io", clienttest.Pages{"/list": list("https://mcp.shop.github.io/card", "https://other.github.io/card", "https://github.io/card", "https://else.example/card")})
		sibling := internet.Host("mcp.shop.github.io", clienttest.Pages{"/card": `{"toy": ["a"]}`})
		var others []*clienttest.Host
		for _, name := range []string{"other.github.io", "github.io", "else.example"} {
			others = append(others, internet.Host(name, clienttest.Pages{"/card": `{"toy": ["x"]}`}))
		}
		site, err := newClient(t, internet, withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy"))).Resolve(t.Context(), "shop.github.io")
		if err != nil || len(host.Paths()) != 1 || len(sibling.Paths()) != 1 || len(site.Services) != 2 {
			t.Errorf("%v, asked %v and %v", err, host.Paths(), sibling.Paths())
		}
		for _, h := range others {
			if len(h.Paths()) != 0 {
				t.Errorf("another site was asked: %v", h.Paths())
			}
		}
	})
}

// A list alone is no match. A document that it links to may be.
func TestAListAloneIsNoMatch(t *testing.T) {
	for _, row := range []struct {
		card string
		want []string
	}{{`{"toy": ["a"]}`, []string{"/list", "/card"}}, {"<html>", []string{"/list", "/card", "/last"}}} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Pages{"/list": list(shopURL + "/card"), "/card": row.card, "/last": `{"last": ["b"]}`})
			formats := withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("last", parse.Location{Path: "/last"}), toy("toy"))
			if _, err := newClient(t, internet, formats, func(o *client.Options) { o.Mode = client.FirstMatch }).Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(row.want, host.Paths()); d != "" {
				t.Errorf("asked for (-want +got):\n%s", d)
			}
		})
	}
}

// A link to a place that is only asked after another one is a reason to ask.
func TestLinkToAFallback(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/list": list(shopURL+"/second", shopURL+"/first"), "/first": `{"toy": ["a"]}`, "/second": `{"toy": ["b"]}`})
		formats := withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy", parse.Location{Path: "/first"}, parse.Location{Path: "/second", After: "/first"}))
		site, err := newClient(t, internet, formats).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		got := host.Paths()
		slices.Sort(got)
		if d := cmp.Diff([]string{"/first", "/list", "/second"}, got); d != "" || site.Source(shopURL+"/second").Authority != wayfind.AuthorityNative {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
	})
}

// One round trip for each level, and one connection.
func TestEachLevelCostsOneRoundTrip(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(time.Second)
		host := internet.Host("shop.example", clienttest.Pages{"/list": list(shopURL + "/list2"), "/list2": list(shopURL + "/card"), "/card": `{"toy": ["a"]}`})
		start := time.Now()
		formats := withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy"))
		if _, err := newClient(t, internet, formats).Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 5*time.Second || host.Dials() != 1 {
			t.Errorf("%v and %d connections, want 3+2 round trips and one", took, host.Dials())
		}
	})
}

// listingSite lists more than is asked for, and too deep.
func listingSite(t *testing.T, internet *clienttest.Internet) *wayfind.Site {
	t.Helper()
	const at = "https://many.example"
	internet.Host("many.example", clienttest.Pages{
		"/list": list(at + "/list2"), "/list2": list(at + "/list3"), "/list3": list(at+"/list4", at+"/a", at+"/b"),
	})
	few := func(o *client.Options) { o.Limits.Budget = 4 }
	site, err := newClient(t, internet, withFormats(toyIndex("list", parse.Location{Path: "/list"})), few).Resolve(t.Context(), "many.example")
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// catalogueSite has a catalogue whose entries are wrong in many ways.
func catalogueSite(t *testing.T, internet *clienttest.Internet) *wayfind.Site {
	t.Helper()
	const at = "https://entries.example"
	nested := `{"specVersion": "1.0", "entries": []}`
	for range 4 {
		nested = `{"specVersion": "1.0", "entries": [{"identifier": "n", "type": "application/ai-catalog+json", "data": ` + nested + `}]}`
	}
	entries := []string{
		`{"identifier": "a", "type": "application/a2a-agent-card+json", "url": "` + at + `/gone"}`,
		`{"identifier": "urn:air:bank.example:b", "type": "text/plain", "url": "` + at + `/b"}`,
		`{"identifier": "urn:air:entries.example:g", "type": "text/plain", "url": "https://else.example/g"}`,
		`{"identifier": "c", "type": "text/plain", "data": {"a": 1}, "digest": "sha256:` + strings.Repeat("0", 64) + `"}`,
		`{"identifier": "d", "type": "text/plain", "url": "` + at + wellKnown + `", "digest": "sha256:` + strings.Repeat("0", 64) + `"}`,
		`{"identifier": "e", "type": "application/ai-catalog+json", "data": ` + nested + `}`,
	}
	many := `{"specVersion": "1.0", "entries": [` + strings.TrimSuffix(strings.Repeat(`{"id": "x", "type": "y"},`, 1000), ",") + `]}`
	for range 2 {
		entries = append(entries, `{"identifier": "f", "type": "application/ai-catalog+json", "data": `+many+`}`)
	}
	internet.Host("entries.example", clienttest.Pages{
		wellKnown: manifest("entries.example", "/a"), "/.well-known/ai-catalog.json": `{"specVersion": "1.0", "entries": [` + strings.Join(entries, ",") + `]}`,
	})
	site, err := newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "entries.example")
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// In FirstMatch too, a budget that one format's links spend leaves room for the places of
// the formats that come after it.
func TestLinksLeaveRoomForPlacesInFirstMatch(t *testing.T) {
	var urls []string
	for i := range 100 {
		urls = append(urls, shopURL+"/none"+strconv.Itoa(i))
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/list": list(urls...), "/late": `{"toy": ["a"]}`})
		site, err := newClient(t, internet, withFormats(toyIndex("list", parse.Location{Path: "/list"}), toy("toy", parse.Location{Path: "/early"}, parse.Location{Path: "/late", After: "/early"})), func(o *client.Options) {
			o.Mode, o.Limits.Budget = client.FirstMatch, 8
		}).Resolve(t.Context(), "shop.example")
		got := host.Paths()
		if err != nil || len(got) != 8 || !slices.Contains(got, "/early") || !slices.Contains(got, "/late") || site.Service("toy") == nil {
			t.Errorf("%v, %+v; asked for %v", err, site.Services, got)
		}
	})
}
