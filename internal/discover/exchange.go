package discover

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// observing makes connections tell Observe of each exchange.
func (eng *Engine) observing(conns *fetch.Conns) fetch.Step {
	if eng.Opts.Observe == nil {
		return conns
	}
	return &exchanges{engine: eng, conns: conns}
}

// exchanges is the Step that tells Observe.
type exchanges struct {
	engine *Engine
	conns  *fetch.Conns
}

// Do implements fetch.Step.
func (x *exchanges) Do(ctx context.Context, a *fetch.Ask) (*http.Response, error) {
	e := Event{Kind: kindExchange, Method: method(a.Method), Attempt: a.Repeats() + 1}
	if x.conns == x.engine.Conns {
		e.Target = shownURL(a.URL.String())
	} else { // arguments of a call may be in the rest
		e.Target = security.Origin(a.URL)
	}
	began := time.Now()
	_, part := x.engine.Observe(ctx, e)
	s := &e.Stages
	a.Stages = s
	resp, err := x.conns.Do(ctx, a)
	a.Stages = nil
	// The connection may have been begun for another request, before this one.
	s.Queue = max(time.Since(began)-s.DNS-s.Connect-s.TLS-s.Wait, 0)
	if err != nil {
		e.Error = wayfind.ErrorClass(err)
		part.End(e)
		return nil, err
	}
	e.Status = resp.StatusCode
	resp.Body = &observedBody{ReadCloser: resp.Body, event: e, part: part, began: time.Now()}
	return resp, nil
}

// method is that of an Ask, as the semantic conventions of OpenTelemetry write it. Those of
// a call may be a document's own words.
func method(m string) string {
	switch m {
	case "":
		return http.MethodGet
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "_OTHER"
}

// observedBody is the body of an answer, at whose end the exchange ends.
type observedBody struct {
	io.ReadCloser
	event Event
	part  Part[Event]
	began time.Time
	bytes atomic.Int64
	once  sync.Once
}

// Read is for one goroutine at a time.
func (b *observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	if err != nil {
		b.over(err)
	}
	return n, err
}

// Close may be called beside a Read, as a time limit does.
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
		b.part.End(e)
	})
}
