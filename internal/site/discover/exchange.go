package discover

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/web/capture"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// exchanges is the Step that reports to Observe.
type exchanges struct {
	engine *Engine
	conns  *fetch.Conns
}

// Do implements fetch.Step.
func (x *exchanges) Do(ctx context.Context, a *fetch.Ask) (*http.Response, error) {
	e := Event{Kind: kindExchange, Method: method(a.Method), Attempt: a.Repeats() + 1}
	if x.conns == x.engine.Conns {
		e.Target = shownURL(a.URL.String())
	} else { // the rest may contain arguments of a call
		e.Target = security.Origin(a.URL)
	}
	began := time.Now()
	within, part := x.engine.Observe(ctx, e)
	s := &e.Stages
	a.Stages = s
	var told *message
	if take := capture.Of(ObservedBy(within)); take != nil && a.URL != nil {
		told = x.engine.tapped(take, a, x.conns != x.engine.Conns)
		ctx = httptrace.WithClientTrace(ctx, told.trace())
	}
	resp, err := x.conns.Do(ctx, a)
	a.Stages = nil
	// The connection may have been started for another request, before this one.
	s.Queue = max(time.Since(began)-s.DNS-s.Connect-s.TLS-s.Wait, 0)
	if err != nil {
		e.Error = wayfind.ErrorClass(err)
		told.end(a)
		part.End(e)
		return nil, err
	}
	e.Status = resp.StatusCode
	told.answered(resp)
	resp.Body = &observedBody{ReadCloser: resp.Body, event: e, part: part, began: time.Now(), told: told, ask: a}
	return resp, nil
}

// method returns the method of an Ask, in the form of the semantic conventions of OpenTelemetry.
// The method of a call may be text of a document.
func method(m string) string {
	switch m {
	case "":
		return http.MethodGet
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "_OTHER"
}

// observedBody is the body of an answer. The exchange ends with it.
type observedBody struct {
	io.ReadCloser
	event Event
	part  Part[Event]
	began time.Time
	told  *message // nil: no observer asks for it
	ask   *fetch.Ask
	bytes atomic.Int64
	once  sync.Once
}

// Read is for one goroutine at a time.
func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	b.told.read(answerSide, p[:n])
	if err != nil {
		b.over(err)
	}
	return n, err
}

// Close may be called during a Read, for example by a time limit.
func (b *observedBody) Close() error {
	err := b.ReadCloser.Close()
	b.over(nil)
	return err
}

func (b *observedBody) over(err error) {
	b.once.Do(func() {
		e := b.event
		e.Bytes, e.Stages.Read = b.bytes.Load(), time.Since(b.began)
		if err != nil && !errors.Is(err, io.EOF) {
			e.Error = wayfind.ErrorClass(err)
		}
		b.told.end(b.ask)
		b.part.End(e)
	})
}
