package call

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/parse"
)

// Pauses between two looks at work that goes on.
const (
	firstPoll = time.Second
	mostPoll  = 30 * time.Second
)

// Handle is work that goes on after a call. Hand it to [Caller.Wait].
type Handle struct {
	// URL that tells how far it is, on the origin of the call.
	URL string `json:"url"`
	// NotBefore is when to ask first.
	NotBefore time.Time `json:"notBefore,omitzero"`

	look func(ctx context.Context) (*Result, error)
}

// Wait asks until the work is done or ctx ends. Beside an error stands the last
// Result.
func (c *Caller) Wait(ctx context.Context, h *Handle) (*Result, error) {
	if h == nil || h.look == nil {
		return &Result{Model: ModelResult{Code: Gone, Text: Gone.Sentence()}}, fail(Gone, nil, "there is nothing to wait for")
	}
	for pause := firstPoll; ; pause = min(2*pause, mostPoll) {
		wait := pause
		if told := time.Until(h.NotBefore); told > 0 {
			wait = max(told, firstPoll)
		}
		if err := sleep(ctx, wait); err != nil {
			return &Result{Model: ModelResult{Code: Timeout, Text: "The work goes on; wait longer.", Pending: true}, Program: ProgramResult{Handle: h}}, fail(Timeout, err, "")
		}
		res, err := h.look(ctx)
		if err != nil || !res.Model.Pending {
			return res, err
		}
		if res.Program.Handle != nil {
			h = res.Program.Handle
		}
	}
}

// async makes a handle of an answer that says that the work goes on.
func (r *run) async(a *answer) {
	ref := r.pollAt
	if c := r.tool.Capability; ref == "" && c != nil && c.Effects != nil && c.Effects.Async != nil && (a.status == http.StatusAccepted || working(a.body)) {
		ref = sameOrigin(r.wire, filled(c.Effects.Async.PollURL, a.body)) // the credentials of the call are for its origin
	}
	if ref != "" {
		r.pend(ref, a)
	}
}

// pend puts a handle into the Result.
func (r *run) pend(ref string, a *answer) {
	h := &Handle{URL: ref}
	if wait, told := retryAfter(a.header); told {
		h.NotBefore = time.Now().Add(wait)
	}
	h.look = func(ctx context.Context) (*Result, error) { return r.poll(ctx, ref) }
	r.result.Model.Pending, r.result.Program.Handle = true, h
}

// poll asks once how far the work is.
func (r *run) poll(ctx context.Context, ref string) (*Result, error) {
	own, a, err := r.ask(ctx, ref)
	if err == nil {
		err = own.take(a)
	}
	if err == nil && (a.status == http.StatusAccepted || working(a.body)) {
		own.pend(cmp.Or(own.pollAt, ref), a)
	}
	return own.end(err)
}

// ask reads what a handle names, with the credentials of the call.
func (r *run) ask(ctx context.Context, ref string) (*run, *answer, error) {
	own := *r
	own.result, own.started, own.ticket, own.pollAt = &Result{}, time.Now(), nil, ""
	timed, cancel := context.WithTimeout(ctx, r.caller.opts.Timeout)
	own.ctx = timed
	defer func() { own.ctx = ctx; cancel() }()
	w, err := newWire(http.MethodGet, ref)
	if err != nil {
		return &own, nil, err
	}
	w.again, w.placed = whenEverFailed, r.wire.placed
	w.header["Accept"] = []string{"application/json, */*;q=0.5"}
	own.wire = w
	leave, err := r.caller.client.EnterCall(timed, w.origin)
	if err != nil {
		return &own, nil, fail(Timeout, err, "there was no room for it in time")
	}
	defer leave()
	if err := own.equip(); err != nil {
		return &own, nil, err
	}
	a, err := own.exchange(w)
	return &own, a, err
}

// sameOrigin is a reference as a URL on the origin of a request, "" for others.
func sameOrigin(w *wire, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := w.url.Parse(ref)
	if err != nil || u.Scheme+"://"+u.Host != w.origin || u.User != nil {
		return ""
	}
	return u.String()
}

// working reports whether a JSON answer says that the work goes on.
func working(body []byte) bool {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return false
	}
	for _, name := range []string{"status", "state"} {
		word, _ := root.Get(name).Str()
		if slices.Contains([]string{"pending", "running", "queued", "in_progress", "processing", "accepted", "submitted", "working"}, strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// filled puts members of an answer into a template; "" where one is missing.
func filled(template string, body []byte) string {
	t, ok := parse.ParseTemplate(template)
	if !ok || len(t.Names()) == 0 {
		return template
	}
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return ""
	}
	for _, name := range t.Names() {
		value, isText := root.Get(name).Str()
		if !isText {
			value = string(root.Get(name).Raw())
		}
		if value == "" || value == "." || value == ".." || len(value) > 256 {
			return ""
		}
		template = strings.ReplaceAll(template, "{"+name+"}", url.PathEscape(value))
	}
	return template
}
