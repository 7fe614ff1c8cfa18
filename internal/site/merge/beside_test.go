package merge_test

import (
	"errors"
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

// Links and policies that a server sends with every answer are in the Site once. Their source is in
// the Site if it added something. A document that was requested has its verdict.
func TestMergeOfLinksOutsideDocuments(t *testing.T) {
	f := &parse.Format{Name: "signs"}
	link := func(to string) wayfind.Document { return wayfind.Document{Rel: "describedby", URL: to} }
	var outcomes []*merge.Outcome
	for _, at := range []string{"https://example.com/a", "https://example.com/b", "https://example.com/c"} {
		r := &parse.Reading{Documents: []wayfind.Document{link("https://example.com/same")}, Policies: []wayfind.Policy{{Kind: "sign", Text: "same"}}}
		if at == "https://example.com/c" {
			r.Documents = append(r.Documents, link(at))
		}
		outcomes = append(outcomes, &merge.Outcome{Candidate: &places.Candidate{URL: at}, Probe: wayfind.Probe{URL: at, Verdict: wayfind.VerdictProtected},
			Beside: []reading.Located{reading.Made(f, wayfind.Source{Format: f.Name, URL: at}, r)}})
	}
	site := merge.Site(merge.Input{Target: resolve.Target{Origin: "https://example.com"}, Outcomes: outcomes, Now: mergedAt})
	asked := link("https://example.com/c")
	asked.Verdict = wayfind.VerdictProtected
	want := &wayfind.Site{
		Documents: []wayfind.Document{link("https://example.com/same"), asked},
		Policies:  []wayfind.Policy{{Kind: "sign", Text: "same"}},
		Sources:   []wayfind.Source{{Format: "signs", URL: "https://example.com/a"}, {Format: "signs", URL: "https://example.com/c"}},
	}
	got := &wayfind.Site{Documents: site.Documents, Policies: site.Policies, Sources: site.Sources, Services: site.Services}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// One wish with two paths is one policy, and a wish about everything covers both.
func TestMergeWishes(t *testing.T) {
	f := &parse.Format{Name: "signs"}
	outcome := func(u string, wishes ...wayfind.Policy) *merge.Outcome {
		return &merge.Outcome{Candidate: &places.Candidate{URL: u}, Beside: []reading.Located{reading.Made(f, wayfind.Source{URL: u}, &parse.Reading{Policies: wishes})}}
	}
	wish := func(kind, value string, paths ...string) wayfind.Policy {
		return wayfind.Policy{Kind: kind, Values: map[string]string{"search": value}, Paths: paths}
	}
	site := merge.Site(merge.Input{Target: resolve.Target{Origin: "https://example.com"}, Now: mergedAt, Outcomes: []*merge.Outcome{
		outcome("https://example.com/a", wish("content_signal", "no", "/a$"), wish("content_usage", "n", "/a$")),
		outcome("https://example.com/b", wish("content_signal", "no", "/b$"), wish("content_signal", "yes", "/b$"), wish("content_usage", "n")),
	}})
	want := []wayfind.Policy{wish("content_signal", "no", "/a$", "/b$"), wish("content_usage", "n"), wish("content_signal", "yes", "/b$")}
	if d := cmp.Diff(want, site.Policies); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A page that is requested only for its links neither removes facts from a Site, nor counts as
// found, nor explains why nothing was found.
func TestMergeOfAPage(t *testing.T) {
	at := func(u string, v wayfind.Verdict, fresh time.Duration, aside bool) *merge.Outcome {
		return &merge.Outcome{Candidate: &places.Candidate{URL: u, Aside: aside}, Probe: wayfind.Probe{URL: u, Verdict: v}, FreshUntil: mergedAt.Add(fresh)}
	}
	for _, v := range wayfind.Verdicts() {
		outcomes := []*merge.Outcome{at("https://example.com/a", wayfind.VerdictAbsent, time.Hour, false), at("https://example.com/", v, time.Minute, true)}
		site := merge.Site(merge.Input{Target: resolve.Target{Origin: "https://example.com"}, Outcomes: outcomes, Now: mergedAt})
		if !site.FreshUntil.Equal(mergedAt.Add(time.Hour)) || len(site.Probes) != 2 {
			t.Errorf("%s: fresh until %v, %d probes", v, site.FreshUntil, len(site.Probes))
		}
		if err := merge.Failure(site, outcomes); !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("%s: %v", v, err)
		}
	}
}
