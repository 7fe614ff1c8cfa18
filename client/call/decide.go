package call

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Decision says who must agree to a call.
type Decision string

// The decisions, in order of caution.
const (
	// Run: no person is asked.
	Run Decision = "run"
	// AskOnce: a person is asked once for a tool, as long as its definition does not
	// change.
	AskOnce Decision = "ask_once"
	// AskSession: a person is asked, and may agree for a session.
	AskSession Decision = "ask_session"
	// AskEach: a person is asked each time.
	AskEach Decision = "ask_each"
)

// Reason is why a person is asked.
type Reason string

// The reasons.
const (
	ReasonSaysReadOnly  Reason = "says_read_only"   // by the site's word, which nothing bears out, it changes nothing
	ReasonChanges       Reason = "changes"          // it changes something
	ReasonUnknown       Reason = "unknown"          // its effects are not known
	ReasonDestructive   Reason = "destructive"      // it destroys something
	ReasonIrreversible  Reason = "irreversible"     // it cannot be undone
	ReasonConfirmation  Reason = "needs_confirming" // the publisher wants a person to agree
	ReasonPrice         Reason = "price"            // it costs something
	ReasonSensitive     Reason = "sensitive"        // the publisher calls it more than standard
	ReasonSuspicious    Reason = "suspicious"       // its texts address the model
	ReasonOtherSite     Reason = "other_site"       // it goes to another site than its document
	ReasonPinChanged    Reason = "pin_changed"      // its definition is not the pinned one
	ReasonRobots        Reason = "robots"           // robots.txt asks crawlers to keep out
	ReasonNewCredential Reason = "new_credential"   // a credential goes where none of this user's went before
	ReasonGuessed       Reason = "guessed"          // its parameters were read from prose
	ReasonAsksSecret    Reason = "asks_secret"      // an argument of the model is named like a credential
)

// Text says a reason in words of ours.
func (r Reason) Text() string {
	switch r {
	case ReasonSaysReadOnly:
		return "the site says that it changes nothing, and nothing bears that out"
	case ReasonChanges:
		return "it changes something"
	case ReasonDestructive:
		return "it may destroy something"
	case ReasonIrreversible:
		return "it cannot be undone"
	case ReasonConfirmation:
		return "the publisher wants a person to agree"
	case ReasonPrice:
		return "it costs something"
	case ReasonSensitive:
		return "the publisher calls it sensitive"
	case ReasonSuspicious:
		return "its texts address the model that reads them"
	case ReasonOtherSite:
		return "it goes to another site than the one that describes it"
	case ReasonPinChanged:
		return "its definition is not the one that was pinned"
	case ReasonRobots:
		return "robots.txt asks programs to keep out"
	case ReasonNewCredential:
		return "it sends a credential where none was sent before"
	case ReasonAsksSecret:
		return "it wants an argument that is named like a credential, and its documents name none"
	case ReasonGuessed:
		return "its parameters were read from prose and may be wrong"
	}
	return "its effects are not known"
}

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

// The effects. What is not known changes.
const (
	changes effect = iota
	reads
)

// judgement is what follows from the facts of a call. The question to a person, the
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
	if j.decision, why = f.plainly(e); why != "" {
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
		return Run, ""
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
	f.trusted = c.Effects != nil && said(c.Effects.ReadOnly) && !f.safe() && d.trusted() // nothing else depends on it
	if c.Effects == nil && (c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt) {
		f.effects = readOnlyByKind()
	}
	f.robots = c.RobotsDisallowed && enforced(d.caller.client)
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
