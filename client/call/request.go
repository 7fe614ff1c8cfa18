package call

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// Hidden stands where a credential is.
const Hidden = "•••"

// Request is what would be sent, or was: without credentials, in whose place
// [Hidden] stands.
type Request struct {
	Method string `json:"method"`
	// URL is absolute. Key in the query are hidden.
	URL string `json:"url"`
	// Header fields, credentials hidden.
	Header http.Header `json:"header,omitempty"`
	// Body as it is sent; nil where there is none.
	Body []byte `json:"body,omitempty"`
	// Credentials that are sent, and where.
	Credentials []Placed `json:"credentials,omitempty"`
}

// Placed is a credential of a request, without its value.
type Placed struct {
	// Scheme is the name that the document gives it.
	Scheme string `json:"scheme"`
	// Origin that gets it, and how it was proved that this may be.
	Origin string `json:"origin"`
	Proof  Proof  `json:"proof"`
	// In ("header", "query", "cookie", "tls") and Name say where it stands.
	In   string `json:"in"`
	Name string `json:"name,omitempty"`
}

// Curl is the request for a shell, with the command curl. Credentials stand there
// as [Hidden]. Control characters are refused by "".
func (r *Request) Curl() string {
	var b strings.Builder
	b.WriteString("curl --globoff --path-as-is --max-redirs 0 -X " + shellQuote(r.Method))
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, v := range r.Header[name] {
			b.WriteString(" -H " + shellQuote(name+": "+v))
		}
	}
	switch {
	case r.Body == nil:
	case !utf8.Valid(r.Body) || bytes.IndexByte(r.Body, 0) >= 0:
		b.WriteString(" --data-binary @BODY")
	default:
		b.WriteString(" --data-raw " + shellQuote(string(r.Body)))
	}
	b.WriteString(" " + shellQuote(r.URL))
	return b.String()
}

