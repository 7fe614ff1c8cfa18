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
	"github.com/wayfindhq/wayfind/internal/callresult"
	"github.com/wayfindhq/wayfind/internal/tokens"
	"github.com/wayfindhq/wayfind/security"
)

// Limits of calls.
const (
	// DefaultTimeout is how long a call may take, waiting included.
	DefaultTimeout = time.Minute
	// DefaultModelBytes is how much of a result a model gets.
	DefaultModelBytes = 32 << 10
	// MaxBody is how many bytes of an answer are read.
	MaxBody = 1 << 20
	// MaxWait is how long a call waits for a service that wants fewer of them.
	MaxWait = 5 * time.Second
	// PerOrigin and PerClient are how many calls run at a time, whichever Caller of a
	// Client makes them.
	PerOrigin = client.CallsPerOrigin
	PerClient = client.CallsAtOnce
)

// Options of [New]. Nil and zero are the safe defaults: no credential, and nothing
// but plain reading on the site of the document. A panic of a hook counts as its error.
type Options struct {
	// Principal names the user on whose behalf a call is made. Nil stands for one user,
	// "". An agreement of one principal does not count for another.
	Principal func(context.Context) string
	// Credentials is asked for each credential of the first alternative of a tool, then
	// for those of the next. Nil, like a nil Grant, means that there is none.
	Credentials func(context.Context, *CredentialRequest) (*Grant, error)
	// Tokens keeps refresh tokens and registrations for [OAuth]. Nil: they end with the
	// Caller.
	Tokens TokenStore
	// AgentProfile is the https URL of the operator's own public profile, which services
	// of the Universal Commerce Protocol fetch before they serve a call. Only such services
	// get it. Empty: none, and they may refuse calls as Unidentified.
	AgentProfile string
	// Confirm is asked whether a request may be sent. Nil refuses all that need an
	// answer. It runs on the goroutine of the call.
	Confirm func(context.Context, *Question) (Answer, error)
	// Pinned reports whether the user has reviewed the definition of a tool, and it has
	// not changed since: see [Pinned]. Nil: none is pinned.
	Pinned func(context.Context, *tools.Tool) bool
	// Approve is asked before a server is contacted that is not on the site of the
	// document. Nil refuses, and so does an error. See client.Options.Approve.
	Approve func(context.Context, security.ApprovalRequest) error
	// Input answers the questions that a tool asks while it is called. Nil answers none.
	Input func(context.Context, *InputRequest) (*InputAnswer, error)
	// Event gets each event of an answer over plain HTTP that is a stream, as it arrives,
	// on the goroutine of the call. The Result has the events as well, within the limits
	// of an answer. A request is not repeated once an event was handed on. Nil: the events
	// are in the Result only.
	Event func(context.Context, *Event)
	// Audit gets the record of each call when it has ended. It must be safe for
	// concurrent use. Nil: there are no records.
	Audit func(*Record)
	// AuditArguments puts the arguments into the record, but for what looks like a secret
	// by its form or by its name.
	AuditArguments bool
	// Timeout for a call, 0 for DefaultTimeout. The time that people take to answer does
	// not count.
	Timeout time.Duration
	// ModelBytes is how much of a result the model gets, 0 for DefaultModelBytes.
	ModelBytes int
	// TicketKey seals tickets. It has at least 32 bytes. Nil stands for a random key, so
	// that tickets count for this Caller only.
	TicketKey []byte
	// Spend marks a ticket as used, where several processes share a TicketKey: it returns
	// an error for one that was used before. Nil: the Caller remembers its own.
	Spend func(ctx context.Context, ticket string, until time.Time) error
}

// Caller makes calls. Make one with [New]. It is safe for concurrent use.
type Caller struct {
	*shared
	form   tools.Form
	trusts func(*tools.Tool) bool // nil: none
	hears  *hearing               // nil: no notices
}

// shared is the state of a Caller and of all that [Caller.With] makes of it.
type shared struct {
	client *client.Client
	opts   Options
	key    []byte // of tickets
	salt   []byte // of digests in records
	pace   callresult.Pace

	mu       sync.Mutex
	sessions map[sessionKey]session
	spent    map[string]time.Time
	lent     map[lentKey]bool
	plans    map[planKey]*plan
	record   string // digest of the last record
	// transports by origin.
	transports map[string]http.RoundTripper
	tokens     *tokens.Keeper

	challenges map[lentKey]*challenged
	dialects   map[dialectKey]bool // older?
}

// New makes a Caller of a Client, which must outlive it. opts may be nil; they are
// copied.
func New(c *client.Client, opts *Options) (*Caller, error) {
	if c == nil {
		return nil, errors.New("call: no client")
	}
	caller := &shared{
		client: c, salt: []byte(rand.Text()),
		sessions: make(map[sessionKey]session), spent: make(map[string]time.Time), lent: make(map[lentKey]bool),
		plans: make(map[planKey]*plan), transports: make(map[string]http.RoundTripper),
	}
	if opts != nil {
		caller.opts = *opts
	}
	if err := checkProfile(caller.opts.AgentProfile); err != nil {
		return nil, err
	}
	var kept tokens.Store
	if s := caller.opts.Tokens; s != nil {
		kept = tokenStore{s}
	}
	caller.tokens = tokens.NewKeeper(c, kept)
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
	return &Caller{shared: caller}, nil
}

// With returns a Caller for a model that was shown definitions of a form: the arguments of
// its calls get the publisher's names back. [tools.Definitions] have their form; for those
// of [tools.Box.Define], state the vendor and whether they are strict. Agreements, sessions
// and connections are shared with c, and making one costs nothing.
//
// A Caller that has no form is for a model that was shown the publisher's schemas.
func (c *Caller) With(form tools.Form) *Caller {
	own := *c
	own.form = form
	return &own
}

// principal is on whose behalf a call is made.
func (c *shared) principal(ctx context.Context) (string, error) {
	if c.opts.Principal == nil {
		return "", nil
	}
	return askHook("Principal", func() (string, error) { return c.opts.Principal(ctx), nil })
}

// Forget ends the session of a principal: agreements and tokens are forgotten, here and in
// Options.Tokens, whose error it returns.
func (c *Caller) Forget(principal string) error {
	c.forget(principal)
	return c.tokens.Forget(principal)
}

func (c *Caller) forget(principal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.sessions, func(k sessionKey, _ session) bool { return k.principal == principal })
	maps.DeleteFunc(c.lent, func(k lentKey, _ bool) bool { return k.principal == principal })
	maps.DeleteFunc(c.challenges, func(k lentKey, _ *challenged) bool { return k.principal == principal })
	maps.DeleteFunc(c.dialects, func(k dialectKey, _ bool) bool { return k.principal == principal })
}
