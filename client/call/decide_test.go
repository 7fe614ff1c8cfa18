package call

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// The table of who must agree, row by row. What a site says only adds caution.
func TestDecide(t *testing.T) {
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name    string
		known   known
		want    Decision
		reasons []Reason
	}{
		{"a read", known{method: "GET", plain: true}, Run, nil},
		{"a read that the site calls one", known{method: "QUERY", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, Run, nil},
		{"a read that the site calls none", known{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: no}}, AskSession, []Reason{ReasonChanges}},
		{"a read that destroys", known{method: "GET", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive}},
		{"a POST that the site calls a read", known{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"the same, signed or pinned", known{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}, trusted: true}, Run, nil},
		{"the same in another protocol", known{method: "POST", effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"GET in another protocol", known{method: "GET"}, AskSession, []Reason{ReasonUnknown}},
		{"reversible", known{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: yes}}, AskSession, []Reason{ReasonChanges}},
		{"idempotent", known{method: "PUT", plain: true, effects: &wayfind.Effects{Idempotent: yes}}, AskSession, []Reason{ReasonChanges}},
		{"unknown", known{method: "POST", plain: true}, AskSession, []Reason{ReasonUnknown}},
		{"destructive", known{method: "POST", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE", known{method: "DELETE", plain: true, destructive: true}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE that the site calls harmless", known{method: "DELETE", plain: true, destructive: true, effects: &wayfind.Effects{Destructive: no, ReadOnly: yes}}, AskEach,
			[]Reason{ReasonDestructive, ReasonSaysReadOnly}},
		{"irreversible", known{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: no}}, AskEach, []Reason{ReasonIrreversible, ReasonChanges}},
		{"the publisher wants it", known{method: "GET", plain: true, effects: &wayfind.Effects{NeedsConfirmation: yes}}, AskEach, []Reason{ReasonConfirmation}},
		{"a price", known{method: "GET", plain: true, price: "0.10 USD"}, AskEach, []Reason{ReasonPrice}},
		{"no price", known{method: "GET", plain: true, price: " Free "}, Run, nil},
		{"sensitive", known{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "pii"}}, AskEach, []Reason{ReasonSensitive}},
		{"standard", known{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "standard"}}, Run, nil},
		{"suspicious", known{method: "GET", plain: true, suspicious: true}, AskEach, []Reason{ReasonSuspicious}},
		{"another site", known{method: "GET", plain: true, otherSite: true}, AskEach, []Reason{ReasonOtherSite}},
		{"a pin that changed", known{method: "GET", plain: true, pinChanged: true}, AskEach, []Reason{ReasonPinChanged}},
		{"robots.txt", known{method: "GET", plain: true, robots: true}, AskEach, []Reason{ReasonRobots}},
		{"a new credential", known{method: "GET", plain: true, credential: true}, AskEach, []Reason{ReasonNewCredential}},
		{"asks for a secret", known{method: "GET", plain: true, asksSecret: true}, AskEach, []Reason{ReasonAsksSecret}},
		{"guessed", known{method: "GET", plain: true, guessed: true}, AskEach, []Reason{ReasonGuessed}},
		{"several", known{method: "POST", plain: true, trusted: true, otherSite: true, price: "1", effects: &wayfind.Effects{ReadOnly: yes}}, AskEach, []Reason{ReasonPrice, ReasonOtherSite}},
	} {
		if got, reasons := decide(tt.known); got != tt.want || !slices.Equal(reasons, tt.reasons) {
			t.Errorf("%s: %s %v, want %s %v", tt.name, got, reasons, tt.want, tt.reasons)
		}
	}
}

// No hint of a site makes a decision less careful than the same call without it, but for
// "it only reads", which is asked about once, and where the definition is vouched for.
func TestHintsOnlyTighten(t *testing.T) {
	order := []Decision{Run, AskOnce, AskSession, AskEach}
	if !slices.Equal(order, Decisions()) {
		t.Errorf("listed as %v", Decisions())
	}
	words := []*bool{nil, new(true), new(false)}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		bare := known{method: method, plain: true, destructive: method == "DELETE"}
		without, _ := decide(bare)
		for i := range 3 * 3 * 3 * 3 {
			with := bare
			with.effects = &wayfind.Effects{ReadOnly: words[i%3], Destructive: words[i/3%3], Idempotent: words[i/9%3], Reversible: words[i/27%3]}
			got, _ := decide(with)
			if slices.Index(order, got) < slices.Index(order, without) && (got != AskOnce || !said(with.effects.ReadOnly)) {
				t.Errorf("%s %+v: %s, and %s without it", method, with.effects, got, without)
			}
		}
	}
}
