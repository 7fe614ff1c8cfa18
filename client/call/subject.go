package call

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/security"
)

// message is an HTTP request without its credentials. It does not change once it is part of
// a subject or of a request.
type message struct {
	method  string
	url     *url.URL // in canonical form
	origin  string   // the destination of the request
	header  http.Header
	body    []byte
	cookies []security.Credential // the cookies of parameters
}

// subject is the thing that a person agrees to: the first request of a call, and the places of
// its credentials.
type subject struct {
	message
	placed []Placed
	key    *key // makes a repetition harmless; nil if there is none
}

// kind is the role of a request in the call that was agreed to.
type kind int

const (
	_ kind = iota
	// form is the subject in the form in which it is sent: with an id, for a version of the
	// protocol, with its idempotency key.
	form
	// aside contains no arguments of the tool and changes nothing: a handshake or a poll. It
	// goes to the origin of the subject.
	aside
)

// request is one request of a conversation. It does not change.
type request struct {
	message
	kind kind
	// subject is the subject of a form, or of a poll that has its own subject. Nil for other
	// asides.
	subject *subject
	again   repeats
	// listen returns the reader of an answer that is read piece by piece; nil if the answer is
	// read as a whole. It gets the state of the call at the time when the request is sent,
	// because a challenge changes the credentials.
	listen func(*sent, *http.Response) *listener
	// farewell is true for a last request that is sent once, even if the time of the call is
	// over.
	farewell bool
}

// listener gets the pieces of an answer while it is read.
type listener struct {
	// feed processes a piece. It returns true if no more of the answer is wanted.
	feed func(piece []byte) (done bool)
	// heard is true if a part of the answer was passed to a hook, or if its stream can be resumed. The
	// request is then not sent again.
	heard bool
	// failed is the error of that hook.
	failed error
}

// repeats is the condition under which a request may be sent again.
type repeats int

const (
	never          repeats = iota
	beforeAnswer           // after a failure before any byte of an answer
	whenEverFailed         // after any failure, and if the service asks for it
)

// parseURL reads a URL that a call goes to. It accepts the URLs of servers under development
// too: [target.prepare] checks them, and the Client knows which of them may be contacted.
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

// newMessage returns a message to a URL, which is canonicalised. It refuses a URL that would
// become another URL on the wire. The message owns the header.
func newMessage(method, ref string, header http.Header) (m message, err error) {
	u, err := parseURL(ref)
	if err != nil {
		return m, err
	}
	return message{method: method, url: u, origin: security.Origin(u), header: header}, nil
}

// jsonHeader returns the header fields of a message with a JSON body.
func jsonHeader(accept string) http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {accept}}
}

// with returns the message with another body and additional header fields.
func (m message) with(body []byte, fields http.Header) message {
	m.body = body
	if len(fields) > 0 {
		m.header = m.header.Clone()
		maps.Copy(m.header, fields)
	}
	return m
}

// request returns the HTTP request.
func (m *message) request(ctx context.Context) *http.Request {
	r := (&http.Request{Method: m.method, URL: m.url, Host: m.url.Host, Header: m.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	if body := m.body; body != nil {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(body))
	}
	return r
}

// collide refuses two credentials for the same place, because only one of them would be sent,
// and an argument in the place of a credential.
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

// shown returns the request for people, with its credentials hidden.
func (s *subject) shown() *Request {
	r := s.sentForm()
	r.Header, r.Body, r.Credentials = r.Header.Clone(), bytes.Clone(r.Body), slices.Clone(r.Credentials)
	return r
}

// sentForm is shown for a request that is over. It shares the parts that contain no
// credential.
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

// print returns the print of a subject.
func (s *subject) print() print {
	p := print{Method: s.method, Origin: s.url.Scheme + "://" + s.url.Host, Target: s.url.RequestURI()}
	values := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.header)) {
		p.Fields = append(p.Fields, name)
		fmt.Fprintf(values, "%q %q\n", name, s.header[name])
	}
	for _, c := range s.cookies {
		fmt.Fprintf(values, "cookie %q %q\n", c.Field, c.Value)
	}
	p.Values = hex.EncodeToString(values.Sum(nil))
	for _, c := range s.placed {
		p.Credentials = append(p.Credentials, c.Scheme+" "+c.In+" "+c.Name+" "+c.Origin)
	}
	body := sha256.Sum256(s.body)
	p.Body = hex.EncodeToString(body[:])
	return p
}

// print is the data about a subject in a ticket. It distinguishes the subject from every other
// one.
type print struct {
	Method string `json:"method"`
	Origin string `json:"origin"`
	// Target is the path with the query.
	Target string `json:"target"`
	// Fields are the names of the header fields, in order. Values is a digest of their values
	// and of the cookies, without credentials.
	Fields []string `json:"fields,omitempty"`
	Values string   `json:"values"`
	// Credentials are the places of credentials.
	Credentials []string `json:"credentials,omitempty"`
	Body        string   `json:"body"`
}

// equal compares all members.
func (p print) equal(q print) bool { return reflect.DeepEqual(p, q) }
