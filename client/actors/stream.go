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
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Event is a step of the work on a message.
type Event struct {
	// Type is "message" where the stream does not say.
	Type string
	// ID to go on from with Stream; "" when the stream named none.
	ID string
	// Retry is the pause that the stream asks for before it is asked again; 0
	// when it does not say.
	Retry time.Duration
	// Reply is the content of the event.
	Reply Reply
}

// Stream follows the work on a message until the agent ends the stream, with
// events as they come (WHATWG HTML, server-sent events). An agent that is done
// may answer with one document instead: that is one event. after is the ID of
// the last event that was seen, "" for all (Last-Event-ID).
//
// Each loop over the result makes one request; breaking it ends the request. A
// stream that breaks off is an error, yielded once with a zero Event: whether to
// go on is for the caller to say, with after and Event.Retry. The guard ends a
// stream after five minutes, and after the 4 MiB that the Client lets through.
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

// event cleans a frame. An identifier that cleaning would change could not be
// sent back.
func (f frame) event(id string, allowSecrets bool) Event {
	e := Event{Retry: f.retry, Reply: Reply{MessageID: id}}
	e.Type = line(f.kind, maxWord)
	if clean, _ := text.Clean(f.id, false, maxETag); clean == f.id {
		e.ID = f.id
	}
	if err := e.Reply.fill([]byte(f.data), allowSecrets); err != nil {
		text, _ := text.Clean(f.data, true, 0)
		if !allowSecrets {
			text = withoutSecrets(text)
		}
		e.Reply.Data = parse.Quote(text)
	}
	return e
}

// streamError is the error of a stream that was begun.
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
