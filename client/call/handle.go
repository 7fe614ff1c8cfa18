package call

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/parse"
)

// The shortest and the longest pause between two polls for work in progress.
const (
	firstPoll = time.Second
	mostPoll  = 30 * time.Second
)

// Handle represents work that goes on after a call, for [Caller.Wait], or the next page of an
// answer, for [Caller.Call]. [Handle.Save] keeps it for later and for other processes.
type Handle struct {
	// URL is the URL of the state of the work, on the origin of the call.
	URL string `json:"url,omitempty"`
	// NotBefore is the earliest time of the first poll; zero if the service named none.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Tool and Arguments are the arguments of Call for the next page; nil for work that goes on.
	Tool      string `json:"-"`
	Arguments []byte `json:"-"`

	look func(ctx context.Context) (*Result, error)
	seal func() ([]byte, error)
}

// Wait polls until the work is done or ctx ends. The last Result is returned even if there is
// an error.
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

// async adds a handle to the Result if the answer reports that the work goes on.
func (s sent) async(res *Result, a *answer, poll string) {
	if c := s.tool.Capability; poll == "" && c != nil && c.Effects != nil && c.Effects.Async != nil && (a.status == http.StatusAccepted || working(a.body)) {
		poll = sameOrigin(&s.subject.message, filled(c.Effects.Async.PollURL, a.body)) // the credentials of the call are for its origin
	}
	if poll != "" {
		s.pend(res, a, workHTTP, poll)
	}
}

// polled returns a reader of an answer about work that goes on.
func (s sent) polled(ref string) reader {
	return func(s sent, a *answer) (*Result, error) {
		res, poll, err := s.take(a)
		if err == nil && (a.status == http.StatusAccepted || working(a.body)) {
			s.pend(res, a, workHTTP, cmp.Or(poll, ref))
		}
		return res, err
	}
}

// reader reads the answer to a poll.
type reader func(s sent, a *answer) (*Result, error)

// pend adds a handle to a Result for work that goes on and whose state is requested by a GET.
func (s sent) pend(res *Result, a *answer, kind workKind, ref string) {
	var notBefore time.Time
	if wait, told := retryAfter(a.header); told {
		notBefore = time.Now().Add(wait)
	}
	res.Model.Pending, res.Program.Handle = true, s.handle(kind, ref, notBefore)
}

// workKind is the way in which the state of work is requested.
type workKind string

const (
	workHTTP   workKind = "http"   // by a GET of a URL
	workActors workKind = "actors" // by a GET of the URL of a message
	workTask   workKind = "task"   // by the identifier of a task of A2A
)

// handle returns the handle for work: ref is its URL, or the identifier of its task. A request
// for a task changes nothing, so it may be repeated.
func (s sent) handle(kind workKind, ref string, notBefore time.Time) *Handle {
	h := &Handle{URL: ref, NotBefore: notBefore}
	if kind == workTask {
		h.URL = s.at.URL
	}
	h.look = func(ctx context.Context) (*Result, error) {
		if kind == workTask {
			id := rand.Text()
			m, err := s.taskMessage(ref, id)
			return s.look(ctx, m, err, beforeAnswer, func(s sent, a *answer) (*Result, error) { return s.took(a, id) })
		}
		read := s.polled(ref)
		if kind == workActors {
			read = s.tookActors(ref)
		}
		m, err := newMessage(http.MethodGet, ref, http.Header{"Accept": {"application/json, */*;q=0.5"}})
		return s.look(ctx, m, err, whenEverFailed, read)
	}
	h.seal = func() ([]byte, error) {
		return s.target.seal(&sealedHandle{Kind: kind, Ref: ref, NotBefore: notBefore, Extensions: s.extensions()})
	}
	return h
}

// look polls the state of work once, with a message that has the credentials of the call. err
// is the reason why there is no message. A poll changes nothing, so it needs no ticket.
func (s sent) look(ctx context.Context, m message, err error, again repeats, read reader) (*Result, error) {
	r := &road{started: time.Now(), target: *s.target, prepared: *s.prepared, agreed: *s.agreed}
	r.prepared.target, r.agreed.prepared, r.agreed.ticket = &r.target, &r.prepared, nil
	r.prepared.subject = &subject{message: m, placed: s.subject.placed}
	if err != nil {
		r.sent.equipment = s.equipment
		return r.end(ctx, nil, err)
	}
	var res *Result
	r.sent, res, err = r.agreed.perform(ctx, func(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
		switch {
		case err != nil:
			return done(nil, err)
		case a == nil:
			return request{message: m, kind: aside, subject: s.subject, again: again, listen: handOn(ctx)}, nil, nil
		}
		res, err := read(s, a)
		return done(res, err)
	}, &s)
	return r.end(ctx, res, err)
}

// sameOrigin returns a reference as a URL on the origin of a request; "" if it is on another
// origin.
func sameOrigin(m *message, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := m.url.Parse(ref)
	if err != nil || u.Scheme+"://"+u.Host != m.origin || u.User != nil {
		return ""
	}
	return u.String()
}

// working reports whether the status in a JSON answer means that the work goes on.
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

// filled puts members of an answer into a template. It returns "" if a member is missing.
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
