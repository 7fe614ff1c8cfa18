package call

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/door"
)

// facts are everything that effect and decision are made of. What a site says can only add
// caution.
type facts struct {
	method     string
	plain      bool // plain HTTP: the method says what a call may do
	effects    *wayfind.Effects
	price      string
	suspicious bool
	otherSite  bool
	pinChanged bool
	robots     bool // disallowed, and robots.txt counts
	credential bool // newly needed
	guessed    bool
	asksSecret bool
	reading    bool // by the operation of the protocol
	trusted    bool // the definition is pinned, or the operator trusts its server
}

// standard is the sensitivity that needs no question.
const standard = "standard"

// minConfidence is how sure the reading of a parameter must be.
const minConfidence = 0.8

func isSafe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, "QUERY"}, method)
}

func said(word *bool) bool   { return word != nil && *word }
func denied(word *bool) bool { return word != nil && !*word }

// stated reports whether the publisher gives a field of effects this value: a default of
// the method or of the format is no word of the publisher.
func stated(e *wayfind.Effects, name string, word *bool, value bool) bool {
	return word != nil && *word == value && !slices.Contains(e.Defaulted, name)
}

// judgement follows from the facts of a call. The question to a person, the
// repetition of a request and the meaning of a lost answer all ask it.
type judgement struct {
	effect   Effect
	decision Decision
	reasons  []Reason
	// next is the decision for the same call when its credentials are no longer new.
	next Decision
}

// judge is the table of what a call does, and of who must agree to it. It stands nowhere
// else.
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
		{destroys, true, ReasonDestructive},
		{!destroys && (said(e.Destructive) && !f.trusted || f.plain && f.method == http.MethodDelete), false, ReasonDestructive},
		{denied(e.Reversible) && !harmless, true, ReasonIrreversible},
		{stated(e, "idempotent", e.Idempotent, false) && !harmless, true, ReasonRepeats},
		{said(e.NeedsConfirmation), true, ReasonConfirmation},
		{f.price != "" && !strings.EqualFold(strings.TrimSpace(f.price), "free"), true, ReasonPrice},
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

// safe reports whether the method alone says that nothing is changed.
func (f *facts) safe() bool { return f.plain && isSafe(f.method) }

// plainEffect is the effect without a word that makes it worse.
func (f *facts) plainEffect(e *wayfind.Effects) Effect {
	if f.safe() && !denied(e.ReadOnly) || f.reading || said(e.ReadOnly) && f.trusted {
		return Reads
	}
	return Changes
}

// plainly is the decision by effects alone, and its reason.
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

// facts collects the facts of a draft; credential: one goes where none went before.
func (d *draft) facts(ctx context.Context, credential bool) facts {
	f := facts{
		method: d.method, plain: d.protocol.name == protocolHTTP, otherSite: d.otherSite, pinChanged: d.pinChanged(), credential: credential,
		suspicious: len(d.tool.Service.Suspicious) > 0,
	}
	f.declared(d.tool)
	c := d.tool.Capability
	if c == nil {
		return f
	}
	f.suspicious = f.suspicious || len(c.Suspicious) > 0
	if e := c.Effects; e != nil && !f.safe() && (said(e.ReadOnly) || said(e.Destructive)) { // nothing else depends on it
		f.trusted = d.caller.trusts != nil && d.caller.trusts(d.tool) || slices.Contains(d.proofs(ctx), ProofPin)
	}
	f.robots = c.RobotsDisallowed && door.Of(d.caller.client).EnforcesRobots()
	f.asksSecret = !d.declares() && slices.ContainsFunc(c.Params, isNamedLikeCredential)
	f.guessed = slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Confidence != nil && *p.Confidence < minConfidence })
	return f
}

// declared adds the facts that the documents of a tool declare.
func (f *facts) declared(t *tools.Tool) {
	if c := t.Capability; c != nil {
		f.effects, f.price = c.Effects, c.Price
		f.reading = c.Effects == nil && (c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt)
	}
}
