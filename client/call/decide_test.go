package call

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
)

// The table of decisions, row by row. A statement of a site only adds caution.
func TestDecide(t *testing.T) {
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name    string
		facts   facts
		want    Decision
		reasons []Reason
	}{
		{"a read", facts{method: "GET", plain: true}, Run, nil},
		{"a read that the site calls one", facts{method: "QUERY", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, Run, nil},
		{"a read that the site calls none", facts{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: no}}, AskSession, []Reason{ReasonChanges}},
		{"a read that destroys", facts{method: "GET", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive}},
		{"a POST that the site calls a read", facts{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"the same, signed or pinned", facts{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}, trusted: true}, Run, nil},
		{"the same in another protocol", facts{method: "POST", effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"a resource", facts{method: "POST", reading: true}, Run, nil},
		{"a tool that destroys by default", facts{method: "POST", effects: &wayfind.Effects{ReadOnly: no, Destructive: yes, Defaulted: []string{"readOnly", "destructive"}}}, AskEach, []Reason{ReasonDestructive, ReasonChanges}},
		{"the same at a server that is trusted", facts{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: no, Destructive: yes, Defaulted: []string{"readOnly", "destructive"}}}, AskSession, []Reason{ReasonChanges}},
		{"a tool that destroys, at a server that is trusted", facts{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: no, Destructive: yes}}, AskEach, []Reason{ReasonDestructive, ReasonChanges}},
		{"DELETE, trusted", facts{method: "DELETE", plain: true, trusted: true, effects: &wayfind.Effects{}}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"GET in another protocol", facts{method: "GET"}, AskSession, []Reason{ReasonUnknown}},
		{"reversible", facts{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: yes}}, AskSession, []Reason{ReasonChanges}},
		{"idempotent", facts{method: "PUT", plain: true, effects: &wayfind.Effects{Idempotent: yes}}, AskSession, []Reason{ReasonChanges}},
		{"unknown", facts{method: "POST", plain: true}, AskSession, []Reason{ReasonUnknown}},
		{"destructive", facts{method: "POST", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE", facts{method: "DELETE", plain: true}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE that the site calls harmless", facts{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: no, ReadOnly: yes}}, AskEach,
			[]Reason{ReasonDestructive, ReasonSaysReadOnly}},
		{"irreversible", facts{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: no}}, AskEach, []Reason{ReasonIrreversible, ReasonChanges}},
		{"a POST that is not to be done twice", facts{method: "POST", plain: true, effects: &wayfind.Effects{Idempotent: no}}, AskEach, []Reason{ReasonRepeats, ReasonChanges}},
		{"the same by the method alone", facts{method: "POST", plain: true, effects: &wayfind.Effects{Idempotent: no, Defaulted: []string{"idempotent"}}}, AskSession, []Reason{ReasonChanges}},
		{"the same of what only reads", facts{method: "POST", effects: &wayfind.Effects{ReadOnly: yes, Idempotent: no}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"a read that cannot be undone", facts{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: yes, Reversible: no, Defaulted: []string{"readOnly"}}}, AskEach, []Reason{ReasonIrreversible}},
		{"the publisher wants it", facts{method: "GET", plain: true, effects: &wayfind.Effects{NeedsConfirmation: yes}}, AskEach, []Reason{ReasonConfirmation}},
		{"a price", facts{method: "GET", plain: true, price: "0.10 USD"}, AskEach, []Reason{ReasonPrice}},
		{"sensitive", facts{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "pii"}}, AskEach, []Reason{ReasonSensitive}},
		{"standard", facts{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "standard"}}, Run, nil},
		{"suspicious", facts{method: "GET", plain: true, suspicious: true}, AskEach, []Reason{ReasonSuspicious}},
		{"another site", facts{method: "GET", plain: true, otherSite: true}, AskEach, []Reason{ReasonOtherSite}},
		{"a pin that changed", facts{method: "GET", plain: true, pinChanged: true}, AskEach, []Reason{ReasonPinChanged}},
		{"robots.txt", facts{method: "GET", plain: true, robots: true}, AskEach, []Reason{ReasonRobots}},
		{"a new credential", facts{method: "GET", plain: true, credential: true}, AskEach, []Reason{ReasonNewCredential}},
		{"asks for a secret", facts{method: "GET", plain: true, asksSecret: true}, AskEach, []Reason{ReasonAsksSecret}},
		{"guessed", facts{method: "GET", plain: true, guessed: true}, AskEach, []Reason{ReasonGuessed}},
		{"several", facts{method: "POST", plain: true, trusted: true, otherSite: true, price: "1", effects: &wayfind.Effects{ReadOnly: yes}}, AskEach, []Reason{ReasonPrice, ReasonOtherSite}},
	} {
		if got, reasons := decided(tt.facts); got != tt.want || !slices.Equal(reasons, tt.reasons) {
			t.Errorf("%s: %s %v, want %s %v", tt.name, got, reasons, tt.want, tt.reasons)
		}
	}
}

