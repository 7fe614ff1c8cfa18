package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Call is a call that an answer of a model asks for.
type Call struct {
	// ID is the identifier of the call in the answer. Vendors without identifiers leave it empty.
	ID string
	// Name is the name of the tool, and Arguments its arguments as the model wrote them.
	Name      string
	Arguments []byte
}

// Outcome is what became of a call.
type Outcome struct {
	Call Call
	// Content is the result in the form of the vendor, for the next request: see
	// [tools.Vendor.Result].
	Content json.RawMessage
	// Text is the result for the model: words of this module, and texts of sites between marks.
	Text string
	// Failed is true if the call failed or was not made.
	Failed bool
	// Limit is the reason of this package for which the call was not made, or was ended.
	Limit Limit
	// Result is the result of the call; nil for a search, a description, and a call that was not made
	// because of a Limit.
	Result *call.Result
	// Work is the identifier of the work that goes on after the call, for [Session.Wait]; "" if there is none.
	Work string

	taken map[string]*big.Rat // the reservation for its price
}

// Do makes the calls of one answer and returns their outcomes, in the same order. Calls that only read
// run at the same time. A call that may change something waits for those before it, and those after it
// wait for it. The error of a call is in its Outcome.
func (s *Session) Do(ctx context.Context, calls []Call) []Outcome {
	if len(calls) == 0 {
		return nil
	}
	select {
	case s.doing <- struct{}{}:
		defer func() { <-s.doing }()
	case <-ctx.Done():
	}
	r := s.run()
	ctx, cancel := r.within(ctx)
	defer cancel()
	outcomes := make([]Outcome, len(calls))
	for i := 0; i < len(calls); {
		n := r.together(calls[i:])
		var group sync.WaitGroup
		places := make(chan struct{}, s.opts.Parallel)
		for k := i; k < i+n; k++ {
			o := &outcomes[k]
			if o.Call = calls[k]; !r.admits(o) { // in their order, so that the last calls have no room
				continue
			}
			places <- struct{}{}
			group.Go(func() {
				defer func() { <-places }()
				r.one(ctx, o)
			})
		}
		group.Wait()
		// A person is asked when nothing runs.
		for k := i; k < i+n; k++ {
			r.ask(ctx, &outcomes[k])
			r.finish(&outcomes[k])
		}
		i += n
	}
	return outcomes
}

// run is what the calls of one Do have in common.
type run struct {
	*Session
	box    *tools.Box
	caller *call.Caller
	agreed map[string]bool // tools that a person has agreed to for the session during this Do
}

func (s *Session) run() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	return &run{Session: s, box: s.box, caller: s.caller.With(s.form), agreed: make(map[string]bool)}
}

// errTime is the cause of the end of a context when Budget.Time has passed.
var errTime = errors.New("session: the time of the run has passed")

// within returns a context that ends with Budget.Time.
func (r *run) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.opts.Budget.Time <= 0 {
		return context.WithCancel(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return context.WithDeadlineCause(ctx, r.begun.Add(r.opts.Budget.Time), errTime)
}

// together returns how many of the calls, from the first one on, run at the same time.
func (r *run) together(calls []Call) int {
	n := 0
	for n < len(calls) && r.reads(&calls[n]) {
		n++
	}
	return max(n, 1)
}

// reads reports whether a call changes nothing.
func (r *run) reads(c *Call) bool {
	name := c.Name
	switch name {
	case tools.MetaSearch, tools.MetaDescribe:
		return true
	case tools.MetaCall:
		name, _ = inner(c.Arguments)
	}
	t, err := r.box.Tool(name)
	return err != nil || r.caller.Effect(t) == call.Reads
}

// inner returns the call that the arguments of [tools.MetaCall] ask for.
func inner(arguments []byte) (name string, own json.RawMessage) {
	var a struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return "", nil
	}
	return a.Name, a.Arguments
}

// admits reports whether a call is made. If not, its outcome says why.
func (r *run) admits(o *Outcome) bool {
	switch {
	case isUnfinished(o.Call.Arguments):
		o.Limit = Unfinished
	case o.Call.Name != tools.MetaSearch && o.Call.Name != tools.MetaDescribe:
		o.Limit = r.begin(o)
	}
	if o.Limit.IsZero() {
		return true
	}
	o.Text, o.Failed = o.Limit.Sentence(), true
	return false
}

// one makes a call without asking a person.
func (r *run) one(ctx context.Context, o *Outcome) {
	switch o.Call.Name {
	case tools.MetaSearch:
		r.search(ctx, o)
	case tools.MetaDescribe:
		r.describe(o)
	default:
		name, arguments := o.tool()
		res, err := r.caller.Call(ctx, r.box, name, arguments)
		r.ended(ctx, o, res, err)
	}
}

// isUnfinished reports whether arguments are the beginning of a JSON text.
func isUnfinished(arguments []byte) bool {
	var v any
	err := json.Unmarshal(arguments, &v)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	return len(arguments) > 0 && (errors.Is(err, io.ErrUnexpectedEOF) || ok && syntax.Offset >= int64(len(arguments)))
}

// tool returns the tool that is called, and its arguments.
func (o *Outcome) tool() (name string, arguments []byte) {
	if o.Call.Name == tools.MetaCall {
		return inner(o.Call.Arguments)
	}
	return o.Call.Name, o.Call.Arguments
}

