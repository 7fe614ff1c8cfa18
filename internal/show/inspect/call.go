package inspect

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// works contains the handles of work that continues after a call.
type works struct {
	mu   sync.Mutex
	next int
	list map[string]*call.Handle
}

// maxWorks is the maximum number of handles.
const maxWorks = 100

// errReplayed is the error for a call of a recording.
var errReplayed = errors.New("a recording is shown: calls of it are not made")

var errNoWork = errors.New("there is no such work to wait for")

// keep stores a handle, and returns a name for it.
func (w *works) keep(h *call.Handle) string {
	if h == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil || len(w.list) >= maxWorks {
		w.list = make(map[string]*call.Handle)
	}
	w.next++
	name := strconv.Itoa(w.next)
	w.list[name] = h
	return name
}

func (w *works) take(name string) (*call.Handle, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.list[name]
	if h == nil {
		return nil, errNoWork
	}
	return h, nil
}

// callRoutes adds the URLs of the view Call.
func (i *Inspector) callRoutes(mux *http.ServeMux) {
	mux.Handle("GET /call/form", answer(func(r *http.Request, _ struct{}) (*Form, error) { return i.Form(r.URL.Query().Get("name")) }))
	mux.Handle("GET /call/history", answer(func(*http.Request, struct{}) ([]Called, error) { return i.history.rows(), nil }))
	mux.Handle("GET /call/made", answer(func(r *http.Request, _ struct{}) (*CallMade, error) { return i.history.one(r.FormValue("number")) }))
	mux.Handle("POST /call/preview", answer(func(r *http.Request, in CallInput) (*Preview, error) { return i.Preview(r.Context(), in) }))
	mux.Handle("POST /call/send", answer(func(r *http.Request, in CallInput) (*Outcome, error) { return i.Send(r.Context(), in) }))
	mux.Handle("POST /call/wait", answer(func(r *http.Request, in struct {
		Work string `json:"work"`
	}) (*Outcome, error) {
		return i.Wait(r.Context(), in.Work)
	}))
}

// Form describes the input of a call of a tool.
type Form struct {
	Name        string `json:"name"`
	Key         string `json:"key"`
	Domain      string `json:"domain"`
	Description string `json:"description,omitempty"`
	// Call is the method and the URL, or a text about how to learn them.
	Call    string `json:"call"`
	Effects string `json:"effects,omitempty"`
	Price   string `json:"price,omitempty"`
	// Schema is the schema of the arguments, as JSON.
	Schema string `json:"schema"`
	// Auth is a line about how to authenticate. Needs are the credentials that are needed for
	// it.
	Auth  string `json:"auth,omitempty"`
	Needs []Need `json:"needs"`
	// Vendors are the vendors for which a call can be written.
	Vendors []tools.Vendor `json:"vendors"`
}

// Need is a credential that a call may need.
type Need struct {
	// Alternative is the number of the alternative, starting at 1. Credentials of one
	// alternative are needed together.
	Alternative int    `json:"alternative"`
	Scheme      string `json:"scheme"`
	Text        string `json:"text"`
	// Flag is the flag that gives the credential to wayfind, in the syntax of a shell. It is
	// empty if nothing is needed.
	Flag string `json:"flag,omitempty"`
}

// tool returns a tool of the newest answer.
func (i *Inspector) tool(name string) (*tools.Box, *tools.Tool, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		return nil, nil, errNotLoaded
	}
	t, err := s.box.Tool(name)
	return s.box, t, err
}

// Form returns the description of the input of a call of a tool.
func (i *Inspector) Form(name string) (*Form, error) {
	_, t, err := i.tool(name)
	if err != nil {
		return nil, err
	}
	raw, err := t.Schema.JSON()
	if err != nil {
		return nil, err
	}
	auth := authOf(t)
	f := &Form{
		Name: t.Name, Key: t.Key, Domain: t.Domain, Description: said(t), Call: "a message to the agent", Schema: string(raw),
		Auth: humanize.Auth(auth), Needs: needs(auth), Vendors: tools.Vendors(),
	}
	if c := t.Capability; c != nil {
		f.Call, f.Effects, f.Price = humanize.Call(c), effectsText(c), c.Price
		if does := effect.In(t); does.Has(effect.Price) {
			f.Price = does.Price()
		}
	}
	return f, nil
}

// authOf returns the statement on authentication that is nearest to a call.
func authOf(t *tools.Tool) *wayfind.Auth {
	if t.Capability != nil && t.Capability.Auth != nil {
		return t.Capability.Auth
	}
	for _, f := range t.Service.Interfaces {
		if f.Auth != nil && t.Capability != nil && t.Capability.Invocation != nil && f.Protocol == t.Capability.Invocation.Protocol {
			return f.Auth
		}
	}
	return t.Service.Auth
}

