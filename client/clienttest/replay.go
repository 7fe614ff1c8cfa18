package clienttest

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// Replay makes an Internet of a recording: the files of "wayfind resolve --save DIR", or of
// client.Recording.Files. client.Recording describes the layout. A directory with a recording can
// be edited by hand, opened with os.DirFS, and embedded ("//go:embed testdata/shop" and fs.Sub).
//
// Its hosts answer each recorded URL with the same status, header fields and body; lifetimes begin
// anew. Every other URL of a recorded host is 404, and other names do not exist. A call that is not
// recorded fails the test, because its answer would look like the site's; with [Internet.Strict],
// so do other requests that are not recorded, and answers that are not used. Resolve with the
// same options returns the same Site as at the time of the recording, except for times.
// Calls and conversations with live endpoints (client.Options.Live) are replayed too:
// client.Recording.Answer finds their answers. An event stream of the protocol of 2024-11-05, whose
// answers arrive on another request, is not recorded.
//
// Failures are reproduced by their stage and code. The words of an error may differ. A request that
// timed out takes as long as the client waits for it, which takes no real time inside a synctest
// bubble. A host that failed before its first answer fails for every request. A host that failed in
// the middle of an answer speaks HTTP/1.1, so that one request does not disturb the others.
func Replay(t testing.TB, fsys fs.FS) *Internet {
	t.Helper()
	n := New(t)
	if err := n.Replay(fsys); err != nil {
		t.Fatal(err)
	}
	return n
}

// replayedLatency lets the client send all its simultaneous requests before the first one fails, so
// that a failure prevents the same requests each time.
const replayedLatency = time.Millisecond

// Replay adds the hosts of a recording; see the function [Replay]. It sets [Internet.Latency] to a
// millisecond. It returns an error if a host exists already, or if the recording cannot be read.
func (n *Internet) Replay(fsys fs.FS) error {
	recording, err := client.ReadRecording(fsys)
	if err != nil {
		return fmt.Errorf("clienttest: %w", err)
	}
	byHost := map[string][]*client.Exchange{}
	for _, x := range recording.Exchanges() {
		u, err := url.Parse(x.URL)
		if err != nil {
			return fmt.Errorf("clienttest: recording: %w", err)
		}
		byHost[u.Host] = append(byHost[u.Host], x)
	}
	for name := range byHost {
		if n.known(name) {
			return fmt.Errorf("clienttest: recording: host %q is there already", name)
		}
	}
	n.Latency(replayedLatency)
	for name, exchanges := range byHost {
		n.replayHost(name, exchanges, recording)
	}
	return nil
}

func (n *Internet) known(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hosts[canonical(name)] != nil
}

func (n *Internet) replayHost(name string, exchanges []*client.Exchange, recording *client.Recording) {
	h := n.addHost(name, &replayed{net: n, origin: "https://" + name, recording: recording})
	var first *client.Failure
	answered := false
	for _, x := range exchanges {
		switch {
		case x.Failure == nil || x.Failure.Stage == "headers" || x.Failure.Stage == "body":
			answered = true
		case first == nil || first.Stage == client.StageHeld:
			first = x.Failure
		}
		if x.Failure != nil {
			h.Protocols("http/1.1")
		}
	}
	if first == nil || answered || first.Code == wayfind.CodeNotBefore {
		return
	}
	if first.Stage == "dns" || first.Code == wayfind.CodeDNSNotFound || first.Code == wayfind.CodeBlockedAddress {
		n.DNS(name, replayedAnswer(first))
		return
	}
	h.FailConn(replayedConn(first))
}

