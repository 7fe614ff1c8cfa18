package call

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/door"
)

// Call calls a tool with the arguments that the model wrote. The error is an *Error. The
// Result is not nil even if there is an error: it contains the explanation of the error for
// the model.
func (c *Caller) Call(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments})
}

// Resume repeats a call that ended with [OutcomeUnknown], with the idempotency key from its
// Result, so that a service that keeps its promise does nothing twice. Resume refuses a tool
// that takes no idempotency key, and a key that the service no longer knows.
func (c *Caller) Resume(ctx context.Context, box *tools.Box, tool string, arguments []byte, key string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, resumed: cmp.Or(key, "-")})
}

// CallConfirmed is Call with the ticket from a Result with the code [ConfirmationRequired]. The
// program calls it after a person has agreed. CallConfirmed refuses a ticket that was changed, was
// used before, has expired or is for another call.
func (c *Caller) CallConfirmed(ctx context.Context, box *tools.Box, tool string, arguments []byte, ticket string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, sealed: cmp.Or(ticket, "-")}) // an empty ticket is invalid, not absent
}

// CallConfirmedForSession is CallConfirmed for a person who has agreed for the session, as with
// [AllowSession]. If the [Question] did not offer a session, it is the same as CallConfirmed.
func (c *Caller) CallConfirmedForSession(ctx context.Context, box *tools.Box, tool string, arguments []byte, ticket string) (*Result, error) {
	return c.run(ctx, order{box: box, name: tool, arguments: arguments, sealed: cmp.Or(ticket, "-"), session: true})
}

// order is a call as a program asks for it.
type order struct {
	box       *tools.Box
	name      string
	arguments []byte
	sealed    string // the ticket of CallConfirmed
	session   bool   // the agreement by the ticket is for the session
	resumed   string // the idempotency key of an earlier attempt

	completion *Completion // the completion that is requested; nil for a call
}

// road holds the values of a call. Each value is made from the one before it. The values that
// a call has not reached are empty.
type road struct {
	started  time.Time
	target   target
	prepared prepared
	agreed   agreed
	sent     sent
}

// run makes a call, from the choice of the tool to the Result.
func (c *Caller) run(ctx context.Context, o order) (*Result, error) {
	if err := c.made(); err != nil {
		return unmade(err)
	}
	r := &road{started: time.Now(), target: target{caller: c, name: o.name}}
	event := client.Event{Kind: client.EventCall}
	within, part := door.Of(c.client).Observe(ctx, event)
	res, err := r.travel(within, o)
	res, err = r.end(within, res, err)
	event.Outcome = client.OutcomeDone
	if e, ok := errors.AsType[*Error](err); ok {
		event.Outcome = e.Code.String()
	}
	if r.target.tool != nil {
		event.Target = r.target.tool.Origin
	}
	part.End(event)
	return res, err
}

// unmade returns the outcome of a call for which the program lacks a value.
func unmade(err error) (*Result, error) {
	res, e := &Result{}, fail(Refused, err, "")
	res.Model.explain(e)
	return res, e
}

func (r *road) travel(ctx context.Context, o order) (res *Result, err error) {
	if r.prepared, err = r.target.prepare(ctx, o); err != nil {
		return nil, err
	}
	if r.agreed, err = agree(ctx, &r.prepared, &o); err != nil {
		return nil, err
	}
	r.sent, res, err = r.agreed.perform(ctx, r.prepared.begin(), nil)
	return res, err
}

// Preview describes a call that was not made.
type Preview struct {
	// Request is the request that would be sent first.
	Request *Request `json:"request"`
	// Decision and Reasons state whether a person would be asked, and why.
	Decision Decision `json:"decision"`
	Reasons  []Reason `json:"reasons,omitempty"`
	// Agreed is true if an earlier agreement for the session covers the call.
	Agreed bool `json:"agreed,omitempty"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	// This package never runs them by itself.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Unplaced are the arguments that do not fit anywhere in the request.
	Unplaced []string `json:"unplaced,omitempty"`
	// Ticket is the ticket for CallConfirmed after a person has agreed to this request.
	Ticket string `json:"ticket,omitempty"`
}

// DryRun returns the request that Call would send, and whether a person would be asked. It
// contacts no site and fetches no token, but it calls Options.Credentials and Options.Approve.
func (c *Caller) DryRun(ctx context.Context, box *tools.Box, tool string, arguments []byte) (*Preview, error) {
	if err := c.made(); err != nil {
		return nil, fail(Refused, err, "")
	}
	t := target{caller: c, name: tool}
	prepared, err := t.prepare(ctx, order{box: box, name: tool, arguments: arguments})
	if err != nil {
		return nil, named(ctx, tool, nil, err)
	}
	a := agreed{prepared: &prepared, judgement: judge(prepared.facts)}
	p := &Preview{Request: prepared.subject.shown(), Decision: a.decision, Reasons: a.reasons, Agreed: a.remembered(), Unplaced: prepared.unplaced}
	if capability := t.tool.Capability; capability != nil {
		p.DependsOn = slices.Clone(capability.DependsOn)
	}
	if a.decision != Run {
		p.Ticket = c.seal(a.newTicket())
	}
	return p, nil
}
