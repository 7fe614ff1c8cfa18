// Package actors speaks with the agents that package parse/formats/msagents
// finds: it sends a message, retrieves or follows the answer, and cancels it
// (microsoft/agent-framework, "Agent Discovery", communication endpoints).
//
//	a, err := actors.New(c, service.Interfaces[0], conversation, nil)
//	sent, err := a.Send(ctx, actors.Text("hey matey!"))
//	reply, err := a.Wait(ctx, sent.MessageID)
//
// The design defines a path and a body for sending, and no methods for the other
// operations. Its prototype had a shorter path and methods for all of them. This
// package uses the prototype's methods on both paths, the design's path first. It
// reads at the prototype's path if nothing is at the first. Before it sends, it asks
// which path takes messages (OPTIONS), and remembers the answer: see Dialect.
//
// # Guarantees
//
// All requests go through the guard of the Client, to the one origin of the
// interface, and are never sent twice. An endpoint on another site than the
// document that names it is contacted only when Options.Approve agrees. A
// credential is sent only to the origin that it is for. Answers are limited in
// size, parsed as strict JSON and cleaned. They are data, not instructions. This
// package keeps no state of a conversation.
package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/uuid"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// Protocol is the protocol of the interfaces that this package speaks.
const Protocol = "ms-actors"

// Dialect is where messages are and how they are sent.
type Dialect string

// The dialects. The zero Dialect is the one whose path exists: the design's if both
// do, or if the server does not say.
const (
	// DialectDesign has …/{actorKey}/messages/{messageId}.
	DialectDesign Dialect = "design"
	// DialectPrototype has …/{actorKey}/{messageId}, and repeats both
	// identifiers in the body.
	DialectPrototype Dialect = "prototype"
)

// Options of New. Nil and zero fields are the safe defaults.
type Options struct {
	// Dialect that the server is known to speak; default: see Dialect.
	Dialect Dialect
	// Approve is asked before each request to another site than the one whose
	// document names the endpoint; nil refuses, and so does an error. It runs
	// on the caller's goroutine.
	Approve func(context.Context, security.ApprovalRequest) error
	// Credentials is asked before each request; nil and a zero Credential:
	// nothing is sent. It runs on the caller's goroutine.
	Credentials func(context.Context, security.CredentialRequest) (security.Credential, error)
	// AllowSecrets leaves likely secrets in Reply.Data, for agents whose work
	// it is to hand out credentials. Problems never hold any.
	AllowSecrets bool
}

// Actor is one conversation with one agent. It is safe for concurrent use.
type Actor struct {
	at        endpoint
	options   Options
	http      *http.Client
	protocols atomic.Value // the Dialect that is spoken, "" if that is not known
}

// New returns the conversation key with the agent at an interface of protocol
// "ms-actors". The interface is one of a Site, or one of the caller's with
// nothing but a Template "https://example.com/actors/v1/pirate/{actorKey}/messages/{messageId}".
// The key is the caller's to make; empty: a new one is made. opts may be nil.
//
// The error is of kind wayfind.ErrInvalid for a template that is none of these
// and for a key that is not of letters, digits, "-", ".", "_" and "~", and of
// kind wayfind.ErrRefused for a URL that may not be contacted at all.
func New(c *client.Client, f wayfind.Interface, key string, opts *Options) (*Actor, error) {
	if key == "" {
		key = uuid.V4()
	}
	at, err := endpointOf(c, f, key)
	if err != nil {
		return nil, err
	}
	a := &Actor{at: at, http: c.HTTP(at.origin)}
	if opts != nil {
		a.options = *opts
	}
	switch a.options.Dialect {
	case "", DialectDesign, DialectPrototype:
		return a, nil
	}
	return nil, invalid(at.origin, wayfind.CodeSchema, "there is no dialect %q", a.options.Dialect)
}

// Key is the identifier of the conversation.
func (a *Actor) Key() string { return a.at.key }

// Message is a message to an agent.
type Message struct {
	// ID within the conversation; empty: a new one is made. The same rules as
	// for a key hold.
	ID string
	// Method to invoke; default "run".
	Method string
	// Params of the method, any JSON; default an empty array.
	Params parse.Raw
}

// Text is a message with one text, as a user would type it.
func Text(content string) Message {
	return Message{Params: parse.Arr(parse.Obj(
		parse.Member{Name: "$type", Value: parse.Quote("text")},
		parse.Member{Name: "content", Value: parse.Quote(content)}))}
}

