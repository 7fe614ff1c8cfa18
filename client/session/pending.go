package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Work is work of a service that goes on after a call.
type Work struct {
	// ID is the identifier of the work in this Session.
	ID string
	// Call is the call that began it.
	Call Call
	// NotBefore is the earliest time of the next look; zero if the service named none.
	NotBefore time.Time
}

type work struct {
	Work
	handle *call.Handle
}

// keep keeps the work that goes on after a call, and returns its identifier.
func (s *Session) keep(o *Outcome) string {
	h := o.Result.Program.Handle
	if h == nil || !o.Result.Model.Pending {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := work{Work{ID: rand.Text(), Call: o.Call, NotBefore: h.NotBefore}, h}
	if len(s.pending) >= maxPending {
		s.pending = s.pending[1:]
	}
	s.pending = append(s.pending, w)
	return w.ID
}

// Pending returns the work that goes on, the oldest first: at most the last 64.
func (s *Session) Pending() (list []Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.pending {
		list = append(list, w.Work)
	}
	return list
}

// Wait waits until work has ended, or until ctx ends, and returns its outcome. Vendors take one
// result for each call, so Text is for a message of the user to the model, such as "The work of
// create_report has ended:" and the text. After the end of ctx the work is still pending.
func (s *Session) Wait(ctx context.Context, id string) (Outcome, error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.pending, func(w work) bool { return w.ID == id })
	if i < 0 {
		s.mu.Unlock()
		return Outcome{}, fmt.Errorf("session: no work has the identifier %q", id)
	}
	w := s.pending[i]
	caller := s.caller.With(s.form)
	s.mu.Unlock()
	res, err := caller.Wait(ctx, w.handle)
	o := Outcome{Call: w.Call, Result: res, Text: res.Model.Marked(), Failed: err != nil}
	s.mu.Lock()
	defer s.mu.Unlock()
	i = slices.IndexFunc(s.pending, func(w work) bool { return w.ID == id })
	switch {
	case i < 0:
	case res.Model.Pending:
		o.Work = id
		if h := res.Program.Handle; h != nil {
			s.pending[i].handle, s.pending[i].NotBefore = h, h.NotBefore
		}
	default:
		s.pending = slices.Delete(s.pending, i, i+1)
	}
	s.used.Bytes += len(o.Text)
	o.Content = s.content(&o)
	return o, nil
}

// saved is a Session as JSON.
type saved struct {
	Schema  string            `json:"schema"`
	Calls   int               `json:"calls"`
	Bytes   int               `json:"bytes"`
	Begun   time.Time         `json:"begun,omitzero"`
	Money   map[string]string `json:"money,omitempty"`
	Lately  []string          `json:"lately,omitempty"`
	Pending []savedWork       `json:"pending,omitempty"`
}

type savedWork struct {
	ID        string          `json:"id"`
	Call      string          `json:"call"`
	Name      string          `json:"name"`
	Handle    json.RawMessage `json:"handle"` // sealed by the Caller
	NotBefore time.Time       `json:"notBefore,omitzero"`
}

const savedSchema = "wayfind/session/1"

// Save returns what a later process needs to go on: the part of the budget that is used, the names of
// the tools that were found, and the work that goes on, sealed with call.Options.TicketKey. The arguments
// of calls are not in it. The messages of the model are the program's own.
func (s *Session) Save() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := saved{Schema: savedSchema, Calls: s.used.Calls, Bytes: s.used.Bytes, Begun: s.begun, Money: s.used.shown(s.begun).Money, Lately: s.lately}
	for _, w := range s.pending {
		raw, err := w.handle.Save()
		if err != nil {
			return nil, err
		}
		own.Pending = append(own.Pending, savedWork{w.ID, w.Call.ID, w.Call.Name, raw, w.NotBefore})
	}
	return json.Marshal(own)
}

// errSaved is the error for data that Save did not write.
var errSaved = errors.New("session: the data is none of Session.Save")

// Open returns a Session that goes on after [Session.Save], and counts the part of the budget that was
// used. The Caller needs the same TicketKey. Work whose handle cannot be opened, because a tool is gone or
// has changed or the handle has expired, is not pending any more: its errors are joined in the error
// beside the Session.
func Open(ctx context.Context, caller *call.Caller, box *tools.Box, data []byte, opts *Options) (*Session, error) {
	s, err := New(caller, box, opts)
	if err != nil {
		return nil, err
	}
	var own saved
	if json.Unmarshal(data, &own) != nil || own.Schema != savedSchema {
		return nil, errSaved
	}
	s.used.Calls, s.used.Bytes, s.begun = own.Calls, own.Bytes, own.Begun
	s.lately = own.Lately[:min(len(own.Lately), maxLately)]
	for code, amount := range own.Money {
		if spent, ok := amountOf(amount); ok && s.used.spent[code] != nil {
			s.used.spent[code] = new(big.Rat).Set(spent)
		}
	}
	s.form = tools.Form{Vendor: s.opts.Vendor, Strict: s.opts.Strict}
	var lost error
	for _, w := range own.Pending[:min(len(own.Pending), maxPending)] {
		h, err := s.caller.With(s.form).Open(ctx, box, w.Handle)
		if err != nil {
			lost = errors.Join(lost, fmt.Errorf("the work of %s: %w", w.Name, err))
			continue
		}
		s.pending = append(s.pending, work{Work{w.ID, Call{ID: w.Call, Name: w.Name}, w.NotBefore}, h})
	}
	return s, lost
}

// Used returns what the Session has used.
func (s *Session) Used() Used {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used.shown(s.begun)
}
