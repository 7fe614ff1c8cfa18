// Package capture carries the messages of exchanges to an observer that asks for them: the header
// fields and the beginning of each body, without secrets. Without such an observer nothing is
// copied.
package capture

import (
	"context"
	"net/http"
	"unicode/utf8"
)

const (
	// MaxBody is the maximum length of the part of a body in a Message, in bytes.
	MaxBody = 1 << 10
	// Searched is the length of the beginning of a body that is searched for secrets. It is
	// longer than MaxBody, so that a secret which begins in the part that is shown is found as a
	// whole.
	Searched = 16 << 10
)

// Message is a request on a connection, and its answer. It contains no credential and no likely
// secret.
type Message struct {
	Method, URL string
	// Proto is "HTTP/1.1" or "HTTP/2"; empty without an answer.
	Proto string
	// Remote is the address that was asked, if it is known.
	Remote  string
	Request Side
	// Status is the status of the answer; 0 if there is none.
	Status int
	Answer Side
}

// Side is the request or the answer of a Message.
type Side struct {
	// Header has the fields as they were sent. It is nil if no header was sent.
	Header http.Header
	// Body is the decoded beginning of the body.
	Body []byte
	// Cut is true if the body is longer than Body.
	Cut bool
}

// SetBody sets Body and Cut from a text that may be longer than MaxBody. more is true if the text
// is only a beginning itself.
func (s *Side) SetBody(text string, more bool) {
	s.Body, s.Cut = nil, more
	if text != "" {
		s.Body = []byte(text)
	}
	if len(text) <= MaxBody {
		return
	}
	s.Cut, s.Body = true, s.Body[:MaxBody:MaxBody]
	for i := 1; i < utf8.UTFMax; i++ { // no part of a character
		if tail := s.Body[MaxBody-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				s.Body = s.Body[:MaxBody-i]
			}
			return
		}
	}
}

// Size returns the approximate memory of a Message, in bytes.
func (m *Message) Size() int {
	n := 256 + len(m.URL)
	for _, side := range []*Side{&m.Request, &m.Answer} {
		n += len(side.Body)
		for name, values := range side.Header {
			n += 64 + len(name)
			for _, v := range values {
				n += 16 + len(v)
			}
		}
	}
	return n
}

type key struct{}

// With returns a context for client.Observe to return at the begin of an exchange. take gets the
// Message of the exchange before the exchange ends.
func With(ctx context.Context, take func(*Message)) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Of returns the function of With, or nil if the observer does not ask for the Message.
func Of(ctx context.Context) func(*Message) {
	take, _ := ctx.Value(key{}).(func(*Message))
	return take
}
