package call

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Decision says who must agree to a call. The zero Decision is none.
type Decision struct{ row *decisionRow }

// decisionRow holds all facts about a Decision.
type decisionRow struct {
	name string
	// session: one yes may cover several calls.
	session bool
	// once: each yes covers the calls of a tool, as long as its definition does not change.
	once bool
	// person says it to the person who is asked.
	person string
}

// decisions in order of caution.
var decisions = [...]decisionRow{
	{name: "run", session: true, person: "it is sent without a question"},
	{name: "ask_once", session: true, once: true, person: "you are asked once, until the definition changes"},
	{name: "ask_session", session: true, person: "you are asked, and may agree for a session"},
	{name: "ask_each", person: "you are asked each time"},
}

// The decisions, in order of caution.
var (
	// Run: no person is asked.
	Run = decisionOf("run")
	// AskOnce: a person is asked once for a tool, as long as its definition does not
	// change.
	AskOnce = decisionOf("ask_once")
	// AskSession: a person is asked, and may agree for a session.
	AskSession = decisionOf("ask_session")
	// AskEach: a person is asked each time.
	AskEach = decisionOf("ask_each")
)

// decisionOf is the decision of a name in the table. It panics if there is none.
func decisionOf(name string) Decision {
	return Decision{&decisions[slices.IndexFunc(decisions[:], func(r decisionRow) bool { return r.name == name })]}
}

// Decisions returns all decisions, in order of caution.
func Decisions() []Decision {
	list := make([]Decision, len(decisions))
	for i := range decisions {
		list[i].row = &decisions[i]
	}
	return list
}

func (d Decision) is() *decisionRow {
	if d.row == nil {
		return &decisionRow{}
	}
	return d.row
}

// String returns the name of the decision, which is stable; "" for the zero Decision.
func (d Decision) String() string { return d.is().name }

// IsZero reports whether there is no decision.
func (d Decision) IsZero() bool { return d.row == nil }

// MarshalText returns the name of the decision.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name of a decision. An empty name is the zero Decision.
func (d *Decision) UnmarshalText(name []byte) (err error) {
	*d = Decision{}
	if len(name) > 0 {
		*d, err = text.Word("decision", Decisions(), string(name))
	}
	return err
}

// Text says the decision to the person who is asked.
func (d Decision) Text() string { return d.is().person }

// Reason is why a person is asked. The zero Reason is none.
type Reason struct{ row *reasonRow }

// reasonRow holds all facts about a Reason.
type reasonRow struct{ name, text string }

// reasons are all reasons.
var reasons = [...]reasonRow{
	{"says_read_only", "the site says that it changes nothing, and nothing bears that out"},
	{"changes", "it changes something"},
	{"unknown", "its effects are not known"},
	{"destructive", "it may destroy something"},
	{"irreversible", "it cannot be undone"},
	{"needs_confirming", "the publisher wants a person to agree"},
	{"price", "it costs something"},
	{"sensitive", "the publisher calls it sensitive"},
	{"suspicious", "its texts address the model that reads them"},
	{"other_site", "it goes to another site than the one that describes it"},
	{"pin_changed", "its definition is not the one that was pinned"},
	{"robots", "robots.txt asks programs to keep out"},
	{"new_credential", "it sends a credential where none was sent before"},
	{"guessed", "its parameters were read from prose and may be wrong"},
	{"asks_secret", "it wants an argument that is named like a credential, and its documents name none"},
}

// The reasons.
var (
	ReasonSaysReadOnly  = reasonOf("says_read_only")   // by the site's word, which nothing bears out, it changes nothing
	ReasonChanges       = reasonOf("changes")          // it changes something
	ReasonUnknown       = reasonOf("unknown")          // its effects are not known
	ReasonDestructive   = reasonOf("destructive")      // it destroys something
	ReasonIrreversible  = reasonOf("irreversible")     // it cannot be undone
	ReasonConfirmation  = reasonOf("needs_confirming") // the publisher wants a person to agree
	ReasonPrice         = reasonOf("price")            // it costs something
	ReasonSensitive     = reasonOf("sensitive")        // the publisher calls it more than standard
	ReasonSuspicious    = reasonOf("suspicious")       // its texts address the model
	ReasonOtherSite     = reasonOf("other_site")       // it goes to another site than its document
	ReasonPinChanged    = reasonOf("pin_changed")      // its definition is not the pinned one
	ReasonRobots        = reasonOf("robots")           // robots.txt asks crawlers to keep out
	ReasonNewCredential = reasonOf("new_credential")   // a credential goes where none of this user's went before
	ReasonGuessed       = reasonOf("guessed")          // its parameters were read from prose
	ReasonAsksSecret    = reasonOf("asks_secret")      // an argument of the model is named like a credential
)

// reasonOf is the reason of a name in the table. It panics if there is none.
func reasonOf(name string) Reason {
	return Reason{&reasons[slices.IndexFunc(reasons[:], func(r reasonRow) bool { return r.name == name })]}
}

// Reasons returns all reasons.
func Reasons() []Reason {
	list := make([]Reason, len(reasons))
	for i := range reasons {
		list[i].row = &reasons[i]
	}
	return list
}

func (r Reason) is() *reasonRow {
	if r.row == nil {
		return &reasonRow{}
	}
	return r.row
}

// String returns the name of the reason, which is stable; "" for the zero Reason.
func (r Reason) String() string { return r.is().name }

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.row == nil }

// MarshalText returns the name of the reason.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name of a reason. An empty name is the zero Reason.
func (r *Reason) UnmarshalText(name []byte) (err error) {
	*r = Reason{}
	if len(name) > 0 {
		*r, err = text.Word("reason of a decision", Reasons(), string(name))
	}
	return err
}

// Text says a reason in words of ours.
func (r Reason) Text() string { return r.is().text }

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
	var list []Reason
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
			list = append(list, row.reason)
		}
	}
	decision, why := k.plainly(e)
	if !why.IsZero() {
		list = append(list, why)
	}
	if len(list) > 1 || len(list) == 1 && why.IsZero() {
		decision = AskEach
	}
	return decision, list
}

// safe reports whether the method alone says that nothing is changed.
func (k *known) safe() bool { return k.plain && isSafe(k.method) }

// plainly is the decision by effects alone, and its reason.
func (k *known) plainly(e *wayfind.Effects) (Decision, Reason) {
	switch {
	case k.safe() && !denied(e.ReadOnly), said(e.ReadOnly) && k.trusted:
		return Run, Reason{}
	case said(e.ReadOnly):
		return AskOnce, ReasonSaysReadOnly
	case k.safe(), e.ReadOnly != nil, e.Idempotent != nil, e.Reversible != nil:
		return AskSession, ReasonChanges
	}
	return AskSession, ReasonUnknown
}
