package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// events sends pieces of a stream, a second apart.
func events(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for i, p := range pieces {
			if i > 0 {
				time.Sleep(time.Second)
			}
			if _, err := w.Write([]byte(p)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // without it a test waits, and fails
		}
	}
}

func TestStream(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, events(
			"retry: 500\n: hello\n\ndata: {\"status\": \"Pending\", \"data\": {\"text\": \"a\u202er\"}}\n\n",
			"id: 7\nevent: tok\u202een\ndata: plain\ndata: \u200bte", "xt\n\n",
			"id: a\u202eb\ndata: {\"status\": \"completed\"}\n\ndata: cut off"))
		start := time.Now()
		var got []actors.Event
		var at []time.Duration
		for e, err := range newActor(t, internet, nil).Stream(t.Context(), "m1", "6") {
			if err != nil {
				t.Fatal(err)
			}
			got, at = append(got, e), append(at, time.Since(start))
		}
		reply := func(status, data string) actors.Reply {
			return actors.Reply{MessageID: "m1", Status: status, Data: json.RawMessage(data)}
		}
		const half = 500 * time.Millisecond
		want := []actors.Event{
			{Type: "message", Retry: half, Reply: reply("pending", `{"text": "ar"}`)},
			{Type: "token", ID: "7", Retry: half, Reply: reply("", `"plain\ntext"`)},
			{Type: "message", Retry: half, Reply: reply("completed", `{"status": "completed"}`)},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if d := cmp.Diff([]time.Duration{0, 2 * time.Second, 3 * time.Second}, at); d != "" {
			t.Errorf("each when it came (-want +got):\n%s", d)
		}
		r := crew.Requests()[0]
		if r.Path != designPath+"?streaming=true" || r.Header.Get("Last-Event-ID") != "6" || !strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") {
			t.Errorf("asked %+v", r)
		}
	})
}

// An agent that is done answers with a document, which is one event.
func TestStreamOfOneDocument(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, answer(200, `{"status": "completed", "data": 1}`))
		n := 0
		for e, err := range newActor(t, internet, nil).Stream(t.Context(), "m1", "") {
			want := actors.Event{Type: "message", Reply: actors.Reply{MessageID: "m1", Status: actors.StatusCompleted, Data: json.RawMessage(`1`)}}
			if d := cmp.Diff(want, e); err != nil || d != "" {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
			n++
		}
		if n != 1 || crew.Requests()[0].Header["Last-Event-Id"] != nil {
			t.Errorf("%d events, %+v", n, crew.Requests())
		}
	})
}

// Breaking the loop ends the request. The next loop sends a new one.
func TestStreamIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		left := make(chan time.Duration, 2)
		crew.Handle(designPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			events("data: 1\n\n")(w, r)
			<-r.Context().Done()
			left <- time.Since(start)
		}))
		stream := newActor(t, internet, nil).Stream(t.Context(), "m1", "")
		for range 2 {
			for _, err := range stream {
				if err != nil {
					t.Error(err)
				}
				break
			}
			if after := <-left; after != 0 {
				t.Errorf("the agent was kept for %v", after)
			}
		}
	})
}

// A stream that breaks off, or cannot be read, ends with one error.
func TestStreamFailures(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	rows := []struct {
		name   string
		page   http.Handler
		events int
		kind   error
		code   wayfind.Code
	}{
		{"no such message", answer(404, ""), 0, wayfind.ErrNotFound, wayfind.CodeAbsent},
		{"a web page", answer(200, "<html>"), 0, wayfind.ErrInvalid, wayfind.CodeJSONSyntax},
		{"a long line", events("data: 1\n\n:" + long), 1, wayfind.ErrInvalid, wayfind.CodeTooLarge},
		{"a long event", events("data: 1\n\n" + strings.Repeat("data: "+long[:1<<19]+"\n", 3)), 1, wayfind.ErrInvalid, wayfind.CodeTooLarge},
		{"a long stream", events(strings.Repeat("data: "+long[:1<<19]+"\n\n", 9)), 7, wayfind.ErrInvalid, wayfind.CodeTooLarge},
		{"cut off", clienttest.AtBody(15, clienttest.Reset)(events("data: 1\n\ndata: 2\n\n")), 1, wayfind.ErrUnreachable, wayfind.CodeNetwork},
		{"silent", clienttest.AtBody(15, clienttest.Stall)(events("data: 1\n\ndata: 2\n\n")), 1, wayfind.ErrUnreachable, wayfind.CodeTimeout},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
				crew.Handle(designPath, r.page)
				n, failed := 0, 0
				for e, err := range newActor(t, internet, nil).Stream(t.Context(), "m1", "") {
					if err == nil {
						n++
						continue
					}
					failed++
					var cause *wayfind.Error
					if !errors.Is(err, r.kind) || !errors.As(err, &cause) || cause.Code != r.code || e.Type != "" {
						t.Errorf("%v, want %v (%s)", err, r.kind, r.code)
					}
				}
				if n != r.events || failed != 1 {
					t.Errorf("%d events and %d errors", n, failed)
				}
			})
		})
	}
}

// If the caller's context ends, the error is the error of the context.
func TestStreamEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, clienttest.AtBody(9, clienttest.Stall)(events("data: 1\n\ndata: 2\n\n")))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var got []string
		for e, err := range newActor(t, internet, nil).Stream(ctx, "m1", "") {
			got = append(got, fmt.Sprint(e.Type, " ", errors.Is(err, context.DeadlineExceeded), errors.Is(err, wayfind.ErrUnreachable)))
		}
		if d := cmp.Diff([]string{"message false false", " true false"}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