// replayedAnswer returns the answer of DNS for a name whose look-up failed.
func replayedAnswer(f *client.Failure) Answer {
	switch f.Code {
	case wayfind.CodeDNSNotFound:
		return NXDomain().After(replayedLatency)
	case wayfind.CodeTimeout:
		return NoAnswer()
	case wayfind.CodeBlockedAddress:
		return Addrs(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return ServFail().After(replayedLatency)
}

// replayedConn returns the fault of a connection that failed before a request.
func replayedConn(f *client.Failure) ConnFault {
	handshake := f.Stage == "tls"
	switch {
	case handshake && f.Code == wayfind.CodeTLS:
		return replayedTLS(f.Reason)
	case handshake && f.Code == wayfind.CodeTimeout:
		return AtHandshake(Stall)
	case handshake:
		return AtHandshake(Reset)
	case f.Code == wayfind.CodeTimeout:
		return BlackHole()
	}
	return Refuse()
}

// replayedTLS returns the fault for a class of TLS failures.
func replayedTLS(reason string) ConnFault {
	switch reason {
	case "certificate expired":
		return ExpiredCert()
	case "certificate not yet valid":
		return FutureCert()
	case "certificate for another host":
		return WrongNameCert()
	case "self-signed certificate":
		return SelfSignedCert()
	case "no TLS":
		return PlainHTTP()
	case "handshake":
		return OldTLS()
	}
	return UnknownCACert()
}

// maxRequest bounds the body of a request.
const maxRequest = 4 << 20

// replayed is the site of one host of a recording.
type replayed struct {
	net       *Internet
	origin    string
	recording *client.Recording
}

// ServeHTTP sends the recorded answer.
func (s *replayed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	x := s.recording.Answer(r.Method, s.origin+r.RequestURI, body)
	s.judge(r, x)
	if r.Method != http.MethodHead {
		own := *r
		own.Method = http.MethodGet // a Page answers a call as it answers GET
		r = &own
	}
	switch {
	case x == nil:
		http.NotFound(w, r)
	case x.Failure != nil:
		replayedFailure(x.Failure).ServeHTTP(w, r)
	case x.Status < 200 || x.Status > 999:
		AtHeaders(Close)(nil).ServeHTTP(w, r) // no server can send it
	default:
		Page{Status: x.Status, Header: replayedHeader(x.Header, time.Now()), Body: string(x.Body)}.ServeHTTP(w, r)
	}
}

// judge records that an answer is used, and reports a call that has none. It is an error of the test: its
// answer would look like the site's.
func (s *replayed) judge(r *http.Request, x *client.Exchange) {
	request := r.Method + " " + s.origin + r.RequestURI
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	s.net.mu.Lock()
	strict := s.net.expected.strict && !s.net.expected.exact[canonical(hostname(r.Host))]
	s.net.mu.Unlock()
	switch {
	case x != nil && isUnrecorded(x):
		s.net.report("%s: this request of JSON-RPC is not in the recording: %s", request, x.Body)
	case x != nil:
		s.answered(x)
	case !reads:
		s.net.report("%s: this call is not in the recording", request)
	case strict && !isPlace(r):
		s.net.unexpected(request)
	}
}

// isUnrecorded reports whether a conversation in JSON-RPC has no answer to a request: see
// [client.Recording.Answer]. Recorded messages have a body.
func isUnrecorded(x *client.Exchange) bool {
	var message struct{ Error json.RawMessage }
	return x.Method == http.MethodPost && len(x.Request) == 0 && json.Unmarshal(x.Body, &message) == nil && message.Error != nil
}

// replayedHeader makes dates relative to now, as they were relative to the Date of the answer.
func replayedHeader(h http.Header, now time.Time) http.Header {
	out := h.Clone()
	if _, ok := out["Content-Type"]; !ok {
		out["Content-Type"] = nil // no type was sent, so the server must not guess one
	}
	date, err := http.ParseTime(h.Get("Date"))
	delete(out, "Date")
	if err != nil {
		return out
	}
	for _, name := range []string{"Expires", "Retry-After"} {
		for i, v := range out[name] {
			if t, err := http.ParseTime(v); err == nil {
				out[name][i] = now.Add(t.Sub(date)).UTC().Format(http.TimeFormat)
			}
		}
	}
	return out
}

// replayedFailure returns a handler with the recorded failure.
func replayedFailure(f *client.Failure) http.Handler {
	switch f.Code {
	case wayfind.CodeNotBefore:
		seconds := max(1, int64(f.Wait/time.Second))
		return Page{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}}
	case wayfind.CodeEncoding:
		return Page{Header: http.Header{"Content-Encoding": {"gzip"}}, Body: "this is not gzip"}
	case wayfind.CodeTooLarge:
		return http.HandlerFunc(announceTooMuch)
	case wayfind.CodeHeadersTooLarge:
		return Page{Header: http.Header{"X-Padding": {strings.Repeat("x", 128<<10)}}}
	case wayfind.CodeProtocol:
		return http.HandlerFunc(speakNonsense)
	}
	fault := AtHeaders(replayedEnding(f))
	if f.Stage == "body" {
		fault = AtBody(1, replayedEnding(f))
	}
	return fault(Page{Body: "cut off"})
}

func replayedEnding(f *client.Failure) Ending {
	switch f.Code {
	case wayfind.CodeTimeout:
		return Stall
	case wayfind.CodeTruncated:
		return Close
	}
	return Reset
}

// announceTooMuch sends a Content-Length beyond every limit.
func announceTooMuch(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", strconv.FormatInt(1<<40, 10))
	_, _ = w.Write([]byte("{")) // the client leaves after the header
}

// speakNonsense sends bytes that are not HTTP.
func speakNonsense(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // HTTP/2 cannot be hijacked, and no failure is replayed with it
	}
	_, _ = conn.Write([]byte("this is no answer\r\n\r\n")) // the client may have left
	_ = conn.Close()
}
