package call

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/run/nilness"
	"github.com/wayfindhq/wayfind/security"
)

// Limits of calls.
const (
	// defaultTimeout is the default time limit of a call, including waiting.
	defaultTimeout = time.Minute
	// defaultModelBytes is the default number of bytes of a result that a model gets.
	defaultModelBytes = 32 << 10
	// maxBody is the maximum number of bytes that are read of an answer.
	maxBody = 1 << 20
	// maxWait is the maximum time that a call waits for a service that limits its calls.
	maxWait = 5 * time.Second
)

// Options are the options of [New]. Nil and zero values are the safe defaults: no credential,
// and only calls that read, on the site of the document. A panic of a hook is treated as an
// error of the hook.
type Options struct {
	// Principal returns the user on whose behalf a call is made. If it is nil, there is one
	// user, "". An agreement of one principal is not valid for another.
	Principal func(context.Context) string
	// Credentials is called for each credential of the first alternative of a tool, then for
	// the credentials of the next alternative. If it is nil, or returns a nil Grant, there is
	// no credential.
	Credentials func(context.Context, *CredentialRequest) (*Grant, error)
	// Tokens keeps refresh tokens and registrations for [OAuth]. If it is nil, they are lost
	// when the Caller is no longer used.
	Tokens TokenStore
	// AgentProfile is the https URL of the operator's own public profile, which services of
	// the Universal Commerce Protocol fetch before they serve a call. It is sent only to such
	// services. If it is empty, they may refuse calls as Unidentified.
	AgentProfile string
	// Confirm is called to ask whether a request may be sent, on the goroutine of the call. If
	// it is nil, a request that needs an answer is refused.
	Confirm func(context.Context, *Question) (Answer, error)
	// Pinned reports whether the user has reviewed the definition of a tool and it has not
	// changed since. See [Pinned]. If it is nil, no tool is pinned.
	Pinned func(context.Context, *tools.Tool) bool
	// Approve is called before a server is contacted that is not on the site of the document.
	// If it is nil or returns an error, the server is not contacted. See
	// client.Options.Approve.
	Approve func(context.Context, security.ApprovalRequest) error
	// Input answers the questions that a tool asks during a call. If it is nil, no question is
	// answered.
	Input func(context.Context, *InputRequest) (*InputAnswer, error)
	// Event is called for each event of an answer over plain HTTP that is a stream, when the
	// event arrives, on the goroutine of the call. The Result contains the events too, within
	// the limits of an answer. After an event is passed on, the request is not repeated. If
	// Event is nil, the events are only in the Result.
	Event func(context.Context, *Event)
	// Audit is called with the record of each call after the call has ended. It must be safe
	// for concurrent use. If it is nil, there are no records.
	Audit func(*Record)
	// AuditArguments adds the arguments to the record, without the values that look like
	// secrets by their form or by their name.
	AuditArguments bool
	// AllowAnyOrder sends a call although the site wants other tools to be called first and the
	// principal has not called them within [Lately]. Set it if the program itself, or a person,
	// decides about the order. If it is false, such a call ends with [OutOfOrder].
	AllowAnyOrder bool
	// Timeout is the time limit of a call, 0 for one minute. It does not include the time
	// that people take to answer.
	Timeout time.Duration
	// ModelBytes is the number of bytes of a result that the model gets, 0 for
	// 32 KiB.
	ModelBytes int
	// TicketKey is the key that seals tickets and binds idempotency keys to their calls, at least 32 bytes. If it is nil, a random key
	// is used, so that tickets are valid for this Caller only.
	TicketKey []byte
	// Spend marks a ticket as used if several processes share a TicketKey. It returns an error
	// if the ticket was used before. If it is nil, only this Caller remembers its used
	// tickets.
	Spend func(ctx context.Context, ticket string, until time.Time) error
	// Lost remembers the calls that ended with [OutcomeUnknown], so that other Callers, and this
	// program after a restart, ask about them again. A call that must not be made twice is kept
	// before it is sent, and forgotten after its answer: it is known after a crash too. If it is nil,
	// only this Caller remembers lost calls, for an hour.
	Lost LostStore
}

// LostStore remembers calls that may have done their work. An intention is a text of 64
// characters that identifies a user, a tool and arguments, and does not contain them. All
// methods must be safe for concurrent use.
type LostStore interface {
	// Load returns the idempotency key of a lost call, "" for none, and the time until which
	// the call is remembered. The time is zero if no call of the intention was lost. After an
	// error a call that repeats is refused.
	Load(ctx context.Context, intention string) (key string, until time.Time, err error)
	// Keep remembers a call until a time. It is called before the call is sent, and again if its answer
	// is lost. After an error of the second one the note for the model says that the call is not
	// remembered; the first has none.
	Keep(ctx context.Context, intention, key string, until time.Time) error
	// Forget forgets a call, because it has an answer, or because another try has succeeded.
	Forget(ctx context.Context, intention string) error
}

// New returns a Caller for a Client, which must outlive it. opts may be nil. New copies it.
func New(c *client.Client, opts *Options) (*Caller, error) {
	if err := access.Check(c); err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	caller := &shared{
		client: c, salt: []byte(rand.Text()),
		sessions: make(map[sessionKey]session), spent: make(map[string]time.Time), disclosed: make(map[disclosedKey]bool),
		plans: make(map[planKey]*plan), talks: newConversations(), transports: make(map[string]http.RoundTripper),
	}
	if opts != nil {
		caller.opts = *opts
	}
	if err := checkProfile(caller.opts.AgentProfile); err != nil {
		return nil, err
	}
	var kept tokens.Store
	if s := caller.opts.Tokens; s != nil {
		if nilness.Of(s) {
			return nil, fmt.Errorf("call: Options.Tokens is a nil %T", s)
		}
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
	caller.opts.Timeout = cmp.Or(caller.opts.Timeout, defaultTimeout)
	caller.opts.ModelBytes = cmp.Or(caller.opts.ModelBytes, defaultModelBytes)
	return &Caller{shared: caller}, nil
}

// errUnmade is the reason why a Caller cannot be used that New did not make.
var errUnmade = errors.New("this Caller is nil or zero: call.New makes one")
