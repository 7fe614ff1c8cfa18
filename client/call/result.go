package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/site/offer"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// Result is the outcome of a call.
type Result struct {
	// Model is the part that a model may see.
	Model ModelResult `json:"model"`
	// Program is the part that only the program may see.
	Program ProgramResult `json:"program"`
}

// ModelResult is the part of a Result that a model may see. The texts of the site in it are
// data: they are cleaned and cut, and contain no credentials. See [ModelResult.Prompt].
type ModelResult struct {
	// Code is the reason why the call failed; zero if it succeeded.
	Code Code `json:"code,omitzero"`
	// Text explains the Code in words of this package. If the call succeeded, it is the
	// answer.
	Text string `json:"text"`
	// JSON is the answer, instead of Text, if the answer is JSON.
	JSON json.RawMessage `json:"json,omitempty"`
	// Note names, in words of this package, the arguments that the tool does not know and that
	// were not sent, and unusual features of an answer: a media type that no document
	// declares, a login page, a part. There may be a Note with an answer and with a Code. It
	// may be empty.
	Note string `json:"note,omitempty"`
	// Again is true if another call may help, later or with other arguments.
	Again bool `json:"again,omitempty"`
	// NotBefore is the time after which another call may help, with Throttled.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Cut is true if the answer is longer. The whole answer is in Program, and [Result.Part]
	// shows more of it. Cuts are the missing parts.
	Cut  bool          `json:"cut,omitempty"`
	Cuts []wayfind.Cut `json:"cuts,omitempty"`
	// Next are the arguments to change in a call for the next page. The other arguments stay
	// the same. The next page is never fetched automatically.
	Next json.RawMessage `json:"next,omitempty"`
	// Problem is the service's description of its failure, with UpstreamError.
	Problem *wayfind.Problem `json:"problem,omitempty"`
	// Parts are the images, sounds and files of the answer.
	Parts []Part `json:"parts,omitempty"`
	// Blocks are the whole answer of an MCP server, for a program that passes it on in that
	// protocol. Text and Parts have the same content.
	Blocks []Block `json:"-"`
	// Suspicious are the ways in which the answer addresses a model, as for a Capability.
	Suspicious []string `json:"suspicious,omitempty"`
	// Pending is true if the work goes on. Caller.Wait waits for its outcome.
	Pending bool `json:"pending,omitempty"`

	from *url.URL // the URL that was called
}

// ProgramResult is the part of a Result that only the program may see.
type ProgramResult struct {
	// Request is the request that was sent, with its credentials hidden; nil if no request was
	// sent.
	Request *Request `json:"request,omitempty"`
	// Status, Header and Body are the answer as the site sent it, without credentials of the
	// call.
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"-"`
	Body   []byte      `json:"-"`
	// Decision and Reasons state whether and why a person had to agree. By states who agreed:
	// "" (no question), "session", "person" or "ticket".
	Decision Decision `json:"decision,omitzero"`
	Reasons  []Reason `json:"reasons,omitempty"`
	By       string   `json:"by,omitempty"`
	// Ticket (for CallConfirmed) and Question are set with ConfirmationRequired.
	Ticket   string    `json:"ticket,omitempty"`
	Question *Question `json:"question,omitempty"`
	// Attempts is the number of times that the request was sent.
	Attempts int `json:"attempts,omitempty"`
	// Key is the idempotency key of the request, for Resume.
	Key string `json:"key,omitempty"`
	// Unplaced are the arguments that do not fit anywhere in the request. They were not sent.
	// ModelResult.Note names them to the model.
	Unplaced []string `json:"unplaced,omitempty"`
	// Overlaps are the pointers (RFC 6901) to arguments that match several alternatives of a
	// oneOf. The publisher's schema allows only one match, but the call is made.
	Overlaps []string `json:"overlaps,omitempty"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	// This package never runs them by itself.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Handle is for Caller.Wait if the work goes on.
	Handle *Handle `json:"handle,omitempty"`
	// Next is the call for the next page, with the arguments of this call and ModelResult.Next;
	// nil if the answer names no next page. The next page is never fetched automatically.
	Next *Handle `json:"-"`
	// ContinueURL is a page of the service where a person can continue, with Unidentified.
	ContinueURL string `json:"continueUrl,omitempty"`
	// Offers are the payments that the site demands for the call (402). Nothing is paid, and
	// the call is not sent again.
	Offers []wayfind.Offer `json:"offers,omitempty"`
	// Diagnostics describe the differences between the answer and its description.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics,omitempty"`

	shown *callresult.Answer // the answer that the model sees a part of
}

// result returns a new Result with the status, header and body of an answer.
func (s *sent) result(a *answer) *Result {
	res := &Result{}
	res.Program.Status, res.Program.Header, res.Program.Body = a.status, s.equipment.secrets.overHeader(a.header), a.body
	res.Program.Offers = offer.Demanded(a.status, res.Program.Header, s.equipment.secrets.over(a.body))
	return res
}

// take makes the Result of an answer over plain HTTP. poll is the URL at which the service
// announces the outcome.
func (s *sent) take(a *answer) (res *Result, poll string, err error) {
	res = s.result(a)
	poll, failed := s.judged(a)
	s.presentAnswer(res, a, failed == nil)
	if failed != nil {
		return res, "", failed
	}
	return res, poll, nil
}

