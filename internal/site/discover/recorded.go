package discover

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// Talk is one request of a call, or of a conversation with a live endpoint, and its result.
type Talk struct {
	Method  string
	URL     *url.URL
	Request []byte // the body of the request
	Status  int
	Header  http.Header
	Body    []byte
	Err     error       // the reason why there is no answer
	Secrets secret.Veil // the values of the credentials
}

// talk returns the record of a request that is about to be sent; nil if none is kept: requests of
// the caller's own (Engine.HTTP without a session) and bodies that can be read only once are not
// recorded.
func (p *OneOrigin) talk(req *http.Request, u *url.URL, auth []fetch.AuthPart) *Talk {
	if p.engine.Opts.Lab.Talk == nil || !p.Agreed && p.session == nil {
		return nil
	}
	t := &Talk{Method: req.Method, URL: u}
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil
		}
		body, err := req.GetBody()
		if err != nil {
			return nil
		}
		defer body.Close()
		if t.Request, err = io.ReadAll(body); err != nil {
			return nil
		}
	}
	for i := range auth {
		if !auth[i].Plain {
			t.Secrets = t.Secrets.AndField(auth[i].Value)
		}
	}
	return t
}

// heard is the body of an answer that is recorded when it ends. A client leaves a stream of events
// when it has its answer, so a stream that answers a POST is recorded when an answer is in it.
type heard struct {
	io.ReadCloser
	talk   *Talk
	events bool
	record func(*Talk)
	once   sync.Once
	known  int // bytes of the stream that are recorded
}

// Read implements io.Reader.
func (h *heard) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	h.talk.Body = append(h.talk.Body, b[:n]...)
	switch {
	case err != nil:
		h.once.Do(func() {
			if !errors.Is(err, io.EOF) {
				h.talk.Err = err
			}
			h.record(h.talk)
		})
	case h.events:
		h.recordEvents()
	}
	return n, err
}

// recordEvents records the events so far if an answer is among the new ones. They must be as long as
// those before them, so that a long stream is not recorded at each event.
func (h *heard) recordEvents() {
	whole := wholeEvents(h.talk.Body)
	if whole < max(1, 2*h.known) || !isAnswer(h.talk.Body[h.known:whole]) {
		return
	}
	h.known = whole
	part := *h.talk
	part.Body = bytes.Clone(h.talk.Body[:whole])
	h.record(&part)
}

// wholeEvents returns the length of a stream up to its last whole event.
func wholeEvents(stream []byte) int {
	for _, end := range []string{"\n\n", "\r\n\r\n"} {
		if i := bytes.LastIndex(stream, []byte(end)); i >= 0 {
			return i + len(end)
		}
	}
	return 0
}

// isAnswer reports whether events have an answer of JSON-RPC among them.
func isAnswer(events []byte) bool {
	return bytes.Contains(events, []byte(`"result"`)) || bytes.Contains(events, []byte(`"error"`))
}

// Close implements io.Closer.
func (h *heard) Close() error {
	err := h.ReadCloser.Close()
	h.once.Do(func() {
		good := h.talk.Status/100 == 2 && h.talk.Status != http.StatusAccepted && h.talk.Status != http.StatusNoContent
		switch whole := wholeEvents(h.talk.Body); {
		case h.events && whole > 0:
			h.talk.Body = h.talk.Body[:whole]
		case good && h.talk.Header.Get("Content-Length") != "0":
			return // the rest of the answer is not known
		}
		h.record(h.talk)
	})
	return err
}

// told records the result of a request.
func (p *OneOrigin) told(t *Talk, resp *http.Response, err error) {
	record := p.engine.Opts.Lab.Talk
	if err != nil {
		t.Err = err
		record(t)
		return
	}
	t.Status, t.Header = resp.StatusCode, resp.Header
	if resp.Body == nil || resp.Body == http.NoBody {
		record(t)
		return
	}
	resp.Body = &heard{
		ReadCloser: resp.Body, talk: t, record: record,
		events: t.Method == http.MethodPost && strings.HasPrefix(t.Header.Get("Content-Type"), "text/event-stream"),
	}
}
