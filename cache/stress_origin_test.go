package cache_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// The resources of stressOrigin, by their property.
const (
	stressCut    = "/cut"    // breaks off now and then
	stressEvents = "/events" // a stream for each caller
)

// stressPaths are all but the stream.
var stressPaths = []string{
	"/doc/1", "/doc/2", "/slow", "/late", "/validated", "/renewed", "/large", stressCut,
	"/login", "/cookie", "/key", "/secret",
}

// stressField is the field by which a resource distinguishes callers, or "".
func stressField(path string) string {
	switch path {
	case "/login":
		return "Authorization"
	case "/cookie":
		return "Cookie"
	case "/key", "/secret", stressEvents:
		return "X-Api-Key"
	}
	return ""
}

// stressControl is the Cache-Control of a resource.
func stressControl(path string) string {
	switch path {
	case "/validated":
		return "no-cache"
	case "/renewed":
		return "max-age=0, stale-while-revalidate=60"
	case "/secret":
		return "no-store"
	}
	return "max-age=60"
}

// stressResource names the resource that a POST changes. If requests have credentials, it is the
// resource of one caller (RFC 9111 §4.4 does not cover the others).
func stressResource(req *http.Request) string {
	return req.URL.Path + " " + req.Header.Get("Authorization") + req.Header.Get("Cookie")
}

// stressBody is the content of one version.
func stressBody(path, who string, version int64) []byte {
	size := 2600
	if path == "/large" {
		size = 2 * stressMaxBody
	}
	line := fmt.Appendf(nil, "%s %s %d %x\n", path, who, version, sha256.Sum256([]byte(path+who+strconv.FormatInt(version, 10))))
	return bytes.Repeat(line, size/len(line)+1)
}

// stressEvent is an event in the stream of a caller.
func stressEvent(who string) string { return "data: for " + who + "\n\n" }

// stressVersion reads the version that a response is of.
func stressVersion(t *testing.T, resp *http.Response) int64 {
	n, err := strconv.ParseInt(resp.Header.Get("X-Version"), 10, 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// stressOrigin is a RoundTripper whose resources have versions: an unsafe request
// makes a new one.
type stressOrigin struct {
	mu       sync.Mutex
	versions map[string]int64
	known    map[string]int64 // the versions that a caller has seen

	asked  atomic.Int64
	bodies atomic.Int64 // that are open
}

func newStressOrigin() *stressOrigin {
	return &stressOrigin{versions: map[string]int64{}, known: map[string]int64{}}
}

// settle records that a caller has seen a version.
func (o *stressOrigin) settle(resource string, version int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known[resource] = max(o.known[resource], version)
}

// settled returns the newest version that a caller has seen.
func (o *stressOrigin) settled(resource string) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[resource]
}

// version is the present one, raised by as many.
func (o *stressOrigin) version(resource string, by int64) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.versions[resource] += by
	return o.versions[resource]
}

// RoundTrip implements http.RoundTripper.
func (o *stressOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	n := o.asked.Add(1)
	for range n % 50 { // others go ahead
		runtime.Gosched()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if req.Method == http.MethodPost {
		return o.change(req, n), nil
	}
	path := req.URL.Path
	version := o.version(stressResource(req), 0)
	who := ""
	if field := stressField(path); field != "" {
		who = req.Header.Get(field)
	}
	tag := fmt.Sprintf(`"%d"`, version)
	resp := response(http.StatusOK, "", "Cache-Control", stressControl(path), "Etag", tag, "X-Version", strconv.FormatInt(version, 10), "X-For", who)
	if path == "/key" {
		resp.Header.Set("Vary", "X-Api-Key")
	}
	if req.Header.Get("If-None-Match") == tag {
		resp.StatusCode = http.StatusNotModified
		return resp, nil
	}
	o.send(resp, req, &stressReader{rest: stressBody(path, who, version)}, n)
	return resp, nil
}

// change answers an unsafe request: one of eight fails and changes nothing.
func (o *stressOrigin) change(req *http.Request, n int64) *http.Response {
	status, by := http.StatusOK, int64(1)
	if n%8 == 0 {
		status, by = http.StatusInternalServerError, 0
	}
	version := o.version(stressResource(req), by)
	for range n % 20 { // it has changed, and is not answered yet
		runtime.Gosched()
	}
	return response(status, "", "X-Version", strconv.FormatInt(version, 10))
}

// send gives a response its body, as the resource sends it.
func (o *stressOrigin) send(resp *http.Response, req *http.Request, body *stressReader, n int64) {
	body.origin, body.done = o, req.Context().Done()
	body.err = req.Context().Err
	body.piece = len(body.rest)
	resp.ContentLength = int64(len(body.rest))
	switch path := req.URL.Path; {
	case path == stressEvents:
		resp.Header.Set("Content-Type", "text/event-stream")
		event := stressEvent(req.Header.Get("X-Api-Key"))
		body.rest, body.again, resp.ContentLength = nil, []byte(event), -1
	case path == "/slow", path == "/large":
		body.piece, body.pause, resp.ContentLength = 1+len(body.rest)/16, 10, -1
	case path == "/late":
		body.pause = 200
	case path == stressCut && n%3 == 0:
		body.rest, body.end = body.rest[:len(body.rest)/2], io.ErrUnexpectedEOF
	}
	o.bodies.Add(1)
	resp.Body = body
}

// stressReader is a body of stressOrigin. Like one of net/http it ends with the
// context of its request.
type stressReader struct {
	origin *stressOrigin
	rest   []byte
	again  []byte // what follows without end
	end    error  // instead of io.EOF
	piece  int    // bytes for one Read
	pause  int    // turns of others before each Read
	done   <-chan struct{}
	err    func() error
	closed atomic.Bool
}

// Read implements io.Reader.
func (r *stressReader) Read(p []byte) (int, error) {
	for range r.pause {
		runtime.Gosched()
	}
	if r.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	select {
	case <-r.done:
		return 0, r.err()
	default:
	}
	if len(r.rest) == 0 {
		if r.again == nil {
			return 0, cmp.Or(r.end, io.EOF)
		}
		r.rest, r.piece = r.again, len(r.again)
	}
	n := copy(p, r.rest[:min(len(r.rest), r.piece)])
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *stressReader) Close() error {
	if !r.closed.Swap(true) {
		r.origin.bodies.Add(-1)
	}
	return nil
}
