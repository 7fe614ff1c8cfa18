package call

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/offer"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Question is a question to a person about a call. Its strings are cleaned text of strangers,
// except values of types of this package.
type Question struct {
	// Principal is the user on whose behalf the call is made.
	Principal string `json:"principal,omitempty"`
	// Tool is the name of the tool, Domain and Key identify its origin, and Title is the title
	// that the site gives it.
	Tool   string `json:"tool"`
	Domain string `json:"domain"`
	Key    string `json:"key"`
	Title  string `json:"title,omitempty"`
	// Request is the only request that will be sent.
	Request *Request `json:"request"`
	// Arguments are the arguments of the model, cleaned.
	Arguments json.RawMessage `json:"arguments"`
	// Unplaced are the names of arguments that the tool does not know and that are not sent,
	// cleaned.
	Unplaced []string `json:"unplaced,omitempty"`
	// Effects are the effects according to the site.
	Effects *wayfind.Effects `json:"effects,omitempty"`
	Price   string           `json:"price,omitempty"`
	// Effect is the effect of the call. Decision and Reasons state why a person is asked.
	Effect   Effect   `json:"effect"`
	Decision Decision `json:"decision"`
	Reasons  []Reason `json:"reasons"`
	// Session is true if the answer may be AllowSession. It is also true for a question that
	// is asked each time if a new credential is its only cause, because the next call has no
	// new credential.
	Session bool `json:"session"`
	// Scopes are the scopes that a token would have if Reasons has ReasonManyScopes. The
	// agreement is then to the token.
	Scopes []string `json:"scopes,omitempty"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	DependsOn []string `json:"dependsOn,omitempty"`
}

// Verdict is the answer of a person.
type Verdict int

// The verdicts. The zero Verdict is Deny.
const (
	// Deny refuses the call.
	Deny Verdict = iota
	// AllowOnce lets this request pass, once.
	AllowOnce
	// AllowSession lets calls of the tool to this origin pass as long as its definition is no
	// riskier than now and its texts are the same. If Question.Session is false, it is the
	// same as AllowOnce.
	AllowSession
	// Later means that a person is asked elsewhere. The call ends with [ConfirmationRequired]
	// and a ticket for [Caller.CallConfirmed].
	Later
)

// Answer is the answer to a [Question].
type Answer struct {
	Verdict Verdict
	// Why is the reason of a refusal, for the model.
	Why string
}

// agreed is a call that may be sent.
type agreed struct {
	*prepared
	judgement
	by     string  // who agreed: "", "session", "person", "ticket"
	ticket *ticket // of the agreement to this request; nil if none was needed or the session has one
}

// agree lets a call pass, or returns the reason why it does not. The judgement is returned
// even if there is an error.
func agree(ctx context.Context, p *prepared, o *order) (agreed, error) {
	a := agreed{prepared: p, judgement: judge(p.facts)}
	switch {
	case o.sealed != "":
		return a, a.redeem(ctx, o)
	case a.decision == Run:
		return a, nil
	case a.remembered():
		a.by = "session"
		return a, nil
	}
	t := a.newTicket()
	if a.caller.opts.Confirm == nil {
		return a, a.later(t)
	}
	answer, err := askHook("Confirm", func() (Answer, error) { return a.caller.opts.Confirm(ctx, a.question()) })
	if err != nil {
		return a, fail(ConfirmationRequired, err, "no person could be asked")
	}
	return a, a.answered(ctx, t, answer)
}

// later leaves the question to a person elsewhere. The answer comes back with the ticket.
func (a *agreed) later(t *ticket) *Error {
	e := fail(ConfirmationRequired, nil, reasonText(a.reasons))
	e.question, e.ticket = a.question(), a.caller.seal(t)
	return e
}

// answered applies the answer of a person.
func (a *agreed) answered(ctx context.Context, t *ticket, said Answer) error {
	switch said.Verdict {
	case Later:
		return a.later(t)
	case AllowOnce, AllowSession:
	default:
		why, _ := text.Clean(said.Why, false, 300)
		return fail(Denied, nil, why)
	}
	if err := a.caller.spend(ctx, t); err != nil {
		return fail(Denied, err, "")
	}
	a.ticket, a.by = t, "person"
	a.keep(a.decision.is().once || said.Verdict == AllowSession)
	return nil
}

// keep remembers an agreement: the origins that credentials may go to and, if it covers the
// session, the agreement itself.
func (a *agreed) keep(session bool) {
	if session && a.next != Run && a.next.is().session {
		a.remember(a.next.is().once)
	}
	a.caller.disclose(a.news)
}

// redeem lets a call pass if its ticket is valid.
func (a *agreed) redeem(ctx context.Context, o *order) error {
	t, err := a.caller.open(o.sealed)
	if err == nil {
		err = t.covers(a)
	}
	if err == nil {
		err = a.caller.spend(ctx, t)
	}
	if err != nil {
		return fail(ConfirmationRequired, err, "the agreement does not cover this call")
	}
	a.ticket, a.by = t, "ticket"
	a.keep(o.session)
	return nil
}

// question returns the question about the call.
func (a *agreed) question() *Question {
	q := &Question{
		Principal: a.principal, Tool: a.tool.Name, Domain: a.tool.Domain, Key: a.tool.Key, Title: a.tool.Service.Name,
		Request: a.subject.shown(), Effect: a.effect, Decision: a.decision, Reasons: slices.Clone(a.reasons), Session: a.next.is().session,
		Arguments: json.RawMessage(`{}`),
	}
	var short bytes.Buffer // white space from the model could push the rest out of sight
	if clean, _, err := text.CleanJSON(a.args); err == nil && json.Compact(&short, clean) == nil {
		q.Arguments = short.Bytes()
	}
	for _, name := range a.unplaced[:min(len(a.unplaced), maxNoted)] {
		name, _ = text.Clean(name, false, maxNotedName)
		q.Unplaced = append(q.Unplaced, name)
	}
	if c := a.tool.Capability; c != nil {
		q.Title, q.Effects, q.Price, q.DependsOn = c.Title, c.Effects, cmp.Or(c.Price, offer.Price(c)), slices.Clone(c.DependsOn)
	}
	return q
}

// reasonText returns the reasons in one line.
func reasonText(list []Reason) string {
	var out strings.Builder
	for i, reason := range list {
		if i > 0 {
			out.WriteString("; ")
		}
		out.WriteString(reason.Text())
	}
	return out.String()
}
