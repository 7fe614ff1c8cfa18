package loopback

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// RecordedHosts returns the hosts of a recording with https, and the handshakes of hosts that had a
// failure.
func RecordedHosts(recording *client.Recording) (hosts []string, odd map[string]Handshake, err error) {
	odd = map[string]Handshake{}
	answered := map[string]bool{}
	for _, x := range recording.Exchanges() {
		u, err := url.Parse(x.URL)
		if err != nil {
			return nil, nil, err
		}
		if u.Scheme != "https" {
			continue
		}
		name := u.Hostname()
		if _, known := answered[u.Host]; !known {
			hosts = append(hosts, u.Host)
		}
		fault := x.Failure
		answered[u.Host] = answered[u.Host] || fault == nil || fault.Stage == "headers" || fault.Stage == "body"
		switch {
		case fault == nil:
		case answered[u.Host], fault.Code == wayfind.CodeNotBefore:
			odd[name] = handshakeHTTP1 // over HTTP/1.1 one failure does not disturb the other requests
		case odd[name] == "" || odd[name] == handshakeHTTP1 || odd[name] == HandshakeClosed:
			odd[name] = failedHandshake(fault)
		}
	}
	for host, ok := range answered {
		if ok && odd[Hostname(host)] != "" {
			odd[Hostname(host)] = handshakeHTTP1
		}
	}
	return hosts, odd, nil
}

// failedHandshake returns the handshake of a host that failed before a request. The port is open
// for other hosts, so a refused connection is replayed as a closed one.
func failedHandshake(f *client.Failure) Handshake {
	if f.Stage != "tls" || f.Code != wayfind.CodeTLS {
		return HandshakeClosed
	}
	switch reason := Handshake(f.Reason); reason {
	case HandshakeExpired, HandshakeFuture, HandshakeWrongName, HandshakeSelfSigned, HandshakePlain:
		return reason
	}
	return HandshakeStranger // also for all other faults of a certificate
}

// maxRequest bounds the body of a request.
const maxRequest = 4 << 20

// Replay serves the answers of a recording.
type Replay struct {
	Recording *client.Recording
	Plain     bool // the sites were asked over http: servers under development
}

// ServeHTTP sends the recorded answer.
func (s Replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	origin := "https://" + strings.TrimSuffix(r.Host, ":443")
	if s.Plain {
		origin = "http://" + strings.TrimSuffix(r.Host, ":80")
	}
	switch x := s.Recording.Answer(r.Method, origin+r.RequestURI, body); {
	case x == nil:
		http.NotFound(w, r)
	case x.Failure != nil:
		replayFailure(w, r, x.Failure)
	case x.Status < 200 || x.Status > 999:
		panic(http.ErrAbortHandler) // net/http cannot send such a status
	default:
		replayHeader(w.Header(), x.Header, time.Now())
		w.WriteHeader(x.Status)
		_, _ = w.Write(x.Body) // the client may have left, and some answers have no body
	}
}

// replayHeader copies the recorded header. It moves the dates in Expires and Retry-After so that
// they are as far from now as they were from the Date of the answer.
func replayHeader(to, recorded http.Header, now time.Time) {
	to["Content-Type"] = nil // if none was recorded, none is guessed
	date, err := http.ParseTime(recorded.Get("Date"))
	for name, values := range recorded {
		if name == "Date" || name == "Content-Length" {
			continue
		}
		for _, v := range values {
			if t, failed := http.ParseTime(v); err == nil && failed == nil && (name == "Expires" || name == "Retry-After") {
				v = now.Add(t.Sub(date)).UTC().Format(http.TimeFormat)
			}
			to[name] = append(to[name], v)
		}
	}
}

// replayFailure replays a recorded failure.
func replayFailure(w http.ResponseWriter, r *http.Request, f *client.Failure) {
	switch f.Code {
	case wayfind.CodeNotBefore:
		w.Header().Set("Retry-After", strconv.FormatInt(max(1, int64(f.Wait/time.Second)), 10))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case wayfind.CodeEncoding:
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("this is not gzip"))
		return
	case wayfind.CodeTooLarge:
		CutOff(w, 1<<40)
	case wayfind.CodeHeadersTooLarge:
		w.Header().Set("X-Padding", strings.Repeat("x", 128<<10))
		return
	case wayfind.CodeProtocol:
		speakNonsense(w)
		return
	}
	if f.Stage == "body" {
		CutOff(w, 100)
	}
	if f.Code == wayfind.CodeTimeout {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// CutOff sends a Content-Length, and only the first byte of the body.
func CutOff(w http.ResponseWriter, announced int64) {
	w.Header().Set("Content-Length", strconv.FormatInt(announced, 10))
	_, _ = w.Write([]byte("{")) // the client may leave after the header
	_ = http.NewResponseController(w).Flush()
}

// speakNonsense sends bytes that are not HTTP.
func speakNonsense(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, which a client may insist on, has no Hijack
	}
	_, _ = conn.Write([]byte("this is no answer\r\n\r\n")) // the client may have left
	_ = conn.Close()
}
