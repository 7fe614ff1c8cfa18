// Package session is the part of an agent loop that is the same for every model and vendor. A Session
// gives the tools of the next request, makes the calls that an answer of the model asks for, asks a person
// about one call at a time, keeps work that goes on, and counts what a run may use.
//
//	s, err := session.New(caller, box, &session.Options{Vendor: tools.AnthropicMessages, Ask: ask})
//	defer s.Close()
//	for {
//		defs := s.Definitions()          // defs.Tools and defs.System are for the request
//		answer := model(defs, messages)  // by the SDK of the vendor
//		outcomes := s.Do(ctx, answer.calls)
//		if len(outcomes) == 0 {
//			break // the model has ended
//		}
//		// outcomes[i].Content is for the next request
//	}
//
// The package imports no SDK. It is experimental: see docs/API.md.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Options are the options of a Session.
type Options struct {
	// Vendor is the form of the tools and of the results. It must be set.
	Vendor tools.Vendor
	// Strict, Tokens and Count are those of [tools.RenderOptions].
	Strict bool
	Tokens int
	Count  func(string) int
	// Ask asks a person about a call. It is called for one call at a time, and not while another call of
	// the Session may change something. Leave call.Options.Confirm nil, or let it return call.Later: then
	// the Session asks. If Ask is nil, the model is told that a person must agree.
	Ask func(context.Context, *call.Question) (call.Answer, error)
	// Ranker orders the tools that the model searches for. If it is nil, the words of the query do.
	Ranker tools.Ranker
	// Budget is what the Session may use. The zero Budget has no limits.
	Budget Budget
	// Parallel is the number of reading calls that run at the same time, 0 for 8.
	Parallel int
}

const (
	defaultParallel = 8
	// maxLately is the number of found tools that are defined in later requests.
	maxLately = 20
	// maxPending is the number of works that a Session keeps.
	maxPending = 64
)

// Session is a run of a model with tools. Its methods may be called from several goroutines; calls of
// Do wait for each other.
type Session struct {
	caller *call.Caller
	opts   Options
	doing  chan struct{} // holds the right to make calls

	mu      sync.Mutex
	box     *tools.Box
	form    tools.Form   // of the last definitions
	defs    *Definitions // the last ones, as long as they are valid
	lately  []string     // names of tools that were found or called, the last one first
	used    Used
	begun   time.Time // of the first call
	pending []work
}

// New returns a Session for the tools of a Box. What a person agrees to for a session (call.AllowSession)
// is valid for this Session only.
func New(caller *call.Caller, box *tools.Box, opts *Options) (*Session, error) {
	switch {
	case caller == nil:
		return nil, errors.New("session: the Caller is nil: call.New returns one")
	case box == nil:
		return nil, errors.New("session: the Box is nil: tools.Load returns one")
	case opts == nil || opts.Vendor.IsZero():
		return nil, fmt.Errorf("session: Options.Vendor: %w", &tools.VendorError{})
	}
	s := &Session{caller: caller.AskedBy("session " + rand.Text()), opts: *opts, box: box, doing: make(chan struct{}, 1)}
	s.opts.Parallel = cmp.Or(max(s.opts.Parallel, 0), defaultParallel)
	if err := s.opts.Budget.read(&s.used); err != nil {
		return nil, err
	}
	return s, nil
}

// Use replaces the Box, such as with that of an update of [tools.Watch]. The next definitions are of the
// new Box. A call of a tool that has changed since its definition was shown is not made.
func (s *Session) Use(box *tools.Box) {
	if box == nil {
		panic("session: the Box is nil")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.box, s.defs = box, nil
}

// Close ends the conversations with servers and the agreements of the Session. Work that goes on is
// kept by the services, and [Session.Save] before Close keeps its handles.
func (s *Session) Close() { s.caller.Leave() }

// Definitions are the tools of one request.
type Definitions struct {
	// Tools is the JSON array for the request.
	Tools json.RawMessage
	// System is a text for the system prompt. It explains the marks around the texts of strangers, and
	// names the sites that could not be asked and the tools that are not defined.
	System string
	// Names are the names of the tools that are defined.
	Names []string
	// Search is true if there is no room for all tools: the model searches for them, and the tools
	// that it has found or called lately are defined.
	Search bool
}

// Definitions returns the tools of the next request: all of them as long as the request has room for
// them, and otherwise a search, with the tools that were found lately. The bytes stay the same until a
// tool is found or the Box is replaced, so prompt caches remain valid.
func (s *Session) Definitions() *Definitions {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.defs == nil {
		s.defs = s.define()
	}
	own := *s.defs
	return &own
}

// define writes the definitions of the next request.
func (s *Session) define() *Definitions {
	opts := &tools.RenderOptions{Strict: s.opts.Strict, Tokens: s.opts.Tokens, Count: s.opts.Count}
	defs := s.box.Render(s.opts.Vendor, opts)
	search := len(defs.Left) > 0
	if search {
		defs = s.box.RenderFound(s.opts.Vendor, s.lately, opts)
	}
	s.form = defs.Form
	d := &Definitions{Tools: defs.Tools, Names: defs.Names, Search: search, System: prompt.Explanation}
	if search {
		d.System += " Not all tools are defined here. " + tools.MetaSearch + " finds the others."
	} else if n := len(defs.Skipped); n > 0 {
		d.System += fmt.Sprintf(" %d tools cannot be called here, because their definitions are not valid.", n)
	}
	if defs.Note != "" {
		d.System += " " + defs.Note
	}
	return d
}

// seen remembers names of tools that were found or called, the last ones first.
func (s *Session) seen(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Backward(names) {
		s.lately = append([]string{name}, slices.DeleteFunc(s.lately, func(n string) bool { return n == name })...)
	}
	s.lately = s.lately[:min(len(s.lately), maxLately)]
	if s.defs != nil && s.defs.Search {
		s.defs = nil
	}
}
