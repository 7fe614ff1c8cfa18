package discover

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
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
