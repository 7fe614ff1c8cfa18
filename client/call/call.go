package call

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

// order is a call as a program asks for it.
type order struct {
	box       *tools.Box
	name      string
	arguments []byte
	sealed    string // the ticket of CallConfirmed
	inOrder   bool   // the call is made, so that its prerequisites come first
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

// unmade returns the outcome of a call for which the program lacks a value.
func unmade(err error) (*Result, error) {
	res, e := &Result{}, fail(Refused, err, "")
	res.Model.explain(e)
	return res, e
}

func (r *road) travel(ctx context.Context, o order) (res *Result, err error) {
	o.inOrder = true
	if r.prepared, err = r.target.prepare(ctx, o); err != nil {
		return nil, err
	}
	if r.agreed, err = agree(ctx, &r.prepared, &o); err != nil {
		return nil, err
	}
	r.sent, res, err = r.agreed.perform(ctx, r.prepared.begin(), nil)
	return res, err
}

// log writes one line about a call to the logger of the Client. It has no arguments, no
// credential, and no name that a model has written.
func (r *road) log(ctx context.Context, a *agreed, code Code) {
	t, logger := &r.target, access.Of(r.target.caller.client).Logger()
	if !logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	var attrs []slog.Attr
	if t.tool != nil {
		attrs = append(attrs, slog.String("operation", t.tool.Key), slog.String("domain", t.tool.Domain))
	}
	if t.protocol.name != "" {
		attrs = append(attrs, slog.String("protocol", t.protocol.name))
	}
	if a.subject != nil && a.subject.url != nil { // a status that is looked up has no address before its request
		attrs = append(attrs, slog.String("method", a.subject.method), slog.String("host", a.subject.url.Host))
	}
	attrs = append(attrs,
		slog.Int("status", r.sent.status), slog.Duration("duration", time.Since(r.started)), slog.Int("bytes", r.sent.bytes), slog.Int("attempts", r.sent.attempts))
	if !code.IsZero() {
		attrs = append(attrs, slog.String("code", code.String()))
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
}

// record logs the call, and passes its record to Options.Audit.
func (r *road) record(ctx context.Context, a *agreed, code Code) {
	r.log(ctx, a, code)
	t, o := &r.target, &r.target.caller.opts
	if o.Audit == nil {
		return
	}
	rec := &Record{
		Time: r.started, Principal: t.principal, Tool: t.name, Decision: a.decision, Reasons: a.reasons, By: a.by, Code: code,
		Status: r.sent.status, Bytes: r.sent.bytes, Attempts: r.sent.attempts, Duration: time.Since(r.started), Call: t.caller.keyed(t.args),
	}
	if t.tool != nil {
		rec.Tool, rec.Domain, rec.Key, rec.Definition = t.tool.Name, t.tool.Domain, t.tool.Key, t.caller.keyed([]byte(t.plan.definition()))
	}
	secrets := r.secrets()
	if t.tool == nil {
		rec.Tool = redactedText(t.name, secrets) // a model may write anything
	}
	if a.subject != nil {
		rec.Method, rec.Origin, rec.Credentials = a.subject.method, a.subject.origin, a.subject.placed
		if t.tool != nil {
			rec.URL = redactedText(t.addressOf(a.subject), secrets)
		}
	}
	if o.AuditArguments && t.args != nil {
		rec.Arguments = redacted(t.args, secrets)
	}
	_ = tellHook("Audit", func() { o.Audit(t.caller.chained(rec)) }) // the call is over
}

// secrets returns the texts that no record may contain. They include the credentials that were
// chosen for the call, even if they were not used.
func (r *road) secrets() veil {
	own := r.sent.equipment.secrets
	for i := range r.prepared.parts {
		own = own.and(r.prepared.parts[i].grant.hidden.value)
	}
	return own
}

// end completes the Result of a call, as far as the call got.
func (r *road) end(ctx context.Context, res *Result, err error) (*Result, error) {
	if res == nil {
		res = &Result{}
	}
	a, t := &r.agreed, &r.target
	if r.sent.agreed != nil {
		a = r.sent.agreed // the new agreement
	}
	if a.prepared == nil {
		a.prepared = &r.prepared
	}
	secrets := r.sent.equipment.secrets
	p, m := &res.Program, &res.Model
	p.Decision, p.Reasons, p.By, p.Unplaced, p.Overlaps, p.Attempts = a.decision, a.reasons, a.by, a.unplaced, t.overlaps, r.sent.attempts
	p.Body = secrets.over(p.Body)
	p.Retyped, p.Nulls = t.retyped, t.nulls
	for _, note := range []string{notSent(p.Unplaced), readAs(p.Retyped), t.leftOut(), t.told()} {
		if note == "" {
			continue
		}
		m.Note = strings.TrimSpace(m.Note + " " + string(secrets.over([]byte(note))))
	}
	if a.subject != nil && a.subject.key != nil {
		p.Key = a.subject.key.value
	}
	if p.Attempts > 0 {
		p.Request = a.subject.sentForm()
	}
	if t.tool != nil && t.tool.Capability != nil {
		p.DependsOn = t.tool.Capability.DependsOn
	}
	if err == nil {
		m.unkept(a.settle(ctx, Code{}, p.Attempts > 0))
		r.keepTry(Code{})
		r.record(ctx, a, Code{})
		return res, nil
	}
	e := named(ctx, t.name, secrets, err)
	p.Ticket, p.Question = e.ticket, e.question
	if e.Code == Gone && p.Attempts > 0 {
		t.forget(context.WithoutCancel(ctx))
	}
	m.unkept(a.settle(ctx, e.Code, p.Attempts > 0))
	if t.tool != nil && p.Status != 0 {
		m.recover(t, p, secrets)
	}
	m.explain(e)
	r.keepTry(e.Code)
	r.record(ctx, a, e.Code)
	return res, e
}

// keepTry remembers the call for those that need it first.
func (r *road) keepTry(code Code) {
	if t := &r.target; t.tool != nil && t.completion == nil {
		t.caller.keepTry(t.principal, t.tool, code)
	}
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
	// Retyped and Nulls are those of ProgramResult.
	Retyped []string `json:"retyped,omitempty"`
	Nulls   []string `json:"nulls,omitempty"`
	// Ticket is the ticket for CallConfirmed after a person has agreed to this request.
	Ticket string `json:"ticket,omitempty"`
}
