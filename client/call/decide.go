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

// known is what a decision is made of. What a site says can only add caution.
type known struct {
	method      string
	plain       bool // plain HTTP: the method says what a call may do
	effects     *wayfind.Effects
	price       string
	suspicious  bool
	otherSite   bool
	pinChanged  bool
	robots      bool // disallowed, and robots.txt counts
	credential  bool // newly needed
	guessed     bool
	asksSecret  bool
	trusted     bool // the definition is pinned or signed
	destructive bool // the protocol says so
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

// decide is the table of who must agree to what. It stands nowhere else.
func decide(k known) (Decision, []Reason) {
	e := k.effects
	if e == nil {
		e = &wayfind.Effects{}
	}
	var reasons []Reason
	for _, row := range []struct {
		is     bool
		reason Reason
	}{
		{said(e.Destructive) || k.destructive, ReasonDestructive},
		{denied(e.Reversible) && !said(e.ReadOnly), ReasonIrreversible},
		{said(e.NeedsConfirmation), ReasonConfirmation},
		{k.price != "" && !strings.EqualFold(strings.TrimSpace(k.price), "free"), ReasonPrice},
		{e.Sensitivity != "" && e.Sensitivity != standard, ReasonSensitive},
		{k.suspicious, ReasonSuspicious},
		{k.otherSite, ReasonOtherSite},
		{k.pinChanged, ReasonPinChanged},
		{k.robots, ReasonRobots},
		{k.credential, ReasonNewCredential},
		{k.guessed, ReasonGuessed},
		{k.asksSecret, ReasonAsksSecret},
	} {
		if row.is {
			reasons = append(reasons, row.reason)
		}
	}
	decision, why := k.plainly(e)
	if why != "" {
		reasons = append(reasons, why)
	}
	if len(reasons) > 1 || len(reasons) == 1 && why == "" {
		decision = AskEach
	}
	return decision, reasons
}

// safe reports whether the method alone says that nothing is changed.
func (k *known) safe() bool { return k.plain && isSafe(k.method) }

// plainly is the decision by effects alone, and its reason.
func (k *known) plainly(e *wayfind.Effects) (Decision, Reason) {
	switch {
	case k.safe() && !denied(e.ReadOnly), said(e.ReadOnly) && k.trusted:
		return Run, ""
	case said(e.ReadOnly):
		return AskOnce, ReasonSaysReadOnly
	case k.safe(), e.ReadOnly != nil, e.Idempotent != nil, e.Reversible != nil:
		return AskSession, ReasonChanges
	}
	return AskSession, ReasonUnknown
}
