package sitecheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// A description at a place of convention is read, and is no document that was offered to agents: the level does
// not rise by it alone.
func TestAnUnlinkedDescriptionIsNotOffered(t *testing.T) {
	in := ready()
	in.Site.Sources, in.Site.Probes = in.Site.Sources[1:], in.Site.Probes[1:]
	in.Site.Sources[0].Authority = wayfind.AuthorityConventional
	r := sitecheck.Check(in)
	if got := r.Result("openapi"); got.Status != sitecheck.Pass {
		t.Errorf("openapi: %s (%s)", got.Status, got.Why)
	}
	if got := r.Result("described"); got.Status != sitecheck.Absent || !strings.Contains(got.Why, "no document links to it") || r.Level != 1 || r.Next[0].Document.Place != "/.well-known/api-catalog" {
		t.Errorf("described: %s (%s), level %d, next %+v", got.Status, got.Why, r.Level, r.Next)
	}
}

// The places of convention are those of the format. --full asks for those that discovery did not ask for, unless
// robots.txt forbids them, or another list of the site's APIs was read.
func TestFullAsksForTheOtherPlacesOfConvention(t *testing.T) {
	all := formats.All()
	var places []string
	for _, l := range all[slices.IndexFunc(all, func(f *parse.Format) bool { return f.Name == "openapi" })].Locations {
		places = append(places, l.Path)
	}
	skipped := func(path string, why wayfind.Code) wayfind.Probe {
		return wayfind.Probe{URL: origin + path, Verdict: wayfind.VerdictSkipped, Reason: string(why)}
	}
	for name, row := range map[string]struct {
		probes []wayfind.Probe
		want   []string
	}{
		"a catalogue was read": {nil, places[:1]},
		"the first is absent":  {[]wayfind.Probe{probe(places[0], wayfind.VerdictAbsent, 404)}, places[1:]},
		"all are":              {[]wayfind.Probe{probe(places[0], wayfind.VerdictAbsent, 404), probe(places[1], wayfind.VerdictAbsent, 404), probe(places[2], wayfind.VerdictFound, 200)}, nil},
		"robots.txt forbids":   {[]wayfind.Probe{skipped(places[0], wayfind.CodeRobots), skipped(places[1], wayfind.CodeRobots)}, places[2:]},
		"no request was left":  {[]wayfind.Probe{skipped(places[0], "budget")}, places[:1]},
	} {
		var got []string
		list := sitecheck.Requests(&wayfind.Site{Origin: origin, Probes: row.probes})
		for _, r := range list {
			if slices.Contains(places, r.Path) {
				got = append(got, r.Path)
			}
		}
		if !slices.Equal(got, row.want) || len(list) > 10 {
			t.Errorf("%s: %v of %d", name, got, len(list))
		}
	}
}

// A place of convention that discovery did not ask for is not said to be empty.
func TestAPlaceOfConventionThatWasNotAskedIsNotAbsent(t *testing.T) {
	in := &sitecheck.Input{Site: &wayfind.Site{Origin: origin, Probes: []wayfind.Probe{probe("/.well-known/api-catalog", wayfind.VerdictFound, 200)}}, Formats: []string{"openapi", "apicatalog"}}
	if got := sitecheck.Check(in).Result("openapi"); got.Status != sitecheck.Unasked || !strings.Contains(got.Why, "--full asks") {
		t.Errorf("%s: %s", got.Status, got.Why)
	}
	in.Site.Probes = append(in.Site.Probes, probe("/openapi.json", wayfind.VerdictAbsent, 404))
	if got := sitecheck.Check(in).Result("openapi"); got.Status != sitecheck.Absent {
		t.Errorf("%s: %s", got.Status, got.Why)
	}
}
