package discover

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/capture"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// message collects the Message of an exchange for an observer that asks for it. A nil message
// collects nothing.
type message struct {
	take   func(*capture.Message)
	veil   secret.Veil
	hidden []string // canonical names of fields with a credential
	call   bool     // the request is not for a document: its data are the caller's

	mu   sync.Mutex // the connection writes while the answer arrives
	told capture.Message
	sent http.Header
	body [2]beginning // of the request and of the answer
}

// beginning is the beginning of a body.
type beginning struct {
	data []byte
	more bool
}

func (b *beginning) add(p []byte) {
	n := min(len(p), capture.Searched-len(b.data))
	b.data = append(b.data, p[:n]...)
	b.more = b.more || n < len(p)
}

// hide makes sure that a credential does not appear.
func (m *message) hide(c *fetch.AuthPart, u *url.URL) {
	if !c.Plain {
		m.veil = m.veil.AndField(c.Value)
	}
	switch {
	case c.In == "":
		m.hidden = append(m.hidden, http.CanonicalHeaderKey(c.Field))
	case c.In == fetch.InQuery && c.Fits(u):
		mark := "?"
		if strings.Contains(m.told.URL, "?") {
			mark = "&"
		}
		m.told.URL += mark + url.QueryEscape(c.Field) + "=" + secret.RecordedMark
	}
}

// trace returns the hooks that collect the header of the request as it is written.
func (m *message) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { m.restart() }, WroteHeaderField: m.wrote}
}

// restart forgets a request that is sent again.
func (m *message) restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent, m.body[requestSide] = nil, beginning{}
}

func (m *message) wrote(name string, values []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.HasPrefix(name, ":") {
		return // HTTP/2: the method and the URL
	}
	if m.sent == nil {
		m.sent = http.Header{}
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	m.sent[name] = append(m.sent[name], values...) // a copy
}

// answered takes the header of the answer. The steps above change it.
func (m *message) answered(resp *http.Response) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told.Status, m.told.Answer.Header = resp.StatusCode, resp.Header.Clone()
	m.told.Proto = "HTTP/1.1"
	if resp.ProtoMajor == 2 {
		m.told.Proto = "HTTP/2"
	}
}

// The sides of a message.
const (
	requestSide = iota
	answerSide
)

// read takes a part of a body.
func (m *message) read(side int, p []byte) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.body[side].add(p)
}

// end hands the Message to the observer.
func (m *message) end(a *fetch.Ask) {
	if m == nil {
		return
	}
	m.mu.Lock()
	told := m.told
	told.Request.Header = m.sent.Clone()
	sent, got := m.body[requestSide], m.body[answerSide]
	m.mu.Unlock()
	if a.Remote.IsValid() {
		told.Remote = a.Remote.String()
	}
	shown := secret.Message{Veil: m.veil, Private: m.call}
	told.URL = shown.URL(told.URL)
	m.side(&told.Request, sent, shown)
	m.side(&told.Answer, got, shown)
	m.take(&told)
}

// side sets the header and the body of one side, without secrets.
func (m *message) side(s *capture.Side, body beginning, shown secret.Message) {
	kind := s.Header.Get("Content-Type")
	data := body.data
	if strings.EqualFold(strings.TrimSpace(s.Header.Get("Content-Encoding")), "gzip") {
		data, body.more = unzipped(data, body.more)
	}
	s.SetBody(shown.Body(kind, string(data)), body.more)
	for name, values := range s.Header {
		for i, v := range values {
			if slices.Contains(m.hidden, name) {
				v = secret.RecordedMark
			}
			values[i] = shown.Field(name, v)
		}
	}
}

// unzipped returns as much of the beginning of a gzip file as can be decoded.
func unzipped(data []byte, more bool) ([]byte, bool) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data, more
	}
	plain, err := io.ReadAll(io.LimitReader(r, capture.Searched+1))
	if len(plain) > capture.Searched {
		return plain[:capture.Searched], true
	}
	return plain, more || err != nil
}

// tappedBody is the body of a request.
type tappedBody struct {
	io.ReadCloser
	message *message
}

func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.message.read(requestSide, p[:n])
	return n, err
}
