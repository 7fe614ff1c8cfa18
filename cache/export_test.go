package cache

import (
	"github.com/wayfindhq/wayfind/internal/run/budget"

	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// Ruled is a Transport whose Asks are completed by change before they are
// answered.
func Ruled(t *Transport, change func(*http.Request, *Ask)) http.RoundTripper {
	return &ruled{t, change}
}

type ruled struct {
	*Transport
	change func(*http.Request, *Ask)
}

func (r *ruled) RoundTrip(req *http.Request) (*http.Response, error) {
	header := r.engine.identity.read(req.Header)
	if !cacheable(req, &header) || header.has("If-None-Match") || header.has("Range") || req.Method == http.MethodHead {
		return r.roundTrip(req)
	}
	a := r.ask(req, header)
	r.change(req, a)
	return r.serve(req, a)
}

// asking is the view of a request with a header.
func asking(h http.Header) *requestHeader {
	view := identityOf(&Options{}, false, nil).read(h)
	return &view
}

// FieldRows are the rows of the table of fields in docs/CACHING.md.
func FieldRows() (rows []string) {
	called := map[class]string{harmless: "harmless", selects: "selects", who: "who"}
	for _, g := range fieldTable() {
		rows = append(rows, fmt.Sprintf("| %s | %s | `%s` |", called[g.class], g.source, strings.Join(strings.Fields(g.names), "` `")))
	}
	return rows
}

// TestRules are Rules of a test. If a function is nil, RFC 9111 applies; without Read nothing is
// read.
type TestRules struct {
	Reads     func(*Entry) any
	Confines  func(*Entry) bool
	Lifetimes func(*Entry, Lifetime) Lifetime
}

// Read implements Rules.
func (r *TestRules) Read(e *Entry) Note {
	if r.Reads == nil {
		return nil
	}
	return TestNote{r.Reads(e)}
}

// Confine implements Rules.
func (r *TestRules) Confine(e *Entry) bool { return r.Confines != nil && r.Confines(e) }

// Lifetime implements Rules.
func (r *TestRules) Lifetime(e *Entry, rfc Lifetime) Lifetime {
	if r.Lifetimes == nil {
		return rfc
	}
	return r.Lifetimes(e, rfc)
}

// TestNote contains the value that TestRules have read.
type TestNote struct{ Value any }

// Size implements Note.
func (TestNote) Size() int64 { return 0 }

// WithoutBody implements Note.
func (TestNote) WithoutBody() Note { return nil }

// Read returns the value that TestRules have read of an entry, or nil if there is none.
func Read(e *Entry) any {
	n, _ := e.Note.(TestNote)
	return n.Value
}

// By is a Transport with the rules of a test.
func By(t *Transport, rules *TestRules) http.RoundTripper {
	return Ruled(t, func(_ *http.Request, a *Ask) { a.Rules = rules })
}

// TurnFunc is a Turns.
type TurnFunc func() Turn

// Turn implements Turns.
func (f TurnFunc) Turn(context.Context) (Turn, uint64) { return f(), 0 }

// SetClock sets a clock whose wall time and monotonic time a test pulls apart.
func (t *Transport) SetClock(c *clock.Clock) { t.engine.clock = c }

// Names that only tests of other packages need.
const (
	CloseBudget     = closeBudget
	EndPatience     = endPatience
	MaxLifetime     = maxLifetime
	MaxQueued       = maxQueued
	ReasonFloor     = reasonFloor
	ReasonHeld      = "held"
	RenewTimeout    = renewTimeout
	SourceExpires   = sourceExpires
	SourceHeuristic = sourceHeuristic
	SourceMaxAge    = sourceMaxAge
	SourceNoCache   = sourceNoCache
	SourceNoStore   = sourceNoStore
	SourceNone      = sourceNone
	WriteBudget     = writeBudget
)

// Forget makes the near store forget a URL.
func (l *Layered) Forget(ctx context.Context, url string) error {
	return l.near.Delete(ctx, "\n\nGET\n"+url)
}

// ErrBusy is the error of a store that answers others.
var ErrBusy = budget.ErrBusy

// Unread returns the number of bytes of bodies that flights have read and their callers have not.
func Unread(t *Transport) int64 {
	t.engine.unread.mu.Lock()
	defer t.engine.unread.mu.Unlock()
	return t.engine.unread.used
}
