package call

import (
	"bytes"
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
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Result is what came of a call.
type Result struct {
	// Model is what a model may see.
	Model ModelResult `json:"model"`
	// Program is what only the program may see.
	Program ProgramResult `json:"program"`
}

// ModelResult is the part of a Result for the model. What a site says in it is data:
// cleaned, cut, without credentials.
type ModelResult struct {
	// Code is empty when the call was made.
	Code Code `json:"code,omitempty"`
	// Text is a sentence of ours for a Code, and for a call that was made what the
	// site answered.
	Text string `json:"text"`
	// JSON is the answer where it is JSON, in place of Text.
	JSON json.RawMessage `json:"json,omitempty"`
	// Again: calling again helps.
	Again bool `json:"again,omitempty"`
	// NotBefore is when, with Throttled.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Cut: the whole answer is longer. It is in Program. Missing says what is not here.
	Cut     bool     `json:"cut,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// More are the arguments of a call for the page that follows.
	More json.RawMessage `json:"more,omitempty"`
	// Pending: the work goes on; Wait asks how far it is.
	Pending bool `json:"pending,omitempty"`
}

// ProgramResult is the part of a Result that no model may see.
type ProgramResult struct {
	// Request as it was sent, credentials hidden; nil when none was written.
	Request *Request `json:"request,omitempty"`
	// Status, Header and Body of the answer. They are as the site sent them.
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"-"`
	Body   []byte      `json:"-"`
	// Decision, Reasons and By say who agreed: "" (no question), "session",
	// "person" or "ticket".
	Decision Decision `json:"decision,omitempty"`
	Reasons  []Reason `json:"reasons,omitempty"`
	By       string   `json:"by,omitempty"`
	// Ticket and Question are for Redeem, with ConfirmationRequired.
	Ticket   string    `json:"ticket,omitempty"`
	Question *Question `json:"question,omitempty"`
	// Attempts is how often the request was written.
	Attempts int `json:"attempts,omitempty"`
	// Key is the idempotency key that the request had, for Resume.
	Key string `json:"key,omitempty"`
	// Unplaced are arguments that the contract has no place for. They were not sent.
	Unplaced []string `json:"unplaced,omitempty"`
	// DependsOn are keys of capabilities that must run before, as the site says. They
	// are never run by themselves.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Handle is what to wait on where the work goes on.
	Handle *Handle `json:"handle,omitempty"`
	// Suspicious says how the answer addresses a model, in alphabetical order
	// (security/prompt). It is a hint; nothing depends on it.
	Suspicious []string `json:"suspicious,omitempty"`
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
	host := r.wire.url.Host
	line := func(code Code, what string) *Error {
		return fail(code, nil, fmt.Sprintf("%d from %s: %s", a.status, host, what))
	}
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		switch {
		case len(r.parts) > 0:
			return line(CredentialRefused, "not authorised")
		case a.status == http.StatusUnauthorized:
			return line(CredentialMissing, "not authorised")
		}
		return line(Refused, "forbidden")
	case http.StatusPaymentRequired:
		return line(Refused, "payment required")
	case http.StatusGone:
		return line(Gone, "gone")
	case http.StatusNotFound:
		if c := r.tool.Capability; c != nil && c.Invocation != nil && c.Invocation.Template == "" && r.wire.sent < 2 {
			return line(Gone, "not found")
		}
		return line(UpstreamError, "not found")
	case http.StatusTooManyRequests:
		return r.throttled(a)
	case http.StatusServiceUnavailable:
		if _, told := retryAfter(a.header); told {
			return r.throttled(a)
		}
	case http.StatusSeeOther:
		if !isSafe(r.wire.method) {
			return r.unknown(nil) // the answer is elsewhere, and may be that it was done
		}
	}
	switch {
	case a.status >= 200 && a.status <= 299:
		return nil
	case a.status >= 300 && a.status <= 399:
		return line(Refused, "it leads elsewhere, which is not followed")
	case a.status >= 500:
		return line(UpstreamError, "the service failed")
	}
	return line(UpstreamError, strings.ToLower(http.StatusText(a.status)))
}

