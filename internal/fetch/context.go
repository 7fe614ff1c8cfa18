package fetch

import (
	"context"
	"net/url"
	"sync/atomic"
	"time"
)

// contextKey is the type of the keys of this package.
type contextKey int

const (
	limitKey contextKey = iota
	budgetKey
	leaveKey
	noRetryKey
	setupKey   // *setup of a connection under construction
	repeatsKey // *repeats of a call
	truncateKey
	deadlineKey
	credentialKey
)

// DefaultMaxBytes bounds a decoded body where [WithLimits] says nothing.
const DefaultMaxBytes = 256 << 10

// WithLimits sets how many bytes a decoded body may have; 0 and less mean
// [DefaultMaxBytes].
func WithLimits(ctx context.Context, maxBytes int64) context.Context {
	return context.WithValue(ctx, limitKey, maxBytes)
}

func limitOf(ctx context.Context) int64 {
	if n, _ := ctx.Value(limitKey).(int64); n > 0 {
		return n
	}
	return DefaultMaxBytes
}

// Budget is how many more retries all requests of one domain have together.
// It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n retries.
func NewBudget(n int) *Budget {
	b := &Budget{}
	b.left.Store(int64(n))
	return b
}

// Left returns how many retries are left.
func (b *Budget) Left() int { return int(max(0, b.left.Load())) }

// take uses one up and reports whether there was one. A nil budget has no end.
func (b *Budget) take() bool { return b == nil || b.left.Add(-1) >= 0 }

// WithBudget makes requests under ctx share b. Without one, only the limit per
// request counts.
func WithBudget(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, budgetKey, b)
}

func budgetOf(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey).(*Budget)
	return b
}

// repeats counts how often one call was written again, be it as a retry or
// because its connection was closed under it.
type repeats struct{ n int }

// may reports whether the call may be written again, most times in all. Nil
// belongs to a call without a retrier, which moves once at most.
func (r *repeats) may(most int) bool { return r == nil || r.n < most }

func (r *repeats) add() {
	if r != nil {
		r.n++
	}
}

func repeatsOf(ctx context.Context) *repeats {
	r, _ := ctx.Value(repeatsKey).(*repeats)
	return r
}

// WithLeave drops requests that have not been written when left is closed:
// nobody waits for them. One already written goes on, so that its answer can
// be kept.
func WithLeave(ctx context.Context, left <-chan struct{}) context.Context {
	return context.WithValue(ctx, leaveKey, left)
}

// leftOf returns nil when nobody can leave.
func leftOf(ctx context.Context) <-chan struct{} {
	left, _ := ctx.Value(leaveKey).(<-chan struct{})
	return left
}

func hasLeft(left <-chan struct{}) bool {
	select {
	case <-left:
		return true
	default:
		return false
	}
}

// NoRetry marks requests that must reach the site once at most, because an
// obligation counts them. They are never written twice.
func NoRetry(ctx context.Context) context.Context {
	return context.WithValue(ctx, noRetryKey, true)
}

func isNoRetry(ctx context.Context) bool {
	once, _ := ctx.Value(noRetryKey).(bool)
	return once
}

// Credential is a header field that authenticates requests to one origin.
type Credential struct {
	// Origin is scheme, canonical host and port where it is not 443:
	// "https://example.com".
	Origin string
	// Field is the name of the header field, Value all of its value.
	Field, Value string
}

// WithCredential sends c with the requests under ctx that go to its origin,
// and with no other.
func WithCredential(ctx context.Context, c *Credential) context.Context {
	return context.WithValue(ctx, credentialKey, c)
}

func credentialOf(ctx context.Context) *Credential {
	c, _ := ctx.Value(credentialKey).(*Credential)
	return c
}

// fits reports whether the credential belongs to the origin of a URL in
// canonical form.
func (c *Credential) fits(u *url.URL) bool {
	return c != nil && u.Scheme+"://"+u.Host == c.Origin
}

// WithDeadline tells the retries under ctx until when the caller waits, where
// ctx itself has been detached from the caller.
func WithDeadline(ctx context.Context, deadline time.Time) context.Context {
	return context.WithValue(ctx, deadlineKey, deadline)
}

// deadlineOf is the earlier of the deadline of ctx and what WithDeadline says.
func deadlineOf(ctx context.Context) (time.Time, bool) {
	deadline, limited := ctx.Deadline()
	if said, ok := ctx.Value(deadlineKey).(time.Time); ok && (!limited || said.Before(deadline)) {
		return said, true
	}
	return deadline, limited
}
