package call

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/internal/fetch"
)

// Result is the outcome of a call.
type Result struct {
	// Model is what a model may see.
	Model ModelResult `json:"model"`
	// Program is what only the program may see.
	Program ProgramResult `json:"program"`
}

// ModelResult is the part of a Result that a model may see. The texts of the site in it
// are data: they are cleaned and cut, and hold no credentials. See [ModelResult.Prompt].
type ModelResult struct {
	// Code is empty when the call was made.
	Code Code `json:"code,omitempty"`
	// Text explains the Code in our own words. For a call that succeeded it is the answer.
	Text string `json:"text"`
	// JSON is the answer where it is JSON, in place of Text.
	JSON json.RawMessage `json:"json,omitempty"`
	// Note names, in our own words, the arguments that the tool does not know and that
	// were not sent. It stands beside an answer and beside a Code. It may be empty.
	Note string `json:"note,omitempty"`
	// Again: calling again helps, later or with other arguments.
	Again bool `json:"again,omitempty"`
	// NotBefore is the time from which calling again helps, with Throttled.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Cut: the answer is longer. The whole is in Program, [Result.Part] shows more of it,
	// and Cuts say which parts are missing.
	Cut  bool          `json:"cut,omitempty"`
	Cuts []wayfind.Cut `json:"cuts,omitempty"`
	// Next are the arguments that differ in a call for the next page; the others stay the
	// same. The page is not fetched by itself.
	Next json.RawMessage `json:"next,omitempty"`
	// Problem is the service's account of its failure, with UpstreamError.
	Problem *wayfind.Problem `json:"problem,omitempty"`
	// Suspicious are the ways in which the answer addresses a model, as for a Capability.
	Suspicious []string `json:"suspicious,omitempty"`
	// Pending: the work goes on. Caller.Wait waits for its outcome.
	Pending bool `json:"pending,omitempty"`

	from *url.URL // that was called
}

// ProgramResult is the part of a Result for the program alone.
type ProgramResult struct {
	// Request that was sent, its credentials hidden; nil when none was sent.
	Request *Request `json:"request,omitempty"`
	// Status, Header and Body of the answer, as the site sent them but for credentials of
	// the call.
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"-"`
	Body   []byte      `json:"-"`
	// Decision, Reasons and By say who agreed: "" (no question), "session",
	// "person" or "ticket".
	Decision Decision `json:"decision,omitempty"`
	Reasons  []Reason `json:"reasons,omitempty"`
	By       string   `json:"by,omitempty"`
	// Ticket, for Redeem, and Question come with ConfirmationRequired.
	Ticket   string    `json:"ticket,omitempty"`
	Question *Question `json:"question,omitempty"`
	// Attempts is how often the request was sent.
	Attempts int `json:"attempts,omitempty"`
	// Key is the idempotency key that the request had, for Resume.
	Key string `json:"key,omitempty"`
	// Unplaced are the arguments that the contract has no place for. They were not sent;
	// ModelResult.Note tells the model.
	Unplaced []string `json:"unplaced,omitempty"`
	// DependsOn are the keys of capabilities that must run first, according to the site.
	// This package never runs them by itself.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Handle is for Caller.Wait, where the work goes on.
	Handle *Handle `json:"handle,omitempty"`
	// Diagnostics say how the answer differs from its description.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics,omitempty"`

	shown *reply.Answer // what of the answer the model sees a part of
}

// takeStatus keeps what an answer in a protocol came with, and judges its status.
func (r *run) takeStatus(a *answer) error {
	p := &r.result.Program
	p.Status, p.Header, p.Body = a.status, r.redactHeader(a.header), a.body
	if e := r.judge(a); e != nil {
		return e
	}
	return nil
}

// judge says what a status means. nil: the call was made.
func (r *run) judge(a *answer) *Error {
	if e, ok := errors.AsType[*Error](r.refusal); ok {
		return e // why the credential that the site wants was not sent
	}
	c := r.tool.Capability
	said := &reply.Answer{Status: a.status, Header: a.header, Body: r.redact(a.body), URL: r.wire.url, Credential: len(r.parts) > 0}
	said.Fixed = c != nil && c.Invocation != nil && c.Invocation.Template == "" && r.wire.sent < 2
	o := reply.Judge(said)
	line := func(code Code) *Error {
		return fail(code, nil, fmt.Sprintf("%d from %s: %s", a.status, r.wire.url.Host, o.Phrase))
	}
	r.fault = o.Arguments
	switch o.Kind {
	case reply.OK:
		return nil
	case reply.Pending:
		r.pollAt = o.Poll.String()
		return nil
	case reply.Throttled:
		return r.throttled(a)
	case reply.Moved:
		if a.status == http.StatusSeeOther && !isSafe(r.wire.method) {
			return r.unknown(nil) // the answer is elsewhere, and may be that it was done
		}
		return line(Refused)
	case reply.UpstreamError:
		r.result.Model.Problem = o.Problem
	}
	return line(Code(o.Kind))
}

