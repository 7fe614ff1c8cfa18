package client

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Values of Event.Kind.
const (
	// EventResolve is one call of Resolve, Refresh or Probe, as its caller sees it.
	EventResolve = "resolve"
	// EventWave is a group of places that are asked at a time. It belongs to the
	// call that began the work; calls that join it have no waves.
	EventWave = "wave"
	// EventRequest is the question for one URL: of a cache, and of the origin
	// where that is needed. Each hop of a redirect is one.
	EventRequest = "request"
	// EventExchange is a request on a connection. It belongs to the EventRequest that
	// needed it, which has one more for each retry. One that was answered from a store,
	// or by the exchange of another call, has none.
	EventExchange = "exchange"
	// EventRead is the reading of one document.
	EventRead = "read"
	// EventCall is one call of a tool (package client/call).
	EventCall = "call"
)

// OutcomeDone is the Event.Outcome of a call without an error.
const OutcomeDone = "done"

// Event is a part of the work of a Client. All its texts are words of this module,
// or names and URLs without secrets: no text of a document or a server is in it.
type Event struct {
	// Kind is one of the Event… constants.
	Kind string
	// Target of a resolve, the URL of a request, an exchange or a read, the origin of a
	// call and of its requests and exchanges.
	Target string
	// Method of an exchange, or "_OTHER" for one that HTTP does not define.
	Method string
	// Attempt of an exchange: 1, and more for a retry.
	Attempt int
	// RedirectedFrom is the URL whose redirect led to a request.
	RedirectedFrom string
	// Places of a wave.
	Places int

	// The rest is known at the end.

	// Error is wayfind.ErrorClass of the error; empty without one.
	Error string
	// Verdict of a read or a request; empty for an answer that redirects.
	Verdict wayfind.Verdict
	// Status of the answer; zero without one.
	Status int
	// From is Fetch.From of a request: empty when there was no answer.
	From string
	// Bytes of the body; of an exchange, as they came over the connection.
	Bytes int64
	// Stages of an exchange.
	Stages Stages
	// Joined: a resolve shared the work of another call. Leader is the context that
	// Observe returned for that call.
	Joined bool
	Leader context.Context
	// Outcome of a call: the code of its error, or OutcomeDone.
	Outcome string
}

// Stages are how long the parts of an exchange took, one after the other. A part that did
// not happen is zero.
type Stages struct {
	// Queue is the time for a connection, beyond the times to make it. It is the whole
	// time where none could be made.
	Queue time.Duration
	// DNS, Connect and TLS are zero on a connection that was used before.
	DNS, Connect, TLS time.Duration
	// Wait is from the request to the header of the answer, Read from there to the
	// end of the body.
	Wait, Read time.Duration
	// Reused: the connection was used before.
	Reused bool
}

// Observe is told that a part of the work begins, and its result is told the end:
// once, on the same goroutine or another. The context that it returns is that of the
// parts within; nil stands for ctx. It must be fast and must not call the Client. ctx
// is the caller's for a resolve and a call; within a flight, which outlives its callers,
// only its values mean something.
type Observe func(ctx context.Context, begin Event) (within context.Context, end func(Event))