// No hint of a site makes a decision less careful than the same call without it, except "it
// only reads", which is asked about once, and hints of a trusted definition.
func TestHintsOnlyTighten(t *testing.T) {
	order := []Decision{Run, AskOnce, AskSession, AskEach, Refuse}
	if !slices.Equal(order, Decisions()) {
		t.Errorf("listed as %v", Decisions())
	}
	words := []*bool{nil, new(true), new(false)}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		bare := facts{method: method, plain: true}
		without, _ := decided(bare)
		for i := range 3 * 3 * 3 * 3 {
			with := bare
			with.effects = &wayfind.Effects{ReadOnly: words[i%3], Destructive: words[i/3%3], Idempotent: words[i/9%3], Reversible: words[i/27%3]}
			got, _ := decided(with)
			if slices.Index(order, got) < slices.Index(order, without) && (got != AskOnce || !said(with.effects.ReadOnly)) {
				t.Errorf("%s %+v: %s, and %s without it", method, with.effects, got, without)
			}
		}
	}
}

func decided(f facts) (Decision, []Reason) {
	j := judge(f)
	return j.decision, j.reasons
}

// The repetition of a request depends on the effect. A fact that only adds caution to the
// question does not change the effect.
func TestRepetitionAsksTheEffect(t *testing.T) {
	yes, no := new(true), new(false)
	careful := facts{suspicious: true, otherSite: true, pinChanged: true, robots: true, credential: true, guessed: true, asksSecret: true}
	for _, tt := range []struct {
		name    string
		facts   facts
		want    Effect
		repeats repeats
	}{
		{"a read", facts{method: "GET", plain: true}, Reads, whenEverFailed},
		{"a read that the site calls none", facts{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: no}}, Changes, never},
		{"a resource", facts{method: "POST", reading: true}, Reads, whenEverFailed},
		{"a pinned word", facts{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: yes}}, Reads, whenEverFailed},
		{"a word alone", facts{method: "POST", effects: &wayfind.Effects{ReadOnly: yes}}, Changes, never},
		{"PUT", facts{method: "PUT", plain: true}, Changes, beforeAnswer},
		{"PUT in another protocol", facts{method: "PUT"}, Changes, never},
		{"DELETE by its method", facts{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: yes, Idempotent: yes, Defaulted: []string{"destructive", "idempotent"}}}, Changes, beforeAnswer},
		{"DELETE that the site calls destructive", facts{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: yes}}, Once, never},
		{"PUT that is not to be done twice", facts{method: "PUT", plain: true, effects: &wayfind.Effects{Idempotent: no}}, Once, never},
		{"GET that is not to be done twice", facts{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: yes, Idempotent: no, Defaulted: []string{"readOnly"}}}, Once, never},
		{"a price", facts{method: "PUT", plain: true, price: "1 EUR"}, Once, never},
		{"POST", facts{method: "POST", plain: true}, Changes, never},
	} {
		for _, more := range []facts{{}, careful} {
			f := more
			f.method, f.plain, f.effects, f.price, f.reading, f.trusted = tt.facts.method, tt.facts.plain, tt.facts.effects, tt.facts.price, tt.facts.reading, tt.facts.trusted
			got := judge(f).effect
			if got != tt.want || got.repeats(&f, false) != tt.repeats || got.repeats(&f, true) != whenEverFailed {
				t.Errorf("%s: effect %s, repeats %d, careful %t", tt.name, got, got.repeats(&f, false), f.guessed)
			}
		}
	}
}

// If a question does not offer the session, the answer "for the session" is an agreement to
// one call only, even if the next call has a question that offers it.
func TestAYesToAQuestionThatOffersNoSessionIsNotRemembered(t *testing.T) {
	asker, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = asker.Close() }()
	c, err := New(asker, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMessage("POST", "https://shop.example/pay", nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := &tools.Tool{Key: "openapi:pay", Origin: "https://shop.example", Service: &wayfind.Service{}}
	p := &prepared{target: &target{caller: c, tool: tool, plan: &plan{definition: func() string { return "d" }}}, subject: &subject{message: m}}
	asked := func(f facts) *agreed { return &agreed{prepared: p, judgement: judge(f)} }
	for _, first := range []facts{{method: "POST", plain: true, pinChanged: true}, {method: "POST", plain: true, pinChanged: true, credential: true}} {
		a := asked(first)
		if err := a.answered(t.Context(), a.newTicket(), Answer{Verdict: AllowSession}); err != nil || asked(facts{method: "POST", plain: true}).remembered() {
			t.Errorf("%+v: %v, remembered", first, err)
		}
	}
	a := asked(facts{method: "POST", plain: true})
	if err := a.answered(t.Context(), a.newTicket(), Answer{Verdict: AllowSession}); err != nil || !asked(facts{method: "POST", plain: true}).remembered() {
		t.Errorf("%v, not remembered", err)
	}
}
