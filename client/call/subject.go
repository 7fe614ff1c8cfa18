package call

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/security"
)

// message is an HTTP request without its credentials. It does not change once it is part of
// a subject or of a request.
type message struct {
	method  string
	url     *url.URL // in canonical form
	origin  string   // that the request goes to
	header  http.Header
	body    []byte
	cookies []security.Credential // of parameters
}

// subject is what a person agrees to: the first request of a call, and the places of its
// credentials.
type subject struct {
	message
	placed []Placed
	key    *key // that makes repeating harmless; nil for none
}

// kind says what a request is to the call that was agreed to.
type kind int

const (
	_ kind = iota
	// form is the subject, written as the wire needs it: with an id, for a version of the
	// protocol, with its key.
	form
	// aside carries no arguments of the tool and changes nothing: a handshake, a poll. It
	// goes to the origin of the subject.
	aside
)

// request is one request of a conversation. It does not change.
type request struct {
	message
	kind kind
	// subject of a form, and of a poll that has one of its own. Nil for other asides.
	subject *subject
	again   repeats
	// listen returns the reader of an answer that is read piece by piece; nil for none. It
	// gets the call as it is when the request is sent: a challenge changes the credentials.
	listen func(*sent, *http.Response) *listener
	// farewell: it is sent once, although the time of the call may be over.
	farewell bool
}

// listener gets the pieces of an answer while it is read.
type listener struct {
	// feed reports that no more of the answer is wanted.
	feed func(piece []byte) (done bool)
	// heard: a part of the answer was handed on.
	heard bool
	// failed is the error of the hook that the answer is handed on to.
	failed error
}

// repeats says when a request may be sent again.
type repeats int

const (
	never          repeats = iota
	beforeAnswer           // after a failure that came before any byte of an answer
	whenEverFailed         // after any failure, and when the service asks for it
)

// parseURL reads a URL that a call goes to. Those of servers under development are read
// too: see [target.prepare], and the Client knows which may be asked.
func parseURL(ref string) (*url.URL, error) {
	var guard *security.Guard
	u, refused := guard.ParseRequest(ref)
	if refused == nil {
		return u, nil
	}
	if u, err := url.Parse(ref); err == nil {
		if guard = security.DevGuard(security.Origin(u)); guard != nil {
			return guard.ParseRequest(ref)
		}
	}
	return nil, refused
}

// newMessage writes a message to a URL, which is canonicalised: a URL that would be another
// one on the wire is refused. The header becomes the message's own.
func newMessage(method, ref string, header http.Header) (m message, err error) {
	u, err := parseURL(ref)
	if err != nil {
		return m, err
	}
	return message{method: method, url: u, origin: security.Origin(u), header: header}, nil
}

// jsonHeader are the fields of a message with a JSON body.
func jsonHeader(accept string) http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {accept}}
}

// with returns the message with another body and further header fields.
func (m message) with(body []byte, fields http.Header) message {
	m.body = body
	if len(fields) > 0 {
		m.header = m.header.Clone()
		maps.Copy(m.header, fields)
	}
	return m
}

// request makes the HTTP request.
func (m *message) request(ctx context.Context) *http.Request {
	r := (&http.Request{Method: m.method, URL: m.url, Host: m.url.Host, Header: m.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if body := m.body; body != nil {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(body))
	}
	return r
}

// collide refuses two credentials for one place, only one of which would be sent, and an
// argument in the place of a credential.
func (s *subject) collide() error {
	for i, p := range s.placed {
		if slices.ContainsFunc(s.placed[:i], func(q Placed) bool {
			return p.In == q.In && (p.Name == q.Name || p.In == "header" && strings.EqualFold(p.Name, q.Name))
		}) {
			return fail(CredentialRefused, nil, "two of its credentials go to the same place")
		}
		if p.In == "header" && s.header.Get(p.Name) != "" {
			return fail(InvalidArguments, nil, "an argument goes where the credential goes")
		}
	}
	return nil
}

// shown is the request for people: its credentials are hidden.
func (s *subject) shown() *Request {
	r := s.sentForm()
	r.Header, r.Body, r.Credentials = r.Header.Clone(), bytes.Clone(r.Body), slices.Clone(r.Credentials)
	return r
}

// sentForm is shown for a request that is over: parts without a credential are shared.
func (s *subject) sentForm() *Request {
	r := &Request{Method: s.method, URL: s.url.String(), Header: s.header, Body: s.body, Credentials: s.placed}
	if len(s.cookies)+len(s.placed) > 0 {
		r.Header = r.Header.Clone()
	}
	for _, c := range s.cookies {
		r.Header["Cookie"] = []string{strings.Join(append(r.Header["Cookie"], c.Field+"="+c.Value), "; ")}
	}
	for _, p := range s.placed {
		switch p.In {
		case "header":
			r.Header.Set(p.Name, Hidden)
		case "cookie":
			cookies := append(r.Header["Cookie"], p.Name+"="+Hidden)
			r.Header["Cookie"] = []string{strings.Join(cookies, "; ")}
		case "query":
			mark := "?"
			if strings.Contains(r.URL, "?") {
				mark = "&"
			}
			r.URL += mark + url.QueryEscape(p.Name) + "=" + Hidden
		}
	}
	return r
}
