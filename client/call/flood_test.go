package call_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// flood is the number of bytes that a server sends unless it is stopped: 2 GB.
const flood = 2 << 30

// bombOf returns a gzip of 2 GB. Its pieces are separate members (RFC 1952 §2.2).
func bombOf(piece string) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range 64 << 20 / len(piece) {
		_, _ = io.WriteString(z, piece)
	}
	_ = z.Close()
	return bytes.Repeat(b.Bytes(), flood/(64<<20))
}

// pour writes a piece repeatedly.
func pour(w io.Writer, piece string, sent *atomic.Int64) {
	for sent.Load() < flood {
		n, err := io.WriteString(w, piece)
		if sent.Add(int64(n)); err != nil {
			return
		}
	}
}

// floods returns answers without an end, by name.
func floods(sent *atomic.Int64) map[string]misdeed {
	blanks, events, line := strings.Repeat(" ", 64<<10), strings.Repeat("data: {}\n\n", 6<<10), strings.Repeat("x", 64<<10)
	poured := func(media, first, piece string) misdeed {
		return func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter, string)) {
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, first)
			pour(w, piece, sent)
		}
	}
	packed := func(media string, b []byte) misdeed {
		return func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter, string)) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Content-Encoding", "gzip")
			n, _ := w.Write(b)
			sent.Add(int64(n))
		}
	}
	return map[string]misdeed{
		"JSON of 2 GB":          poured("application/json", `"`, line),
		"blanks of 2 GB":        poured("application/json", "", blanks),
		"a text of 2 GB":        poured("text/plain", "", line),
		"events of 2 GB":        poured("text/event-stream", "", events),
		"one event of 2 GB":     poured("text/event-stream", "data: ", line),
		"a field that ends not": poured("text/event-stream", "", line),
		"a bomb of JSON":        packed("application/json", bombOf(blanks)),
		"a bomb of events":      packed("text/event-stream", bombOf(events)),
	}
}

// mostAllocated is the maximum number of bytes that are allocated for one answer, including by
// its server. Little of it is held at a time.
const mostAllocated = 128 << 20

// wantBounded makes a call, and fails if more was sent or allocated than for a large answer.
func wantBounded(t *testing.T, name string, sent *atomic.Int64, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	sent.Store(0)
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > mostAllocated || sent.Load() > 8<<20 {
		t.Errorf("%s: %d MB allocated, %d bytes sent", name, used>>20, sent.Load())
	}
}

// An answer of 2 GB, and a gzip that becomes one, costs a call no more than a large answer,
// over each protocol.
func TestAnAnswerOf2GBIsCut(t *testing.T) {
	testkit.Large(t)
	bubble(t, func(t *testing.T) {
		x := newVillage(t)
		var sent atomic.Int64
		for name, deed := range floods(&sent) {
			for _, host := range hostsOf() {
				x.begin(deed)
				tool, args := x.toolOf(host, 0, "7")
				wantBounded(t, name+" of "+host, &sent, func() {
					if res, wrong, err := x.villageCall(t, host, tool, args); wrong != "" || x.count() != 1 {
						t.Errorf("%s of %s: %s, %d effects (%v): %+v", name, host, wrong, x.count(), err, res.Model)
					} else {
						wantCode(t, res, err, call.OutcomeUnknown)
					}
				})
			}
		}
	})
}

// The same is true for the answers that are needed to get a token.
func TestAStatementOf2GBIsCut(t *testing.T) {
	testkit.Large(t)
	bubble(t, func(t *testing.T) {
		var sent atomic.Int64
		for name, deed := range floods(&sent) {
			for _, path := range []string{resourceMeta, serverMeta, "/token"} {
				m := newRealm(t)
				host := map[bool]*clienttest.Host{true: m.api, false: m.login}[path == resourceMeta]
				host.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { deed(w, r, nil) }))
				wantBounded(t, name+" at "+path, &sent, func() {
					_, err := m.caller(machine()).Call(t.Context(), m.box, "read", nil)
					if err == nil || len(m.calls()) != 0 || !slices.Contains(host.Paths(), path) {
						t.Errorf("%s at %s: %v, %d calls, asked for %v", name, path, err, len(m.calls()), host.Paths())
					}
				})
			}
		}
	})
}