// Send sends a message. The Reply has its MessageID, and often only the status
// "pending": see Wait, Retrieve and Stream. It is sent once, to one path; after an error of
// kind wayfind.ErrUnreachable it may or may not have arrived, and Retrieve may
// tell.
//
// Errors are *wayfind.Error, as those of all methods: ErrInvalid (the message,
// or the answer, or a 4xx that refuses the message), ErrNotFound, ErrBlocked,
// ErrThrottled with NotBefore, ErrUnreachable, ErrRefused (not approved, no
// credential, our policy), ErrClosed; without a kind and wrapping ctx.Err()
// when ctx ended. Where the answer explains itself, the cause is a *Problem.
func (a *Actor) Send(ctx context.Context, m Message) (*Reply, error) {
	if m.ID == "" {
		m.ID = uuid.V4()
	}
	if m.Method == "" {
		m.Method = "run"
	}
	if m.Params == nil {
		m.Params = parse.Arr()
	}
	if _, err := (&parse.Input{Body: m.Params}).JSON(); err != nil {
		return nil, invalid(a.at.origin, wayfind.CodeJSONSyntax, "params: %w", err)
	}
	resp, err := a.do(ctx, m.ID, call{method: http.MethodPost, accept: "application/json", message: &m})
	if err != nil {
		return nil, err
	}
	return a.readReply(resp, m.ID)
}

// Retrieve asks for the present state of a message, without waiting. With the
// ETag of an earlier Reply it asks whether something changed: if not, the Reply
// is Unchanged and has no Data (RFC 9110 §13.1.2).
func (a *Actor) Retrieve(ctx context.Context, id, etag string) (*Reply, error) {
	return a.get(ctx, id, "", etag)
}

// How often Wait asks a server that does not wait itself.
const (
	pollFirst = time.Second
	pollMost  = 30 * time.Second
)

// Wait asks for a message until it is no longer pending, or until ctx ends. The
// server is asked to hold its answer back (blocking=true). One that answers
// "pending" all the same is asked again after a pause that doubles from one
// second to thirty; one that holds it for longer than the guard waits for an
// answer, a minute, is not asked to any more. Beside an error stands the last
// Reply, if there was one.
func (a *Actor) Wait(ctx context.Context, id string) (*Reply, error) {
	var last *Reply
	query, etag, pause := "blocking=true", "", pollFirst
	for {
		r, err := a.get(ctx, id, query, etag)
		switch e, _ := errors.AsType[*wayfind.Error](err); {
		case query != "" && e != nil && e.Code == wayfind.CodeTimeout && ctx.Err() == nil:
			query = ""
			continue
		case err != nil:
			return last, err
		case !r.Unchanged && !r.Pending():
			return r, nil
		case !r.Unchanged:
			last = r
		}
		etag = cmp.Or(r.ETag, etag)
		select {
		case <-ctx.Done():
			return last, wayfind.NewError("actors", a.at.agent.Base, wayfind.CodeCanceled, ctx.Err()).WithKind(nil)
		case <-time.After(pause):
		}
		pause = min(2*pause, pollMost)
	}
}

func (a *Actor) get(ctx context.Context, id, query, etag string) (*Reply, error) {
	resp, err := a.do(ctx, id, call{method: http.MethodGet, query: query, accept: "application/json", etag: etag})
	if err != nil {
		return nil, err
	}
	return a.readReply(resp, id)
}

// Cancel asks the agent to stop working on a message. A message that is done
// already is an error of kind wayfind.ErrInvalid whose Problem has status 409.
func (a *Actor) Cancel(ctx context.Context, id string) error {
	resp, err := a.do(ctx, id, call{method: http.MethodPost, verb: ":cancel", accept: "application/json"})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// maxID bounds a key or an identifier: a GUID has 36 characters.
const maxID = 128

// checkID allows characters that need no encoding in a path (RFC 3986 §2.3), so
// that nothing can be taken for a verb (":cancel"), another segment or a query.
func checkID(what, id string) error {
	plain := func(r rune) bool {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~", r)
	}
	if id == "" || len(id) > maxID || id == "." || id == ".." || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return invalid("", wayfind.CodeSchema, "the %s %.40q is not 1 to %d letters, digits, \"-\", \".\", \"_\" or \"~\"", what, id, maxID)
	}
	return nil
}

// invalid is the error of something that cannot be sent or read.
func invalid(u string, code wayfind.Code, format string, args ...any) *wayfind.Error {
	return wayfind.NewError("actors", u, code, fmt.Errorf(format, args...))
}
