package call

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/wayfindhq/wayfind"
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
	// Nulls are the names of arguments that the model gave as null and that are not sent, because the
	// tool takes no null for them, cleaned.
	Nulls []string `json:"nulls,omitempty"`
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
	// Stated are sentences about what the site states about the tool: see tools.Tool.Stated.
	Stated []string `json:"stated,omitempty"`
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