// begin counts a call, or returns the limit because of which it is not made.
func (r *run) begin(o *Outcome) Limit {
	name, _ := o.tool()
	r.mu.Lock()
	defer r.mu.Unlock()
	b, u := &r.opts.Budget, &r.used
	switch {
	case b.Time > 0 && time.Since(r.begun) >= b.Time:
		return Time
	case b.Calls > 0 && u.Calls >= b.Calls:
		return Calls
	case b.Bytes > 0 && u.Bytes >= b.Bytes:
		return Bytes
	}
	if t, err := r.box.Tool(name); err == nil {
		taken, ok := u.reserve(t)
		if !ok {
			return Money
		}
		o.taken = taken
	}
	u.Calls++
	return Limit{}
}

// ended reads the result of a call.
func (r *run) ended(ctx context.Context, o *Outcome, res *call.Result, err error) {
	o.Result, o.Text, o.Failed, o.Limit = res, res.Model.Marked(), err != nil, Limit{}
	if err != nil && errors.Is(context.Cause(ctx), errTime) {
		o.Limit = Time
		o.Text += " " + Time.Sentence()
	}
}

// maxAgreed is the largest number of times that a person agrees to one call: a service may ask for a
// credential after the first request.
const maxAgreed = 3

// ask asks a person about a call that needs it, and makes the call.
func (r *run) ask(ctx context.Context, o *Outcome) {
	if o.Result == nil || r.opts.Ask == nil {
		return
	}
	name, arguments := o.tool()
	for range maxAgreed {
		p := &o.Result.Program
		if p.Ticket == "" || p.Question == nil {
			return
		}
		if r.agreed[name] && p.Question.Session { // what the person has agreed to may hold for this call too
			delete(r.agreed, name)
			res, err := r.caller.Call(ctx, r.box, name, arguments)
			r.ended(ctx, o, res, err)
			r.agreed[name] = o.Result.Program.Ticket == ""
			continue
		}
		answer, err := r.opts.Ask(ctx, p.Question)
		switch {
		case err != nil, answer.Verdict == call.Later:
			return
		case answer.Verdict == call.AllowSession && p.Question.Session:
			res, err := r.caller.CallConfirmedForSession(ctx, r.box, name, arguments, p.Ticket)
			r.ended(ctx, o, res, err)
			r.agreed[name] = true
		case answer.Verdict == call.AllowOnce, answer.Verdict == call.AllowSession:
			res, err := r.caller.CallConfirmed(ctx, r.box, name, arguments, p.Ticket)
			r.ended(ctx, o, res, err)
		default:
			o.Result.Model = call.ModelResult{Code: call.Denied, Text: call.Denied.Sentence(), Note: answer.Why}
			o.Result.Program.Ticket, o.Text, o.Failed = "", o.Result.Model.Marked(), true
			return
		}
	}
}

// finish counts what the model gets, keeps work that goes on, and writes the content.
func (r *run) finish(o *Outcome) {
	r.mu.Lock()
	r.used.Bytes += len(o.Text)
	if o.Result != nil && !r.may(o) {
		r.used.giveBack(o.taken)
	}
	r.mu.Unlock()
	if o.Result != nil {
		if name, _ := o.tool(); o.Result.Model.Code != call.NotFoundTool {
			r.seen(name)
		}
		o.Work = r.keep(o)
	}
	o.Content = r.content(o)
}

// may reports whether the call of an outcome may have been carried out.
func (r *run) may(o *Outcome) bool {
	return o.Result.Program.Attempts > 0 && (!o.Failed || o.Result.Model.Code.Perhaps())
}

// content writes an outcome in the form of the vendor.
func (s *Session) content(o *Outcome) json.RawMessage {
	r := &tools.CallResult{ID: o.Call.ID, Name: o.Call.Name, Text: o.Text, Failed: o.Failed}
	if o.Result != nil {
		for _, p := range o.Result.Model.Parts {
			r.Images = append(r.Images, tools.Image{Media: p.Media, Data: p.Data})
		}
	}
	raw, _ := s.opts.Vendor.Result(r) // New has checked the vendor
	return raw
}

// search answers a search of the model.
func (r *run) search(ctx context.Context, o *Outcome) {
	var found json.RawMessage
	var err error
	if r.opts.Ranker != nil {
		found, err = r.box.FindRanked(ctx, o.Call.Arguments, r.opts.Ranker)
	} else {
		found, err = r.box.Find(o.Call.Arguments)
	}
	if found == nil {
		o.Text, o.Failed = "The arguments of the search are not valid: "+err.Error(), true
		return
	}
	o.Text = string(found)
	var rows struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(found, &rows) == nil {
		var names []string
		for _, row := range rows.Tools {
			names = append(names, row.Name)
		}
		r.seen(names...)
	}
}

// describe answers a question of the model about a tool.
func (r *run) describe(o *Outcome) {
	name, _ := inner(o.Call.Arguments)
	raw, _, err := r.box.Define(r.opts.Vendor, name, r.opts.Strict)
	if err != nil {
		o.Text, o.Failed = call.NotFoundTool.Sentence()+" Find one with "+tools.MetaSearch+".", true
		return
	}
	o.Text = string(raw)
	r.seen(name)
}