// needs returns the credentials of each alternative.
func needs(a *wayfind.Auth) []Need {
	list := []Need{}
	if a == nil {
		return list
	}
	add := func(alternative int, name string) {
		scheme := a.Schemes[name]
		need := Need{Alternative: alternative, Scheme: name, Text: humanize.Auth(&wayfind.Auth{Schemes: a.Schemes, Requirements: [][]wayfind.Requirement{{{Scheme: name}}}})}
		if scheme.Kind != wayfind.SchemeNone {
			need.Flag = "--credential " + humanize.Word(text.Printable(name)+"=env:NAME")
		}
		list = append(list, need)
	}
	for n, alternative := range a.Requirements {
		for _, r := range alternative {
			add(n+1, r.Scheme)
		}
	}
	if len(a.Requirements) == 0 {
		for n, name := range slices.Sorted(maps.Keys(a.Schemes)) {
			add(n+1, name)
		}
	}
	return list
}

// CallInput is a call that the page requests.
type CallInput struct {
	Tool string `json:"tool"`
	// Arguments are JSON as text, so numbers are not changed.
	Arguments string `json:"arguments"`
	// Ticket is the ticket of the preview that a person has agreed to.
	Ticket string `json:"ticket,omitempty"`
}

// Refusal is the reason why a call was not made, or did not succeed.
type Refusal struct {
	Code call.Code `json:"code"`
	// Sentence explains the code; Detail and Cause explain the case.
	Sentence string `json:"sentence"`
	Detail   string `json:"detail,omitempty"`
	Cause    string `json:"cause,omitempty"`
}

// refusalOf returns the Refusal for an error of package call, or nil for another error.
func refusalOf(err error) *Refusal {
	e, ok := errors.AsType[*call.Error](err)
	if !ok {
		return nil
	}
	r := &Refusal{Code: e.Code, Sentence: e.Code.Text(), Detail: e.Detail}
	if e.Err != nil {
		r.Cause = e.Err.Error()
	}
	return r
}

// Field is a header field.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// fields returns a header sorted by name.
func fields(h http.Header) []Field {
	list := []Field{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			list = append(list, Field{text.Printable(name), text.Printable(v)})
		}
	}
	return list
}

// RequestView is a request without the values of credentials.
type RequestView struct {
	Method      string        `json:"method"`
	URL         string        `json:"url"`
	Header      []Field       `json:"header"`
	Body        *Text         `json:"body,omitempty"`
	Credentials []call.Placed `json:"credentials,omitempty"`
}

// maxBody is the maximum length of the part of a body that is shown, in bytes.
const maxBody = 64 << 10

func requestView(r *call.Request) *RequestView {
	if r == nil {
		return nil
	}
	return &RequestView{Method: r.Method, URL: r.URL, Header: fields(r.Header), Body: bodyOf(r.Body), Credentials: r.Credentials}
}

// bodyOf returns a body for display: text unchanged, and other bytes as numbers.
func bodyOf(body []byte) *Text {
	if body == nil {
		return nil
	}
	if utf8.Valid(body) {
		return textOf(body, maxBody)
	}
	const most = 2 << 10
	t := &Text{Bytes: len(body), Binary: true, Cut: len(body) > most}
	t.Text = hex.Dump(body[:min(len(body), most)])
	return t
}

