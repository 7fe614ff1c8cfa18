package inspect

import (
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	stated "github.com/wayfindhq/wayfind/internal/syntax/facts"
)

// The page shows what a site states, each fact in a line with its name.
func TestThePageShowsWhatASiteStates(t *testing.T) {
	c := wayfind.Capability{Key: "awp:book", Deprecated: true, RobotsDisallowed: true, DependsOn: []string{"awp:seek"}, Price: "1 USD", Limits: []wayfind.Limit{{N: 3, Per: time.Hour}},
		Effects: &wayfind.Effects{Sensitivity: "irreversible", NeedsConfirmation: new(true)}}
	s := wayfind.Service{ID: "awp", Status: &wayfind.Status{Operational: new(false), Degraded: []string{"awp:book"}}, Restrictions: []string{"no bots"},
		Pricing: &wayfind.Pricing{Model: "paid"}, Limits: []wayfind.Limit{{N: 5, Per: 24 * time.Hour}}, Hints: []byte(`{"a": "b"}`), Recovery: map[string]string{"GONE": "try again"}, TokenHints: &wayfind.TokenHints{CompactMode: new(true)}, Capabilities: []wayfind.Capability{c}}
	site := &wayfind.Site{Origin: "https://fly.example", Services: []wayfind.Service{s}}
	var got []string
	of := (&Inspector{}).capabilityDetail(site, &s, &c)
	if !slices.Contains(of.Notes, "robots.txt: not for crawlers") {
		t.Errorf("notes %q", of.Notes)
	}
	for _, f := range append(serviceDetail(&s).Facts, of.Facts...) {
		got = append(got, f.Name+": "+f.Value)
	}
	want := []string{"effects: needs confirmation, costs something, cannot be undone", "price: 1 USD"}
	for _, said := range append(stated.Of(stated.On(&s), stated.Page, stated.AboutService), stated.Of(stated.On(&s).In(&c), stated.Page, stated.AboutCapability)...) {
		if !said.Apart() {
			want = append(want, said.Label()+": "+said.Words)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no %q in %q", line, got)
		}
	}
	if len(want) < 13 {
		t.Errorf("only %q", want)
	}
}
