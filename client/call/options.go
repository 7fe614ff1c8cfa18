package call

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/security"
)

// Limits of calls.
const (
	// DefaultTimeout is how long a call may take, waiting included.
	DefaultTimeout = time.Minute
	// DefaultModelBytes is how much of a result a model gets.
	DefaultModelBytes = 32 << 10
	// MaxBody is how much of an answer is read.
	MaxBody = 1 << 20
	// MaxWait is how long a call waits for a service that wants fewer of them.
	MaxWait = 5 * time.Second
	// PerOrigin and PerClient are how many calls run at a time, whichever Caller of a
	// Client makes them.
	PerOrigin = client.CallsPerOrigin
	PerClient = client.CallsAtOnce
)

// Options of [New]. Nil and zero are the safe defaults: no credential, and nothing
// but plain reading on the site of the document.
type Options struct {
	// Principal names on whose behalf a call is made; nil: "", one user. What one
	// principal agreed to counts for no other.
	Principal func(context.Context) string
	// Definitions are those that the model was shown: they turn its arguments back.
	// Nil: it was shown the publisher's schemas.
	Definitions *tools.Definitions
	// Credentials is asked for each part of the first alternative that a tool
	// names, then of the next. Nil, and a nil Grant: there is none.
	Credentials func(context.Context, *CredentialRequest) (*Grant, error)
	// Confirm is asked whether a request may be sent; nil refuses what needs an
	// answer. It runs on the goroutine of the call.
	Confirm func(context.Context, *Question) (Answer, error)
	// Pinned reports whether the user has looked at the definition of a tool, and it
	// was not changed since (package security/pins); nil: none is.
	Pinned func(*tools.Tool) bool
	// Approve is asked before a server on another site than that of the document is
	// contacted; nil refuses, and so does an error. See client.Options.Approve.
	Approve func(context.Context, security.ApprovalRequest) error
	// Input answers a tool that wants to know more while it is called; nil: nothing
	// is answered.
	Input func(context.Context, *InputRequest) (*InputAnswer, error)
	// Event is told of each event of an answer over plain HTTP that is a stream, as it
	// arrives, on the goroutine of the call; the end of its context ends the call. The
	// Result has the events as well, within the limits of an answer. Once an event was
	// handed on, the request is not repeated. Nil: events are in the Result alone.
	Event func(context.Context, *Event)
	// Audit is told of each call when it has ended; nil: there is no record. It
	// must be safe for concurrent use.
	Audit func(*Record)
	// AuditArguments puts the arguments into the record, without what looks like a
	// secret.
	AuditArguments bool
	// Timeout for a call, 0 for DefaultTimeout; what people take to answer is not in
	// it.
	Timeout time.Duration
	// ModelBytes is how much of a result the model gets, 0 for DefaultModelBytes.
	ModelBytes int
	// TicketKey seals tickets, at least 32 bytes of it; nil: a random one, so that
	// tickets count in this process alone.
	TicketKey []byte
	// Spend is asked whether a ticket was used before, where several processes
	// share a TicketKey; the first who asks gets nil. Nil: this process knows.
	Spend func(ctx context.Context, ticket string, until time.Time) error
}

// Caller makes calls. Make one with [New], one for a Client: its limits are those of
// all its calls. It is safe for concurrent use.
type Caller struct {
	client *client.Client
	opts   Options
	key    []byte // of tickets
	salt   []byte // of digests in records
	pace   reply.Pace

	mu       sync.Mutex
	sessions map[sessionKey]session
	spent    map[string]time.Time
	lent     map[lentKey]bool
	plans    map[planKey]*plan
	record   string // digest of the last record
	// transports by origin.
	transports map[string]http.RoundTripper
	tokens     map[tokenKey]*tokens

	challenges map[lentKey]*challenged
}

// New makes a Caller of a Client, which must outlive it. opts may be nil; they are
// copied.
func New(c *client.Client, opts *Options) (*Caller, error) {
	if c == nil {
		return nil, errors.New("call: no client")
	}
	caller := &Caller{
		client: c, salt: []byte(rand.Text()),
		sessions: make(map[sessionKey]session), spent: make(map[string]time.Time), lent: make(map[lentKey]bool),
		plans: make(map[planKey]*plan), transports: make(map[string]http.RoundTripper), tokens: make(map[tokenKey]*tokens),
	}
	if opts != nil {
		caller.opts = *opts
	}
	caller.key = []byte(rand.Text() + rand.Text())
	if k := caller.opts.TicketKey; k != nil {
		if len(k) < 32 {
			return nil, errors.New("call: TicketKey has less than 32 bytes")
		}
		caller.key = append([]byte(nil), k...)
	}
	if caller.opts.Timeout < 0 || caller.opts.ModelBytes < 0 {
		return nil, errors.New("call: Timeout and ModelBytes must not be negative")
	}
	caller.opts.Timeout = cmp.Or(caller.opts.Timeout, DefaultTimeout)
	caller.opts.ModelBytes = cmp.Or(caller.opts.ModelBytes, DefaultModelBytes)
	return caller, nil
}

// principal is on whose behalf a call is made.
func (c *Caller) principal(ctx context.Context) string {
	if c.opts.Principal == nil {
		return ""
	}
	return c.opts.Principal(ctx)
}

// Forget ends what a principal has agreed to for a session.
func (c *Caller) Forget(principal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.sessions, func(k sessionKey, _ session) bool { return k.principal == principal })
	maps.DeleteFunc(c.lent, func(k lentKey, _ bool) bool { return k.principal == principal })
	maps.DeleteFunc(c.challenges, func(k lentKey, _ *challenged) bool { return k.principal == principal })
	maps.DeleteFunc(c.tokens, func(k tokenKey, _ *tokens) bool { return k.principal == principal })
}
