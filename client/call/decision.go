package call

import "github.com/wayfindhq/wayfind/internal/syntax/text"

// Decision states who must agree to a call. The zero Decision means that there is none: the
// call ended with a Code before a person could agree to it.
type Decision struct{ row *decisionRow }

// decisionRow holds all facts about a Decision.
type decisionRow struct {
	name string
	// session is true if one agreement may cover several calls.
	session bool
	// once is true if an agreement covers all calls of a tool as long as its definition does
	// not change.
	once bool
	// person is the text for the person who is asked.
	person string
}

// The decisions, in order of caution.
var (
	// Run: no person is asked.
	Run = Decision{&decisionRow{name: "run", session: true, person: "it is sent without a question"}}
	// AskOnce: a person is asked once for a tool, as long as its definition does not
	// change.
	AskOnce = Decision{&decisionRow{name: "ask_once", session: true, once: true, person: "you are asked once, until the definition changes"}}
	// AskSession: a person is asked, and may agree for a session.
	AskSession = Decision{&decisionRow{name: "ask_session", session: true, person: "you are asked, and may agree for a session"}}
	// AskEach: a person is asked for each call.
	AskEach = Decision{&decisionRow{name: "ask_each", person: "you are asked each time"}}
	// Refuse: no person can be asked, and no setting of the operator allows the call. The
	// judgement of a call is never Refuse by itself: a program that cannot ask a person turns
	// a decision into Refuse.
	Refuse = Decision{&decisionRow{name: "refuse", person: "it is refused, since no person can be asked"}}
)

// Decisions returns all decisions, in order of caution.
func Decisions() []Decision { return []Decision{Run, AskOnce, AskSession, AskEach, Refuse} }

func (d Decision) is() decisionRow { return text.Row(d.row) }

// String returns the name of the decision, which is stable; "" for the zero Decision.
func (d Decision) String() string { return d.is().name }

// IsZero reports whether there is no decision.
func (d Decision) IsZero() bool { return d.row == nil }

// MarshalText returns the name of the decision.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name of a decision. An empty name is the zero Decision.
func (d *Decision) UnmarshalText(name []byte) (err error) {
	*d, err = text.OptionalWord("decision", Decisions(), name)
	return err
}

// Text explains the decision to the person who is asked.
func (d Decision) Text() string { return d.is().person }

// Reason is the reason why a person is asked. The zero Reason means that there is none.
type Reason struct{ row *reasonRow }

// reasonRow holds all facts about a Reason.
type reasonRow struct{ name, text string }

// The reasons. "It" in a reason is the tool, or a call of it.
var (
	// ReasonSaysReadOnly: the site declares that the call changes nothing, and nothing
	// confirms that.
	ReasonSaysReadOnly = Reason{&reasonRow{"says_read_only", "the site says that it changes nothing, and nothing bears that out"}}
	// ReasonChanges: it changes something.
	ReasonChanges = Reason{&reasonRow{"changes", "it changes something"}}
	// ReasonUnknown: its effects are not known.
	ReasonUnknown = Reason{&reasonRow{"unknown", "its effects are not known"}}
	// ReasonDestructive: it may destroy something.
	ReasonDestructive = Reason{&reasonRow{"destructive", "it may destroy something"}}
	// ReasonIrreversible: it cannot be undone.
	ReasonIrreversible = Reason{&reasonRow{"irreversible", "it cannot be undone"}}
	// ReasonRepeats: the publisher declares that a second call does more than the first.
	ReasonRepeats = Reason{&reasonRow{"repeats", "doing it twice does more than doing it once"}}
	// ReasonConfirmation: the publisher wants a person to agree.
	ReasonConfirmation = Reason{&reasonRow{"needs_confirming", "the publisher wants a person to agree"}}
	// ReasonPrice: it costs something.
	ReasonPrice = Reason{&reasonRow{"price", "it costs something"}}
	// ReasonSensitive: the publisher declares a sensitivity above standard.
	ReasonSensitive = Reason{&reasonRow{"sensitive", "the publisher calls it sensitive"}}
	// ReasonSuspicious: its texts address the model.
	ReasonSuspicious = Reason{&reasonRow{"suspicious", "its texts address the model that reads them"}}
	// ReasonOtherSite: it goes to another site than the site of its document.
	ReasonOtherSite = Reason{&reasonRow{"other_site", "it goes to another site than the one that describes it"}}
	// ReasonPinChanged: its definition is not the pinned one.
	ReasonPinChanged = Reason{&reasonRow{"pin_changed", "its definition is not the one that was pinned"}}
	// ReasonRobots: robots.txt asks crawlers to keep out.
	ReasonRobots = Reason{&reasonRow{"robots", "robots.txt asks programs to keep out"}}
	// ReasonNewCredential: a credential goes to an origin that no credential of this user went
	// to before.
	ReasonNewCredential = Reason{&reasonRow{"new_credential", "it sends a credential where none was sent before"}}
	// ReasonGuessed: its parameters were read from prose.
	ReasonGuessed = Reason{&reasonRow{"guessed", "its parameters were read from prose and may be wrong"}}
	// ReasonAsksSecret: an argument of the model has the name of a credential.
	ReasonAsksSecret = Reason{&reasonRow{"asks_secret", "it wants an argument that is named like a credential, and its documents name none"}}
	// ReasonLost: the last call with the same arguments ended with OutcomeUnknown within the last hour.
	ReasonLost = Reason{&reasonRow{"lost", "the last try was lost, and may have been carried out"}}
	// ReasonManyScopes: its token would have many scopes at once.
	ReasonManyScopes = Reason{&reasonRow{"many_scopes", "its token would have many scopes at once"}}
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{
		ReasonSaysReadOnly, ReasonChanges, ReasonUnknown, ReasonDestructive, ReasonIrreversible, ReasonRepeats, ReasonConfirmation, ReasonPrice, ReasonSensitive,
		ReasonSuspicious, ReasonOtherSite, ReasonPinChanged, ReasonRobots, ReasonNewCredential, ReasonGuessed, ReasonAsksSecret, ReasonLost, ReasonManyScopes,
	}
}

// String returns the name of the reason, which is stable; "" for the zero Reason.
func (r Reason) String() string { return text.Row(r.row).name }

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.row == nil }

// MarshalText returns the name of the reason.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name of a reason. An empty name is the zero Reason.
func (r *Reason) UnmarshalText(name []byte) (err error) {
	*r, err = text.OptionalWord("reason of a decision", Reasons(), name)
	return err
}

// Text explains the reason in words of this package.
func (r Reason) Text() string { return text.Row(r.row).text }