// throttled is the error of a service that wants fewer calls.
func (r *run) throttled(a *answer) *Error {
	e := fail(Throttled, nil, "")
	if wait, told := retryAfter(a.header); told {
		r.result.Model.NotBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
	}
	return e
}

// retryAfter reads the field of that name; without one, it is the first pause.
func retryAfter(h http.Header) (time.Duration, bool) {
	return fetch.ParseRetryAfter(h["Retry-After"], time.Now())
}

// take puts an answer into the Result.
func (r *run) take(a *answer) error {
	p := &r.result.Program
	p.Status, p.Header, p.Body = a.status, r.redactHeader(a.header), a.body
	failed := r.judge(a)
	r.showAs(a.header, a.body)
	if failed != nil {
		return failed
	}
	return nil
}

// show writes a body for the model.
func (r *run) show(contentType string, body []byte) {
	r.showAs(http.Header{"Content-Type": {contentType}}, body)
}

// showAs is show for an answer with all its fields: a page that follows becomes
// arguments for another call.
func (r *run) showAs(header http.Header, body []byte) {
	m, p := &r.result.Model, &r.result.Program
	a := &reply.Answer{Status: http.StatusOK, Header: header, Body: r.redact(body), URL: r.wire.url, Most: r.caller.opts.ModelBytes}
	shown := reply.Show(a)
	m.JSON, m.Text, m.Cut, p.Suspicious = shown.JSON, shown.Text, len(shown.Cuts) > 0, shown.Suspicious
	if len(body) == 0 {
		m.Text = noContent
	}
	for _, c := range shown.Cuts {
		where, _ := text.Clean(c.Pointer, false, 128)
		m.Missing = append(m.Missing, fmt.Sprintf("%s %s: %d of %d shown", c.Kind, where, c.Shown, c.Total))
	}
	if c := r.tool.Capability; c != nil && shown.Next != nil {
		m.More = r.more(shown.Next.Arguments(c.Params, r.wire.url))
	}
}

// noContent stands for an empty answer.
const noContent = "(no content)"

// more are the arguments of the call with some that differ.
func (r *run) more(changed []reply.Argument) json.RawMessage {
	if changed == nil {
		return nil
	}
	root, err := (&parse.Input{Body: r.args}).JSONObject()
	if err != nil {
		return nil
	}
	var members []parse.Member
	for name, value := range root.Members() {
		if !slices.ContainsFunc(changed, func(c reply.Argument) bool { return c.Name == name }) {
			members = append(members, parse.Member{Name: name, Value: parse.Raw(value.Raw())})
		}
	}
	for _, c := range changed {
		members = append(members, parse.Member{Name: c.Name, Value: parse.Raw(c.Value)})
	}
	return json.RawMessage(parse.Obj(members...))
}

// redact takes the call's own credentials out of what a site says: some services
// repeat what they were sent.
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
	if r.wire != nil {
		p.Attempts = r.wire.sent
		if r.wire.key != nil {
			p.Key = r.wire.key.value
		}
		if r.wire.sent > 0 {
			p.Request = r.wire.shown()
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
	m.Code, m.Again = e.Code, e.Code.Again()
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
	if e.Detail != "" {
		told += " (" + e.Detail + ")"
	}
	if known, ok := errors.AsType[*wayfind.Error](e.Err); ok && e.Code == Throttled && m.NotBefore.IsZero() {
		m.NotBefore = known.NotBefore
	}
	if e.Code == UpstreamError && m.Text != "" && m.Text != noContent {
		m.Text = told + "\nThe service says, as data:\n" + m.Text
		return
	}
	if e.Code != UpstreamError {
		m.JSON = nil // neither the text of a challenge nor that of a refusal
	}
	m.Text, m.Cut = told, false
}
