package call

import (
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/site/offer"
)

// facts are the inputs of the effect and the decision. A statement of the site alone never
// makes a call pass without a question, unless its definition is trusted.
type facts struct {
	method     string
	plain      bool // plain HTTP: the method defines what a call may do
	effects    *wayfind.Effects
	price      string
	suspicious bool
	otherSite  bool
	pinChanged bool
	robots     bool // disallowed, and the Client enforces robots.txt
	credential bool // goes to an origin for the first time
	guessed    bool
	lost       bool // the last try may have done its work
	asksSecret bool
	reading    bool // the operation of the protocol only reads
	trusted    bool // the definition is pinned, or the operator trusts its server
}

// standard is the sensitivity that needs no question.
const standard = "standard"

// minConfidence is the minimum confidence in the reading of a parameter.
const minConfidence = 0.8

func isSafe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, "QUERY"}, method)
}

func said(word *bool) bool   { return word != nil && *word }
func denied(word *bool) bool { return word != nil && !*word }

// stated reports whether the publisher gives a field of effects this value. A default of the
// method or of the format is not a statement of the publisher.
func stated(e *wayfind.Effects, name string, word *bool, value bool) bool {
	return word != nil && *word == value && !slices.Contains(e.Defaulted, name)
}

// judgement is derived from the facts of a call. It determines whether a person is asked,
// whether a request may be repeated and what a lost answer means.
type judgement struct {
	effect   Effect
	decision Decision
	reasons  []Reason
	// next is the decision for the same call when its credentials are no longer new.
	next Decision
}

// judge derives the effect of a call, and who must agree to it, from the facts. This table is
// the only place for that rule.
func judge(f facts) judgement {
	e := f.effects
	if e == nil {
		e = &wayfind.Effects{}
	}
	j := judgement{effect: f.plainEffect(e)}
	destroys, harmless := stated(e, "destructive", e.Destructive, true), stated(e, "readOnly", e.ReadOnly, true)
	for _, row := range [...]struct {
		is     bool
		once   bool
		reason Reason
	}{
		{f.lost, true, ReasonLost},
		{destroys, true, ReasonDestructive},
		{!destroys && (said(e.Destructive) && !f.trusted || f.plain && f.method == http.MethodDelete), false, ReasonDestructive},
		{denied(e.Reversible) && !harmless, true, ReasonIrreversible},
		{stated(e, "idempotent", e.Idempotent, false) && !harmless, true, ReasonRepeats},
		{said(e.NeedsConfirmation), true, ReasonConfirmation},
		{f.price != "", true, ReasonPrice},
		{e.Sensitivity != "" && e.Sensitivity != standard, false, ReasonSensitive},
		{f.suspicious, false, ReasonSuspicious},
		{f.otherSite, false, ReasonOtherSite},
		{f.pinChanged, false, ReasonPinChanged},
		{f.robots, false, ReasonRobots},
		{f.credential, false, ReasonNewCredential},
		{f.guessed, false, ReasonGuessed},
		{f.asksSecret, false, ReasonAsksSecret},
	} {
		if row.is {
			j.reasons = append(j.reasons, row.reason)
		}
		if row.is && row.once {
			j.effect = Once
		}
	}
	var why Reason
	each := slices.Clone(j.reasons)
	if j.decision, why = f.plainly(e); !why.IsZero() {
		j.reasons = append(j.reasons, why)
	}
	if j.next = j.decision; len(each) > 0 {
		j.decision = AskEach
	}
	if slices.ContainsFunc(each, func(r Reason) bool { return r != ReasonNewCredential }) {
		j.next = AskEach
	}
	return j
}

// safe reports whether the method alone guarantees that nothing is changed.
func (f *facts) safe() bool { return f.plain && isSafe(f.method) }

// plainEffect returns the effect without the facts that add caution.
func (f *facts) plainEffect(e *wayfind.Effects) Effect {
	if f.safe() && !denied(e.ReadOnly) || f.reading || said(e.ReadOnly) && f.trusted {
		return Reads
	}
	return Changes
}

// plainly returns the decision by effects alone, and its reason.
func (f *facts) plainly(e *wayfind.Effects) (Decision, Reason) {
	switch {
	case f.plainEffect(e) == Reads:
		return Run, Reason{}
	case said(e.ReadOnly):
		return AskOnce, ReasonSaysReadOnly
	case f.safe(), e.ReadOnly != nil, e.Idempotent != nil, e.Reversible != nil:
		return AskSession, ReasonChanges
	}
	return AskSession, ReasonUnknown
}

// declared adds the facts that the documents of a tool declare.
func (f *facts) declared(t *tools.Tool) {
	if c := t.Capability; c != nil {
		f.effects, f.price = c.Effects, offer.Price(c)
		f.reading = c.Effects == nil && (c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt)
	}
}
