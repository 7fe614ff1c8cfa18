package actors

import (
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Event is a step of the work on a message.
type Event struct {
	// Type is the type of the event; "message" if the stream names no type.
	Type string
	// ID is the identifier from which Stream can continue; "" if the stream named none.
	ID string
	// Retry is the pause that the stream asks for before the next request; 0 if it asks for
	// none.
	Retry time.Duration
	// Reply is the content of the event.
	Reply Reply
}

// Stream follows the work on a message until the agent ends the stream, and yields events as
// they arrive (WHATWG HTML, server-sent events). If the agent is done, it may answer with one
// document instead, which is one event. after is the ID of the last event that the caller has
// seen (Last-Event-ID); "" for all events.
//
// Each loop over the result sends one request. Breaking the loop ends the request. If a stream
// breaks off, an error is yielded once with a zero Event. The caller decides whether to
// continue, with after and Event.Retry. The guard ends a stream after five minutes, and after
// the 4 MiB that the Client allows.
func (a *Actor) Stream(ctx context.Context, id, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		resp, err := a.do(ctx, id, call{method: http.MethodGet, query: "streaming=true",
			accept: "text/event-stream, application/json;q=0.9", after: after})
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer resp.Body.Close()
		if mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); mediaType != "text/event-stream" {
			r, err := a.readReply(resp, id)
			if err != nil {
				yield(Event{}, err)
				return
			}
			yield(Event{Type: "message", Reply: *r}, nil)
			return
		}
		in := newFrames(resp.Body)
		for {
			f, err := in.next()
			if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			if err != nil {
				yield(Event{}, streamError(resp, err))
				return
			}
			if !yield(f.event(id, a.options.AllowSecrets), nil) {
				return
			}
		}
	}
}

// event cleans a frame. It drops an identifier that cleaning would change, because it could
// not be sent back.
func (f frame) event(id string, allowSecrets bool) Event {
	e := Event{Retry: f.retry, Reply: Reply{MessageID: id}}
	e.Type = line(f.kind, maxWord)
	if secret.Veil(nil).Show(f.id, secret.Line, maxETag) == f.id {
		e.ID = f.id
	}
	if err := e.Reply.fill([]byte(f.data), allowSecrets); err != nil {
		e.Reply.Data = rawjson.Quote(secret.Veil(nil).Show(f.data, purposeOf(allowSecrets), 0))
	}
	return e
}

// streamError returns the error of a stream that has begun.
func streamError(resp *http.Response, err error) error {
	u := resp.Request.URL.String()
	if limit, ok := errors.AsType[*limitError](err); ok {
		return invalid(u, wayfind.CodeTooLarge, "%w", limit)
	}
	if _, ok := errors.AsType[*wayfind.Error](err); ok {
		return err
	}
	return wayfind.NewError("actors", u, wayfind.CodeTruncated, err)
}
