package call

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Question is a question to a person about a call. Its strings are cleaned text of
// strangers, but for those of types of this package.
type Question struct {
	// Principal on whose behalf the call is made.
	Principal string `json:"principal,omitempty"`
	// Tool is its name, Domain and Key where it is from, Title what the site calls
	// it.
	Tool   string `json:"tool"`
	Domain string `json:"domain"`
	Key    string `json:"key"`
	Title  string `json:"title,omitempty"`
	// Request that will be sent, and no other.
	Request *Request `json:"request"`
	// Arguments of the model, cleaned.
	Arguments json.RawMessage `json:"arguments"`
	// Unplaced are those of the Arguments that the tool does not know and that are not
	// sent, cleaned.
	Unplaced []string `json:"unplaced,omitempty"`
	// Effects according to the site.
	Effects *wayfind.Effects `json:"effects,omitempty"`
	Price   string           `json:"price,omitempty"`
	// Decision and Reasons say why a person is asked.
	Decision Decision `json:"decision"`
	Reasons  []Reason `json:"reasons"`
	// Session: the answer may be AllowSession.
	Session bool `json:"session"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	DependsOn []string `json:"dependsOn,omitempty"`
}

// Verdict is the answer of a person.
type Verdict int

// The verdicts. The zero Verdict is a no.
const (
	// Deny refuses the call.
	Deny Verdict = iota
	// AllowOnce lets this request pass, once.
	AllowOnce
	// AllowSession lets calls of the tool to this origin pass as long as its
	// definition is no riskier than now. Where Question.Session is false it is
	// AllowOnce.
	AllowSession
	// Later: a person is asked elsewhere. The call ends with
	// [ConfirmationRequired] and a ticket for [Caller.Redeem].
	Later
)

// Answer to a [Question].
type Answer struct {
	Verdict Verdict
	// Why the call is refused, for the model.
	Why string
}

// question is the question about the call.
func (r *run) question() *Question {
	q := &Question{
		Principal: r.principal, Tool: r.tool.Name, Domain: r.tool.Domain, Key: r.tool.Key, Title: r.tool.Service.Name,
		Request: r.wire.shown(), Decision: r.decision, Reasons: slices.Clone(r.reasons), Session: r.decision.is().session,
		Arguments: json.RawMessage(`{}`),
	}
	var short bytes.Buffer // blanks of the model could push the rest out of sight
	if clean, _, err := text.CleanJSON(r.args); err == nil && json.Compact(&short, clean) == nil {
		q.Arguments = short.Bytes()
	}
	for _, name := range r.unplaced[:min(len(r.unplaced), maxNoted)] {
		name, _ = text.Clean(name, false, maxNotedName)
		q.Unplaced = append(q.Unplaced, name)
	}
	if c := r.tool.Capability; c != nil {
		q.Title, q.Effects, q.Price, q.DependsOn = c.Title, c.Effects, c.Price, slices.Clone(c.DependsOn)
	}
	return q
}

// confirm lets the call pass, or says why not.
func (r *run) confirm(sealed string) error {
	if sealed != "" {
		return r.redeem(sealed)
	}
	if r.decision == Run {
		return nil
	}
	if r.remembered() {
		r.by = "session"
		return nil
	}
	t, err := r.newTicket()
	if err != nil {
		return err
	}
	if r.caller.opts.Confirm == nil {
		r.result.Program.Ticket, r.result.Program.Question = r.caller.seal(t), r.question()
		return fail(ConfirmationRequired, nil, reasonText(r.reasons))
	}
	answer, err := r.caller.opts.Confirm(r.ctx, r.question())
	if err != nil {
		return fail(ConfirmationRequired, err, "no person could be asked")
	}
	return r.answered(t, answer)
}

// answered does what a person said.
func (r *run) answered(t *ticket, a Answer) error {
	switch a.Verdict {
	case Later:
		r.result.Program.Ticket, r.result.Program.Question = r.caller.seal(t), r.question()
		return fail(ConfirmationRequired, nil, reasonText(r.reasons))
	case AllowOnce, AllowSession:
	default:
		why, _ := text.Clean(a.Why, false, 300)
		return fail(Denied, nil, why)
	}
	if err := r.caller.spend(r.ctx, t); err != nil {
		return fail(Denied, err, "")
	}
	r.ticket, r.by = t, "person"
	if d := r.decision.is(); d.once || d.session && a.Verdict == AllowSession {
		r.remember(d.once)
	}
	r.lend()
	return nil
}

// redeem lets a call pass for which there is a ticket.
func (r *run) redeem(sealed string) error {
	t, err := r.caller.open(sealed)
	if err == nil {
		err = r.check(t)
	}
	if err == nil {
		err = r.matches(t)
	}
	if err == nil {
		err = r.caller.spend(r.ctx, t)
	}
	if err != nil {
		return fail(ConfirmationRequired, err, "the agreement does not cover this call")
	}
	r.ticket, r.by = t, "ticket"
	r.lend()
	return nil
}

// matches reports whether the request is the one of a ticket.
func (r *run) matches(t *ticket) error {
	p, err := printOf(r.wire.request(r.ctx), r.wire)
	if err != nil {
		return err
	}
	if !p.equal(t.Request) {
		return errOther
	}
	return nil
}

// reasonText says the reasons in one line.
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