// judged interprets the status of an answer. failed is nil if the call was made.
func (s *sent) judged(a *answer) (poll string, failed *Error) {
	if e, ok := errors.AsType[*Error](s.refusal); ok {
		return "", e // the reason why the demanded credential was not sent
	}
	c := s.tool.Capability
	told := &callresult.Answer{Status: a.status, Header: a.header, Body: s.equipment.secrets.over(a.body), URL: s.subject.url, Credential: len(s.parts) > 0}
	told.Fixed = c != nil && c.Invocation != nil && c.Invocation.Template == "" && s.attempts < 2
	o := callresult.Judge(told)
	line := func(code Code) *Error {
		return fail(code, nil, fmt.Sprintf("%d from %s: %s", a.status, s.subject.url.Host, o.Phrase))
	}
	switch o.Kind {
	case callresult.OK:
		return "", nil
	case callresult.Pending:
		return o.Poll.String(), nil
	case callresult.Throttled:
		return "", throttled(a)
	case callresult.Moved:
		if (a.status == http.StatusSeeOther || a.status == http.StatusFound) && s.effect != Reads {
			return "", s.unknown(nil) // the answer at the other URL may be that the work was done
		}
		return "", line(Refused)
	}
	failed = line(codeFor(o.Kind))
	if o.Kind == callresult.UpstreamError {
		failed.problem, failed.arguments = o.Problem, o.Arguments
	}
	return "", failed
}

// throttled returns the error of a service that limits its calls.
func throttled(a *answer) *Error {
	e := fail(Throttled, nil, "")
	if wait, told := retryAfter(a.header); told {
		e.notBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
		return e
	}
	for _, rate := range a.rates() {
		if rate.Remaining == 0 && rate.Reset > 0 {
			e.notBefore = time.Now().Add(rate.Reset).UTC().Truncate(time.Second)
		}
	}
	return e
}

// rates returns the numbers of remaining calls in the answer.
func (a *answer) rates() []callresult.Rate {
	return callresult.Rates(a.header, fetch.Sent(a.header, time.Now()))
}

// retryAfter returns the value of the field Retry-After, and whether the answer has one.
func retryAfter(h http.Header) (time.Duration, bool) {
	return fetch.RetryAfter(h, time.Now())
}

// named adds the name of the tool to an error, and removes secrets from it.
func named(ctx context.Context, tool string, secrets veil, err error) *Error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = refusalOf(ctx, err)
	}
	own := *e
	own.Tool = tool
	if own.Err != nil && len(secrets) > 0 {
		said := own.Err.Error()
		if clean := string(secrets.over([]byte(said))); clean != said {
			own.Err = errors.New(clean)
		}
	}
	return &own
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
	if note := notSent(p.Unplaced); note != "" {
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
		r.record(ctx, a, Code{})
		return res, nil
	}
	e := named(ctx, t.name, secrets, err)
	p.Ticket, p.Question = e.ticket, e.question
	if e.Code == Gone && p.Attempts > 0 {
		t.forget(context.WithoutCancel(ctx))
	}
	m.explain(e)
	r.record(ctx, a, e.Code)
	return res, e
}

// forget removes the documents of a tool from the cache, so that the next read gets the
// current definition. If a site is under development, its name is a URL that identifies only
// itself, so each document is removed as well.
func (t *target) forget(ctx context.Context) {
	_ = t.caller.client.Purge(ctx, t.plan.site)
	for _, ref := range t.tool.Sources {
		_ = t.caller.client.Purge(ctx, ref.Source)
	}
}

// explain describes an error to the model: first in words of this package, then with the
// site's own description of its failure, as data, if that helps.
func (m *ModelResult) explain(e *Error) {
	m.Code, m.Again, m.NotBefore, m.Problem = e.Code, e.Code.Again() || e.arguments, e.notBefore, e.problem
	told := e.Code.Sentence()
	if e.Code == InvalidArguments {
		m.Note = "" // nothing was sent
	}
	if e.Code == InvalidArguments && e.Err != nil {
		told += " " + strings.TrimPrefix(e.Err.Error(), "invalid arguments: ") + "."
	}
	if unknown, ok := errors.AsType[*tools.NameError](e.Err); ok && len(unknown.Nearest) > 0 {
		told += " The nearest names are " + strings.Join(unknown.Nearest, ", ") + "."
	}
	if e.Detail != "" {
		told += " (" + e.Detail + ")"
	}
	if known, ok := errors.AsType[*wayfind.Error](e.Err); ok && e.Code == Throttled && m.NotBefore.IsZero() {
		m.NotBefore = known.NotBefore
	}
	if e.Code == UpstreamError && m.Problem == nil && m.Text != "" && m.Text != "(no content)" {
		m.Text = told + serviceSays + m.Text
		return
	}
	if e.Code != UpstreamError || m.Problem != nil {
		// The texts of challenges and refusals are not shown, and a Problem contains
		// everything that helps.
		m.JSON, m.Parts, m.Blocks, m.Cuts, m.Cut, m.Next = nil, nil, nil, nil, false, nil
	}
	switch {
	case e.Code != UpstreamError:
		m.Suspicious = nil
	case m.Problem != nil:
		m.Suspicious = callresult.Suspicious(m.Problem)
	}
	m.Text = told
}
