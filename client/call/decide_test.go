package call

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/site/effect"
)

// given is a call and its definition.
type given struct {
	method, price  string
	plain, reading bool
	effects        *wayfind.Effects

	suspicious, otherSite, pinChanged, robots, credential, guessed, asksSecret, trusted bool
}

func (g given) facts() facts {
	c := &wayfind.Capability{Kind: wayfind.KindTool, Effects: g.effects, Price: g.price, Invocation: &wayfind.Invocation{Method: g.method, Protocol: "mcp"}}
	if g.plain {
		c.Invocation.Protocol = "http"
	}
	if g.reading {
		c.Kind = wayfind.KindResource
	}
	return facts{does: effect.Of(c), suspicious: g.suspicious, otherSite: g.otherSite, pinChanged: g.pinChanged, robots: g.robots, credential: g.credential,
		guessed: g.guessed, asksSecret: g.asksSecret, trusted: g.trusted}
}

// The table of decisions, row by row. A statement of a site only adds caution.
func TestDecide(t *testing.T) {
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name    string
		facts   given
		want    Decision
		reasons []Reason
	}{
		{"a read", given{method: "GET", plain: true}, Run, nil},
		{"a read that the site calls one", given{method: "QUERY", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, Run, nil},
		{"a read that the site calls none", given{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: no}}, AskSession, []Reason{ReasonChanges}},
		{"a read that destroys", given{method: "GET", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive}},
		{"a POST that the site calls a read", given{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"the same, signed or pinned", given{method: "POST", plain: true, effects: &wayfind.Effects{ReadOnly: yes}, trusted: true}, Run, nil},
		{"the same in another protocol", given{method: "POST", effects: &wayfind.Effects{ReadOnly: yes}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"a resource", given{method: "POST", reading: true}, Run, nil},
		{"a tool that destroys by default", given{method: "POST", effects: &wayfind.Effects{ReadOnly: no, Destructive: yes, Defaulted: []string{"readOnly", "destructive"}}}, AskEach, []Reason{ReasonDestructive, ReasonChanges}},
		{"the same at a server that is trusted", given{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: no, Destructive: yes, Defaulted: []string{"readOnly", "destructive"}}}, AskSession, []Reason{ReasonChanges}},
		{"a tool that destroys, at a server that is trusted", given{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: no, Destructive: yes}}, AskEach, []Reason{ReasonDestructive, ReasonChanges}},
		{"DELETE, trusted", given{method: "DELETE", plain: true, trusted: true, effects: &wayfind.Effects{}}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"GET in another protocol", given{method: "GET"}, AskSession, []Reason{ReasonUnknown}},
		{"reversible", given{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: yes}}, AskSession, []Reason{ReasonChanges}},
		{"idempotent", given{method: "PUT", plain: true, effects: &wayfind.Effects{Idempotent: yes}}, AskSession, []Reason{ReasonChanges}},
		{"unknown", given{method: "POST", plain: true}, AskSession, []Reason{ReasonUnknown}},
		{"destructive", given{method: "POST", plain: true, effects: &wayfind.Effects{Destructive: yes}}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE", given{method: "DELETE", plain: true}, AskEach, []Reason{ReasonDestructive, ReasonUnknown}},
		{"DELETE that the site calls harmless", given{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: no, ReadOnly: yes}}, AskEach,
			[]Reason{ReasonDestructive, ReasonSaysReadOnly}},
		{"irreversible", given{method: "POST", plain: true, effects: &wayfind.Effects{Reversible: no}}, AskEach, []Reason{ReasonIrreversible, ReasonChanges}},
		{"a POST that is not to be done twice", given{method: "POST", plain: true, effects: &wayfind.Effects{Idempotent: no}}, AskEach, []Reason{ReasonRepeats, ReasonChanges}},
		{"the same by the method alone", given{method: "POST", plain: true, effects: &wayfind.Effects{Idempotent: no, Defaulted: []string{"idempotent"}}}, AskSession, []Reason{ReasonChanges}},
		{"the same of what only reads", given{method: "POST", effects: &wayfind.Effects{ReadOnly: yes, Idempotent: no}}, AskOnce, []Reason{ReasonSaysReadOnly}},
		{"a read that cannot be undone", given{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: yes, Reversible: no, Defaulted: []string{"readOnly"}}}, AskEach, []Reason{ReasonIrreversible}},
		{"the publisher wants it", given{method: "GET", plain: true, effects: &wayfind.Effects{NeedsConfirmation: yes}}, AskEach, []Reason{ReasonConfirmation}},
		{"a price", given{method: "GET", plain: true, price: "0.10 USD"}, AskEach, []Reason{ReasonPrice}},
		{"sensitive", given{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "pii"}}, AskEach, []Reason{ReasonSensitive}},
		{"standard", given{method: "GET", plain: true, effects: &wayfind.Effects{Sensitivity: "standard"}}, Run, nil},
		{"suspicious", given{method: "GET", plain: true, suspicious: true}, AskEach, []Reason{ReasonSuspicious}},
		{"another site", given{method: "GET", plain: true, otherSite: true}, AskEach, []Reason{ReasonOtherSite}},
		{"a pin that changed", given{method: "GET", plain: true, pinChanged: true}, AskEach, []Reason{ReasonPinChanged}},
		{"robots.txt", given{method: "GET", plain: true, robots: true}, AskEach, []Reason{ReasonRobots}},
		{"a new credential", given{method: "GET", plain: true, credential: true}, AskEach, []Reason{ReasonNewCredential}},
		{"asks for a secret", given{method: "GET", plain: true, asksSecret: true}, AskEach, []Reason{ReasonAsksSecret}},
		{"guessed", given{method: "GET", plain: true, guessed: true}, AskEach, []Reason{ReasonGuessed}},
		{"several", given{method: "POST", plain: true, trusted: true, otherSite: true, price: "1", effects: &wayfind.Effects{ReadOnly: yes}}, AskEach, []Reason{ReasonPrice, ReasonOtherSite}},
	} {
		if got, reasons := decided(tt.facts.facts()); got != tt.want || !slices.Equal(reasons, tt.reasons) {
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
		bare := given{method: method, plain: true}
		without, _ := decided(bare.facts())
		for i := range 3 * 3 * 3 * 3 {
			with := bare
			with.effects = &wayfind.Effects{ReadOnly: words[i%3], Destructive: words[i/3%3], Idempotent: words[i/9%3], Reversible: words[i/27%3]}
			got, _ := decided(with.facts())
			if slices.Index(order, got) < slices.Index(order, without) && (got != AskOnce || with.effects.ReadOnly == nil || !*with.effects.ReadOnly) {
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
		facts   given
		want    Effect
		repeats repeats
	}{
		{"a read", given{method: "GET", plain: true}, Reads, whenEverFailed},
		{"a read that the site calls none", given{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: no}}, Changes, never},
		{"a resource", given{method: "POST", reading: true}, Reads, whenEverFailed},
		{"a pinned word", given{method: "POST", trusted: true, effects: &wayfind.Effects{ReadOnly: yes}}, Reads, whenEverFailed},
		{"a word alone", given{method: "POST", effects: &wayfind.Effects{ReadOnly: yes}}, Changes, never},
		{"PUT", given{method: "PUT", plain: true}, Changes, beforeAnswer},
		{"PUT in another protocol", given{method: "PUT"}, Changes, never},
		{"DELETE by its method", given{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: yes, Idempotent: yes, Defaulted: []string{"destructive", "idempotent"}}}, Changes, beforeAnswer},
		{"DELETE that the site calls destructive", given{method: "DELETE", plain: true, effects: &wayfind.Effects{Destructive: yes}}, Once, never},
		{"PUT that is not to be done twice", given{method: "PUT", plain: true, effects: &wayfind.Effects{Idempotent: no}}, Once, never},
		{"GET that is not to be done twice", given{method: "GET", plain: true, effects: &wayfind.Effects{ReadOnly: yes, Idempotent: no, Defaulted: []string{"readOnly"}}}, Once, never},
		{"a price", given{method: "PUT", plain: true, price: "1 EUR"}, Once, never},
		{"POST", given{method: "POST", plain: true}, Changes, never},
	} {
		for _, more := range []facts{{}, careful} {
			f := more
			f.does, f.trusted = tt.facts.facts().does, tt.facts.trusted
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
	asked := func(g given) *agreed { return &agreed{prepared: p, judgement: judge(g.facts())} }
	for _, first := range []given{{method: "POST", plain: true, pinChanged: true}, {method: "POST", plain: true, pinChanged: true, credential: true}} {
		a := asked(first)
		if err := a.answered(t.Context(), a.newTicket(), Answer{Verdict: AllowSession}); err != nil || asked(given{method: "POST", plain: true}).remembered() {
			t.Errorf("%+v: %v, remembered", first, err)
		}
	}
	a := asked(given{method: "POST", plain: true})
	if err := a.answered(t.Context(), a.newTicket(), Answer{Verdict: AllowSession}); err != nil || !asked(given{method: "POST", plain: true}).remembered() {
		t.Errorf("%v, not remembered", err)
	}
}
