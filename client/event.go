package client

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Values of Event.Kind.
const (
	// EventResolve is one call of Resolve, Refresh or Probe, from the view of its caller.
	EventResolve = "resolve"
	// EventWave is a group of places that are asked at a time. It belongs to the call that began
	// the work. Calls that join that work have no waves.
	EventWave = "wave"
	// EventRequest is a request for one URL: to a cache, and to the origin if necessary. Each hop
	// of a redirect is one EventRequest.
	EventRequest = "request"
	// EventExchange is a request on a connection. It belongs to the EventRequest that needed it,
	// which has one more for each retry. An EventRequest that was answered from a store, or by the
	// exchange of another call, has no EventExchange.
	EventExchange = "exchange"
	// EventRead is the reading of one document.
	EventRead = "read"
	// EventCall is one call of a tool (package client/call).
	EventCall = "call"
)

// OutcomeDone is the Event.Outcome of a call without an error.
const OutcomeDone = "done"

// Event is a part of the work of a Client. All its texts are words of this module, or names and
// URLs without secrets. It contains no text of a document or a server.
type Event struct {
	// Kind is one of the Event… constants.
	Kind string
	// Target is the target of a resolve, the URL of a request, an exchange or a read, or the origin
	// of a call. For the requests and exchanges of a call it is also the origin.
	Target string
	// Method is the method of an exchange, or "_OTHER" if HTTP does not define it.
	Method string
	// Attempt is the number of an exchange: 1, and more for a retry.
	Attempt int
	// RedirectedFrom is the URL whose redirect led to a request.
	RedirectedFrom string
	// Places is the number of places of a wave.
	Places int

	// The remaining fields are known at the end.

	// Error is wayfind.ErrorClass of the error; empty without one.
	Error string
	// Verdict is the verdict of a read or a request; empty for an answer that redirects.
	Verdict wayfind.Verdict
	// Status is the HTTP status of the answer; zero without one.
	Status int
	// From is Fetch.From of a request; empty without an answer.
	From string
	// Bytes is the size of the body; for an exchange, the size on the connection.
	Bytes int64
	// Stages are the durations of the parts of an exchange.
	Stages Stages
	// Joined is true if a resolve shared the work of another call. Leader is the context that
	// Observe returned for that call.
	Joined bool
	Leader context.Context
	// Outcome is the result of a call: the code of its error, or OutcomeDone.
	Outcome string
}

// Stages are the durations of the parts of an exchange, one after the other. A part that did not
// happen is zero.
type Stages struct {
	// Queue is the time spent waiting for a connection, without the times to make it. If no
	// connection could be made, it is the whole time.
	Queue time.Duration
	// DNS, Connect and TLS are zero on a connection that was used before.
	DNS, Connect, TLS time.Duration
	// Wait is the time from the request to the header of the answer, and Read from there to the end
	// of the body.
	Wait, Read time.Duration
	// Reused is true if the connection was used before.
	Reused bool
}

// Observe is called when a part of the work begins. The function that it returns is called with the
// end of that part: once, on the same goroutine or another. The parts within get the context that
// it returns; nil means ctx. Observe must be fast and must not call the Client. For a resolve and a
// call, ctx is the context of the caller. Within a flight, which outlives its callers, only the
// values of ctx are meaningful.
type Observe func(ctx context.Context, begin Event) (within context.Context, end func(Event))