// shellQuote writes one word of a POSIX shell. What no terminal should get is
// written by its number.
func shellQuote(s string) string {
	if text.Printable(s) != s {
		var b strings.Builder
		b.WriteString("$'")
		for _, c := range []byte(s) {
			if c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\x%02x`, c)
				continue
			}
			b.WriteByte(c)
		}
		return b.String() + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// wire is a request on its way, with what authenticates it beside it.
type wire struct {
	method string
	url    *url.URL // in canonical form
	origin string   // that the request goes to
	header http.Header
	body   []byte
	// credentials are added below everything that tells of the request.
	credentials []security.Credential
	placed      []Placed
	cert        *tls.Certificate      // that is shown
	cookies     []security.Credential // of parameters
	key         *key                  // that makes repeating harmless; nil for none
	// again: the request may be repeated, as one that changes nothing (safe), that
	// changes the same thing once more (idempotent), or that has a key.
	again repeats
	// dress completes a request with what differs each time, or between versions of
	// a protocol; its subject is in body already. Nil for nothing.
	dress func(*http.Request)
	// whole reports whether an event stream has brought all that is wanted of it.
	whole func(body []byte) bool
	// rpcID is the id of a request of JSON-RPC.
	rpcID string
	// sent is how often it was written, as far as can be told.
	sent int
}

// repeats says when a request may be sent again.
type repeats int

const (
	never          repeats = iota
	beforeAnswer           // after a failure that came before any byte of an answer
	whenEverFailed         // after any failure, and when the service asks for it
)

// parseURL reads a URL that a call goes to. Those of servers under development are read
// too: see [run.dev], and the Client knows which may be asked.
func parseURL(ref string) (*url.URL, error) {
	if u, err := url.Parse(ref); err == nil && (u.Scheme == "http" || security.IsLoopback(u.Host)) {
		if guard := security.DevGuard(security.Origin(u)); guard != nil {
			return guard.ParseURL(ref, nil)
		}
	}
	return security.ParseURL(ref, nil)
}

// dev refuses a server under development that is not the tool's own.
func (r *run) dev() error {
	if r.wire.origin == r.tool.Origin {
		return nil
	}
	_, err := security.ParseURL(r.wire.url.String(), nil)
	return err
}

// newWire canonicalises a URL. What would be another one on the wire is refused.
func newWire(method, ref string) (*wire, error) { return wireWith(method, ref, http.Header{}) }

// wireWith is newWire with header fields, which become the request's own.
func wireWith(method, ref string, header http.Header) (*wire, error) {
	u, err := parseURL(ref)
	if err != nil {
		return nil, err
	}
	return &wire{method: method, url: u, origin: security.Origin(u), header: header}, nil
}

// request makes the HTTP request, but for its key. URL and header are its own where they
// will be changed.
func (w *wire) request(ctx context.Context) *http.Request {
	u, header := w.url, w.header
	if w.key != nil || w.dress != nil {
		own := *u
		u, header = &own, header.Clone()
	}
	r := (&http.Request{Method: w.method, URL: u, Host: u.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	setBody(r, w.body)
	return r
}

func setBody(r *http.Request, body []byte) {
	if body == nil {
		return
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	r.ContentLength = int64(len(body))
}

// shown is the request for people: its credentials are hidden.
func (w *wire) shown() *Request {
	r := w.sentForm()
	r.Header, r.Body, r.Credentials = r.Header.Clone(), bytes.Clone(r.Body), slices.Clone(r.Credentials)
	return r
}

// sentForm is shown for a request that is over: parts without a credential are shared.
func (w *wire) sentForm() *Request {
	r := &Request{Method: w.method, URL: w.url.String(), Header: w.header, Body: w.body, Credentials: w.placed}
	if len(w.cookies)+len(w.placed) > 0 {
		r.Header = r.Header.Clone()
	}
	for _, c := range w.cookies {
		r.Header["Cookie"] = []string{strings.Join(append(r.Header["Cookie"], c.Field+"="+c.Value), "; ")}
	}
	for _, p := range w.placed {
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

// print is what a ticket knows of a request: enough to tell it from every other one.
type print struct {
	Method string `json:"method"`
	Origin string `json:"origin"`
	// Target is the path with the query.
	Target string `json:"target"`
	// Fields are the names of the header fields, in order, and Values a digest of
	// their values, credentials not included.
	Fields []string `json:"fields,omitempty"`
	Values string   `json:"values"`
	// Credentials are the places of credentials.
	Credentials []string `json:"credentials,omitempty"`
	Body        string   `json:"body"`
}

// printOf takes the print of a request as it would be written.
func printOf(r *http.Request, w *wire) (print, error) {
	p := print{Method: r.Method, Origin: r.URL.Scheme + "://" + r.URL.Host, Target: r.URL.RequestURI()}
	values := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		p.Fields = append(p.Fields, name)
		fmt.Fprintf(values, "%q %q\n", name, r.Header[name])
	}
	for _, c := range w.cookies {
		fmt.Fprintf(values, "cookie %q %q\n", c.Field, c.Value)
	}
	p.Values = hex.EncodeToString(values.Sum(nil))
	for _, c := range w.placed {
		p.Credentials = append(p.Credentials, c.Scheme+" "+c.In+" "+c.Name+" "+c.Origin)
	}
	body := sha256.New()
	if r.GetBody != nil {
		content, err := r.GetBody()
		if err != nil {
			return p, err
		}
		if _, err := io.Copy(body, content); err != nil {
			return p, err
		}
	}
	p.Body = hex.EncodeToString(body.Sum(nil))
	return p, nil
}

func (p print) equal(q print) bool {
	return p.Method == q.Method && p.Origin == q.Origin && p.Target == q.Target && slices.Equal(p.Fields, q.Fields) && p.Values == q.Values &&
		slices.Equal(p.Credentials, q.Credentials) && p.Body == q.Body
}
