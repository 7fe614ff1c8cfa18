package merge_test

import (
	"math/rand/v2"
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

func format(name string, locations ...parse.Location) *parse.Format {
	return &parse.Format{Name: name, Locations: locations}
}

// outcomes is a plan with two sources, a copy of the first, and a miss.
func outcomes(plan []places.Candidate, f, g *parse.Format, now time.Time) []*merge.Outcome {
	read := func(i int, f *parse.Format, sha string, authority wayfind.Authority, ids ...string) *merge.Outcome {
		service := wayfind.Service{Name: f.Name}
		for _, id := range ids {
			service.Capabilities = append(service.Capabilities, wayfind.Capability{ID: id, Kind: wayfind.KindOperation, DependsOn: []string{ids[0]}})
		}
		return &merge.Outcome{
			Candidate: &plan[i], FreshUntil: now.Add(time.Duration(i+1) * time.Hour),
			Probe: wayfind.Probe{URL: plan[i].URL, Verdict: wayfind.VerdictFound, Format: f.Name},
			Readings: []reading.Located{reading.Made(f, wayfind.Source{Format: f.Name, URL: plan[i].URL, SHA256: sha, Authority: authority},
				&parse.Reading{Services: []wayfind.Service{service}})},
			Diagnostics: []wayfind.Diagnostic{{Code: f.Name + ".x"}},
		}
	}
	return []*merge.Outcome{
		read(0, f, "11", wayfind.AuthorityProse, "a", "b", "a"),
		read(1, g, "22", wayfind.AuthorityNative, "a"),
		read(2, f, "11", wayfind.AuthorityProse, "a", "b", "a"),
		{Candidate: &plan[3], Probe: wayfind.Probe{URL: plan[3].URL, Verdict: wayfind.VerdictAbsent, Status: 404}, FreshUntil: now.Add(24 * time.Hour)},
	}
}

func TestMerge(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := format("f", parse.Location{Path: "/1"}, parse.Location{Path: "/3"})
	g := format("g", parse.Location{Path: "/cards/My_Card.json"}, parse.Location{Path: "/4"})
	g.PerSource = true
	target := resolve.Target{Origin: "https://example.com"}
	plan := places.Plan(target, []*parse.Format{f, g})
	plan[1], plan[2] = plan[2], plan[1] // f /1, g card, f /3, g /4
	site := merge.Site(merge.Input{Target: target, Plan: plan, Outcomes: outcomes(plan, f, g, now), Now: now})

	var keys []string
	for _, c := range site.Capabilities() {
		keys = append(keys, c.Key)
	}
	// The native source comes first; a duplicate id gets ~2; the same bytes
	// at a second place add nothing.
	if d := cmp.Diff([]string{"g:cards-my-card/a", "f:a", "f:b", "f:a~2"}, keys); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"https://example.com/3"}, site.Sources[1].AlsoAt); d != "" || len(site.Sources) != 2 {
		t.Errorf("sources: %v\n%s", site.Sources, d)
	}
	if _, c := site.Capability("f:b"); c == nil || c.DependsOn[0] != "f:a" {
		t.Errorf("f:b = %+v: its dependency should be a key", c)
	}
	if site.Services[0].ID != "g:cards-my-card" || site.Services[1].ID != "f" {
		t.Errorf("service IDs %q, %q", site.Services[0].ID, site.Services[1].ID)
	}
	if !site.ResolvedAt.Equal(now) || !site.FreshUntil.Equal(now.Add(time.Hour)) {
		t.Errorf("resolved %v, fresh until %v; want the earliest of all probes", site.ResolvedAt, site.FreshUntil)
	}
	if len(site.Probes) != 4 || site.Probes[3].Verdict != wayfind.VerdictAbsent {
		t.Errorf("probes: %v", site.Probes)
	}
}

func TestMergeOrderOfArrival(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := format("f", parse.Location{Path: "/1"}, parse.Location{Path: "/3"})
	g := format("g", parse.Location{Path: "/2"}, parse.Location{Path: "/4"})
	target := resolve.Target{Origin: "https://example.com"}
	plan := places.Plan(target, []*parse.Format{f, g})
	want := merge.Site(merge.Input{Target: target, Plan: plan, Outcomes: outcomes(plan, f, g, now), Now: now})
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		list := outcomes(plan, f, g, now)
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if d := cmp.Diff(want, merge.Site(merge.Input{Target: target, Plan: plan, Outcomes: list, Now: now})); d != "" {
			t.Fatalf("the order of arrival shows (-want +got):\n%s", d)
		}
	}
}

func TestSlug(t *testing.T) {
	for source, want := range map[string]string{
		"https://example.com/.well-known/agent-card.json": "agent-card",
		"https://example.com/a/B_c.d.yaml":                "a-b-c-d",
		"https://example.com/":                            "root",
		"https://api.example.com/openapi.json":            "api-example-com-openapi",
		"https://example.com/v1.2/spec":                   "v1-2-spec",
	} {
		if got := merge.Slug(source, "example.com"); got != want {
			t.Errorf("Slug(%q) = %q, want %q", source, got, want)
		}
	}
}

// Two services with the same slug get different keys in the order of the plan. A service never gets
// the key of a capability.
func TestKeysOfTwoSources(t *testing.T) {
	f := format("f")
	f.PerSource = true
	keys := merge.NewKeys(nil, "example.com")
	var got []string
	for _, u := range []string{"https://example.com/x", "https://example.com/.well-known/x"} {
		r := reading.Made(f, wayfind.Source{URL: u}, &parse.Reading{
			Services: []wayfind.Service{{ID: "send", Capabilities: []wayfind.Capability{{ID: "send"}}}}})
		for _, s := range keys.Services(r) {
			got = append(got, s.ID, s.Capabilities[0].Key)
		}
	}
	if d := cmp.Diff([]string{"f:x/send", "f:x/send", "f:x~2/send", "f:x~2/send"}, got); d != "" {
		t.Errorf("IDs and keys (-want +got):\n%s", d)
	}
}
