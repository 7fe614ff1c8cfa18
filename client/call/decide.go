package call

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
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
	trusted    bool // the definition is pinned or signed
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

// effect says what a call may do at the service.
type effect int

// The effects. An unknown effect is a change.
const (
	changes effect = iota
	reads
)

// judgement follows from the facts of a call. The question to a person, the
// repetition of a request and the meaning of a lost answer all ask it.
type judgement struct {
	effect   effect
	decision Decision
	reasons  []Reason
}

// judge is the table of what a call does, and of who must agree to it. It stands nowhere
// else.
func judge(f facts) judgement {
	e := f.effects
	if e == nil {
		e = &wayfind.Effects{}
	}
	var reasons []Reason
	for _, row := range [...]struct {
		is     bool
		reason Reason
	}{
		{said(e.Destructive) || f.plain && f.method == http.MethodDelete, ReasonDestructive},
		{denied(e.Reversible) && !said(e.ReadOnly), ReasonIrreversible},
		{said(e.NeedsConfirmation), ReasonConfirmation},
		{f.price != "" && !strings.EqualFold(strings.TrimSpace(f.price), "free"), ReasonPrice},
		{e.Sensitivity != "" && e.Sensitivity != standard, ReasonSensitive},
		{f.suspicious, ReasonSuspicious},
		{f.otherSite, ReasonOtherSite},
		{f.pinChanged, ReasonPinChanged},
		{f.robots, ReasonRobots},
		{f.credential, ReasonNewCredential},
		{f.guessed, ReasonGuessed},
		{f.asksSecret, ReasonAsksSecret},
	} {
		if row.is {
			reasons = append(reasons, row.reason)
		}
	}
	j := judgement{reasons: reasons}
	if f.safe() && !denied(e.ReadOnly) {
		j.effect = reads
	}
	var why Reason
	if j.decision, why = f.plainly(e); !why.IsZero() {
		j.reasons = append(j.reasons, why)
	}
	if len(reasons) > 0 {
		j.decision = AskEach
	}
	return j
}

// safe reports whether the method alone says that nothing is changed.
func (f *facts) safe() bool { return f.plain && isSafe(f.method) }

// plainly is the decision by effects alone, and its reason.
func (f *facts) plainly(e *wayfind.Effects) (Decision, Reason) {
	switch {
	case f.safe() && !denied(e.ReadOnly), said(e.ReadOnly) && f.trusted:
		return Run, Reason{}
	case said(e.ReadOnly):
		return AskOnce, ReasonSaysReadOnly
	case f.safe(), e.ReadOnly != nil, e.Idempotent != nil, e.Reversible != nil:
		return AskSession, ReasonChanges
	}
	return AskSession, ReasonUnknown
}

// repeats says when the request of a call may be sent again.
func (j judgement) repeats(p *prepared) repeats {
	switch {
	case p.subject.key != nil, j.effect == reads:
		return whenEverFailed
	case p.facts.plain && (p.facts.method == http.MethodPut || p.facts.method == http.MethodDelete):
		return beforeAnswer // RFC 9110 §9.2.2
	}
	return never
}

// facts collects the facts of a draft; credential: one goes where none went before.
func (d *draft) facts(credential bool) facts {
	f := facts{
		method: d.method, plain: d.protocol.name == protocolHTTP, otherSite: d.otherSite, pinChanged: d.pinChanged(), credential: credential,
		suspicious: len(d.tool.Service.Suspicious) > 0,
	}
	c := d.tool.Capability
	if c == nil {
		return f
	}
	f.effects, f.price, f.suspicious = c.Effects, c.Price, f.suspicious || len(c.Suspicious) > 0
	if c.Effects != nil && said(c.Effects.ReadOnly) && !f.safe() { // nothing else depends on it
		f.trusted = slices.Contains(d.proofs(), ProofPin) || slices.Contains(d.proofs(), ProofSigned)
	}
	if c.Effects == nil && (c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt) {
		f.effects = readOnlyByKind()
	}
	f.robots = c.RobotsDisallowed && door.Of(d.caller.client).EnforcesRobots()
	f.asksSecret = !d.declares() && slices.ContainsFunc(c.Params, isNamedLikeCredential)
	f.guessed = slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Confidence != nil && *p.Confidence < minConfidence })
	return f
}

// readOnlyByKind are the effects of content to read. The protocol says so, which proves no
// more than the word of the site.
func readOnlyByKind() *wayfind.Effects {
	yes := true
	return &wayfind.Effects{ReadOnly: &yes}
}