// throttled is the error of a service that wants fewer calls.
func (r *run) throttled(a *answer) *Error {
	e := fail(Throttled, nil, "")
	if wait, told := retryAfter(a.header); told {
		r.result.Model.NotBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
		return e
	}
	for _, rate := range reply.Rates(a.header, time.Now()) {
		if rate.Remaining == 0 && rate.Reset > 0 {
			r.result.Model.NotBefore = time.Now().Add(rate.Reset).UTC().Truncate(time.Second)
		}
	}
	return e
}

// retryAfter reads the field of that name; without one, it is the first pause.
func retryAfter(h http.Header) (time.Duration, bool) {
	return fetch.RetryAfter(h, time.Now())
}

// take puts an answer into the Result.
func (r *run) take(a *answer) error {
	p := &r.result.Program
	p.Status, p.Header, p.Body = a.status, r.redactHeader(a.header), a.body
	failed := r.judge(a)
	r.presentAnswer(a, p.Header, failed == nil)
	if failed != nil {
		return failed
	}
	return nil
}

// show writes a body for the model.
func (r *run) show(contentType string, body []byte) {
	r.present(&reply.Answer{Header: http.Header{"Content-Type": {contentType}}, Body: body})
}

// redact takes the call's own credentials out of what a site says: some services
// repeat the request.
func (r *run) redact(body []byte) []byte {
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) }) // one may hold another
	for _, s := range r.secrets {
		quoted, err := json.Marshal(s)
		if err != nil {
			continue
		}
		for _, form := range []string{s, string(quoted[1 : len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s))} {
			if bytes.Contains(body, []byte(form)) {
				body = bytes.ReplaceAll(body, []byte(form), []byte(Hidden))
			}
		}
	}
	return body
}

func (r *run) redactHeader(h http.Header) http.Header {
	if len(r.secrets) == 0 {
		return h
	}
	own := make(http.Header, len(h))
	for name, values := range h {
		for _, v := range values {
			own[name] = append(own[name], string(r.redact([]byte(v))))
		}
	}
	return own
}

// named puts the name of the tool into an error, and takes credentials out of it.
func (r *run) named(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = refusalOf(r.ctx, err)
	}
	own := *e
	own.Tool = r.name
	if own.Err != nil && len(r.secrets) > 0 {
		if said := own.Err.Error(); string(r.redact([]byte(said))) != said {
			own.Err = errors.New(string(r.redact([]byte(said))))
		}
	}
	return &own
}

// end completes the Result.
func (r *run) end(err error) (*Result, error) {
	p, m := &r.result.Program, &r.result.Model
	p.Decision, p.Reasons, p.By, p.Unplaced = r.decision, r.reasons, r.by, r.unplaced
	m.Note = string(r.redact([]byte(notSent(r.unplaced))))
	if r.wire != nil {
		p.Attempts = r.wire.sent
		if r.wire.key != nil {
			p.Key = r.wire.key.value
		}
		if r.wire.sent > 0 {
			p.Request = r.wire.sentForm()
		}
		p.Body = r.redact(p.Body)
	}
	if r.tool != nil && r.tool.Capability != nil {
		p.DependsOn = r.tool.Capability.DependsOn
	}
	if err == nil {
		r.record("")
		return r.result, nil
	}
	e := r.named(err).(*Error)
	m.Code, m.Again = e.Code, e.Code.Again() || e.Code == UpstreamError && r.fault
	if e.Code == Gone && r.wire != nil && r.wire.sent > 0 {
		// The next reading has the definition as it is now. What a store may still
		// have is not used by this Client.
		_ = r.caller.client.Purge(context.WithoutCancel(r.ctx), r.plan.site)
	}
	r.explain(e)
	r.record(e.Code)
	return r.result, e
}

// explain is what the model is told of an error: words of ours first, and what the
// site said of its own failure, as data, where that helps.
func (r *run) explain(e *Error) {
	m := &r.result.Model
	told := e.Code.Sentence()
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
		// Neither the text of a challenge nor that of a refusal; a Problem says all
		// that helps.
		m.JSON, m.Cuts, m.Cut, m.Next = nil, nil, false, nil
	}
	switch {
	case e.Code != UpstreamError:
		m.Problem, m.Suspicious = nil, nil
	case m.Problem != nil:
		m.Suspicious = reply.Suspicious(m.Problem)
	}
	m.Text = told
}