// Preview is a call that was not made.
type Preview struct {
	// Refusal is the reason why it cannot be made. The rest is then empty, except for a request
	// whose credential is missing.
	Refusal  *Refusal      `json:"refusal,omitempty"`
	Request  *RequestView  `json:"request,omitempty"`
	Decision call.Decision `json:"decision,omitzero"`
	// Means describes the decision, and Reasons are the reasons for it.
	Means   string   `json:"means,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	// DependsOn are the keys of capabilities that must run first. Unplaced are the arguments
	// that are not sent.
	DependsOn []string `json:"dependsOn,omitempty"`
	Unplaced  []string `json:"unplaced,omitempty"`
	Ticket    string   `json:"ticket,omitempty"`
	// Unsendable is the reason why the request cannot be sent although it can be written.
	Unsendable string `json:"unsendable,omitempty"`
	// Until is the time at which the ticket expires.
	Until time.Time `json:"until,omitzero"`
	// Curl, Go and Vendors are the call in other notations.
	Curl    string       `json:"curl,omitempty"`
	Go      string       `json:"go,omitempty"`
	Vendors []VendorCall `json:"vendors,omitempty"`
}

// Preview returns the request that a call would send. It sends nothing.
func (i *Inspector) Preview(ctx context.Context, in CallInput) (*Preview, error) {
	box, t, err := i.tool(in.Tool)
	if err != nil {
		return nil, err
	}
	p, err := i.caller.DryRun(ctx, box, t.Name, []byte(in.Arguments))
	refusal := refusalOf(err)
	if refusal != nil && refusal.Code == call.CredentialMissing && i.shown != nil {
		p, err = i.shown.DryRun(ctx, box, t.Name, []byte(in.Arguments)) // with dots instead of the credential
	}
	if err != nil && refusal == nil {
		return nil, err
	}
	if err != nil {
		return &Preview{Refusal: refusal}, nil
	}
	out := &Preview{
		Refusal: refusal, Request: requestView(p.Request), Decision: p.Decision, Means: p.Decision.Text(), DependsOn: p.DependsOn, Unplaced: p.Unplaced, Ticket: p.Ticket,
		Curl: p.Request.Curl(), Vendors: i.vendorCalls(t.Name, in.Arguments),
	}
	switch {
	case refusal != nil:
		out.Unsendable, out.Ticket = "without the credential it is not sent", ""
	case i.Replayed:
		out.Unsendable = errReplayed.Error()
	}
	if out.Ticket != "" {
		out.Until = time.Now().Add(call.TicketLifetime).UTC().Truncate(time.Second)
	}
	for _, r := range p.Reasons {
		out.Reasons = append(out.Reasons, r.Text())
	}
	if out.Go, err = goCode(i.Target, t, in.Arguments, p); err != nil {
		return nil, fmt.Errorf("writing the call in Go: %w", err)
	}
	return out, nil
}

// Outcome is the result of a call that was made or refused.
type Outcome struct {
	// Refusal is the reason why it was not made, or did not succeed.
	Refusal *Refusal `json:"refusal,omitempty"`
	// Prompt is the result as a model would see it.
	Prompt string `json:"prompt"`
	// Status, Header and Body are from the answer. Status is 0 if there was no answer.
	Status int     `json:"status,omitempty"`
	Phrase string  `json:"phrase,omitempty"`
	Header []Field `json:"header"`
	Body   *Text   `json:"body,omitempty"`
	// Request is the request that was sent, and Attempts the number of times.
	Request  *RequestView `json:"request,omitempty"`
	Attempts int          `json:"attempts,omitempty"`
	// By names the origin of the permission: "", "session" or "ticket".
	By string `json:"by,omitempty"`
	// Key is the idempotency key of the request.
	Key string `json:"key,omitempty"`
	// Work is the name of work that continues, and that can be waited for.
	Work string `json:"work,omitempty"`
	// Diagnostics are the differences between the answer and its description.
	Diagnostics []wayfind.Diagnostic `json:"diagnostics,omitempty"`
}

// Send makes a call. If a person must agree to the call, it is only made with the ticket of its
// preview.
func (i *Inspector) Send(ctx context.Context, in CallInput) (*Outcome, error) {
	if i.Replayed {
		return nil, errReplayed
	}
	box, t, err := i.tool(in.Tool)
	if err != nil {
		return nil, err
	}
	made := called{Called: Called{At: time.Now().UTC(), Tool: t.Name}, arguments: in.Arguments}
	if in.Ticket == "" {
		made.outcome, err = i.outcome(i.caller.Call(ctx, box, t.Name, []byte(in.Arguments)))
	} else {
		made.outcome, err = i.outcome(i.caller.CallConfirmed(ctx, box, t.Name, []byte(in.Arguments), in.Ticket))
	}
	if err == nil {
		i.history.add(made)
	}
	return made.outcome, err
}

// Wait waits for work that continues after a call.
func (i *Inspector) Wait(ctx context.Context, work string) (*Outcome, error) {
	h, err := i.works.take(work)
	if err != nil {
		return nil, err
	}
	out, err := i.outcome(i.caller.Wait(ctx, h))
	if err == nil {
		i.history.waited(work, out)
	}
	return out, err
}

func (i *Inspector) outcome(res *call.Result, err error) (*Outcome, error) {
	refusal := refusalOf(err)
	if err != nil && refusal == nil {
		return nil, err
	}
	p := &res.Program
	return &Outcome{
		Refusal: refusal, Prompt: res.Model.Prompt(), Status: p.Status, Phrase: http.StatusText(p.Status), Header: fields(p.Header), Body: bodyOf(p.Body),
		Request: requestView(p.Request), Attempts: p.Attempts, By: p.By, Key: p.Key, Work: i.works.keep(p.Handle), Diagnostics: p.Diagnostics,
	}, nil
}
