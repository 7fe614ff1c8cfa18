package merge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// The rules of robots.txt, cautions and pins are added to the Site in this order. Pins are compared
// with the finished Site.
func TestPinsAreComparedWithTheFinishedSite(t *testing.T) {
	f := &parse.Format{Name: "dishes"}
	const place = "https://example.com/dishes"
	services := []wayfind.Service{{ID: "s", Capabilities: []wayfind.Capability{
		{ID: "own", Invocation: &wayfind.Invocation{URL: "https://example.com/private/own"}},
		{ID: "other", Invocation: &wayfind.Invocation{URL: "https://example.org/private/other"}},
		{ID: "open", Invocation: &wayfind.Invocation{URL: "https://example.com/open"}},
	}}}
	asked := ""
	in := merge.Input{
		Target: resolve.Target{Origin: "https://example.com"}, Now: mergedAt, CutShort: true,
		Diagnostics: []wayfind.Diagnostic{{Code: "target"}}, Cautions: []wayfind.Diagnostic{{Code: "caution"}},
		Outcomes: []*merge.Outcome{{
			Candidate: &places.Candidate{URL: place}, Probe: wayfind.Probe{URL: place, Verdict: wayfind.VerdictFound}, FreshUntil: mergedAt.Add(time.Hour),
			Diagnostics: []wayfind.Diagnostic{{Code: "document"}},
			Readings:    []reading.Located{reading.Made(f, wayfind.Source{URL: place}, &parse.Reading{Services: services})},
		}, {
			Candidate: &places.Candidate{URL: "https://example.com/skipped"},
			Probe:     wayfind.Probe{URL: "https://example.com/skipped", Verdict: wayfind.VerdictSkipped, Reason: string(wayfind.CodeRobots)},
		}},
		Robots: &merge.Robots{
			Policies: []wayfind.Policy{{Kind: "robots"}}, Diagnostics: []wayfind.Diagnostic{{Code: "robots"}},
			Forbids: func(u string) bool { asked += u + "\n"; return strings.Contains(u, "/private/") },
		},
		Pins: func(site *wayfind.Site) []wayfind.Diagnostic {
			return []wayfind.Diagnostic{{Code: "pins saw " + site.Diagnostics[len(site.Diagnostics)-1].Code}}
		},
	}
	site := merge.Site(in)
	var got []string
	for _, d := range site.Diagnostics {
		got = append(got, d.Code)
	}
	for _, c := range site.Services[0].Capabilities {
		if c.RobotsDisallowed {
			got = append(got, "forbidden "+c.Key)
		}
	}
	for _, p := range site.Probes {
		if p.RobotsDisallowed {
			got = append(got, "forbidden "+p.URL)
		}
	}
	want := []string{"target", "document", "robots", "caution", "pins saw caution", "forbidden dishes:own", "forbidden https://example.com/skipped"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(site.Policies) != 1 || !site.FreshUntil.Equal(mergedAt) || strings.Contains(asked, "example.org") {
		t.Errorf("%d policies, fresh until %v, asked about %q", len(site.Policies), site.FreshUntil, asked)
	}
	if services[0].Capabilities[0].RobotsDisallowed {
		t.Error("Merge changed what it was given")
	}
	in.CutShort, in.Outcomes = false, in.Outcomes[:1]
	if site := merge.Site(in); !site.FreshUntil.Equal(mergedAt.Add(time.Hour)) {
		t.Errorf("fresh until %v", site.FreshUntil)
	}
}
