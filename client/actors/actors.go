// Package actors communicates with the agents that package internal/formats/msagents finds. It
// sends a message, retrieves or follows the answer, and cancels the message
// (microsoft/agent-framework, "Agent Discovery", communication endpoints).
//
//	a, err := actors.New(c, service.Interfaces[0], conversation, nil)
//	sent, err := a.Send(ctx, actors.Text("hey matey!"))
//	reply, err := a.Wait(ctx, sent.MessageID)
//
// The design defines a path and a body for sending, and no methods for the other operations.
// Its prototype had a shorter path, and methods for all operations. This package uses the
// prototype's methods on both paths, the design's path first. If the first path does not
// exist, it reads at the prototype's path. Before it sends a message, it finds out which path
// accepts messages (OPTIONS), and remembers the result: see Dialect.
//
// # Guarantees
//
// All requests go through the guard of the Client, to the one origin of the interface. No
// message is sent twice. If the endpoint is on another site than the document that names it,
// it is contacted only if Options.Approve agrees. A credential is sent only to the origin that
// it is for. Answers are limited in size, parsed as strict JSON and cleaned. They are data,
// not instructions. This package keeps no state of a conversation.
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
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/uuid"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// Protocol is the protocol of the interfaces that this package supports.
const Protocol = "ms-actors"

// Dialect determines the path of messages and the format in which they are sent.
type Dialect string

// The dialects. The zero Dialect selects the dialect whose path exists: the design's if both
// exist, or if the answers of the server do not show it.
const (
	// DialectDesign uses the path …/{actorKey}/messages/{messageId}.
	DialectDesign Dialect = "design"
	// DialectPrototype uses the path …/{actorKey}/{messageId}, and repeats both identifiers in
	// the body.
	DialectPrototype Dialect = "prototype"
)

// Options are the options of New. Nil and zero fields are the safe defaults.
type Options struct {
	// Dialect is the dialect of the server if it is known. The default is described at
	// Dialect.
	Dialect Dialect
	// Approve is called before each request to another site than the site of the document that
	// names the endpoint, on the caller's goroutine. If it is nil or returns an error, the
	// request is not sent.
	Approve func(context.Context, security.ApprovalRequest) error
	// Credentials is called before each request, on the caller's goroutine. If it is nil or
	// returns a zero Credential, no credential is sent.
	Credentials func(context.Context, security.CredentialRequest) (security.Credential, error)
	// AllowSecrets keeps likely secrets in Reply.Data, for agents whose purpose is to issue
	// credentials. Problems never contain secrets.
	AllowSecrets bool
}

// Actor is one conversation with one agent. It is safe for concurrent use.
type Actor struct {
	at        endpoint
	options   Options
	http      *http.Client
	protocols atomic.Value // the Dialect of the server; "" if it is not known
}

// New returns the conversation key with the agent at an interface of protocol "ms-actors". The
// interface comes from a Site, or from the caller, with only a Template
// "https://example.com/actors/v1/pirate/{actorKey}/messages/{messageId}". The caller may
// choose the key. If it is empty, New creates one. opts may be nil.
//
// The error is of kind wayfind.ErrInvalid if the template does not have this form, or if the
// key has characters other than letters, digits, "-", ".", "_" and "~". It is of kind
// wayfind.ErrRefused if the URL may not be contacted at all.
func New(c *client.Client, f wayfind.Interface, key string, opts *Options) (*Actor, error) {
	if err := access.Check(c); err != nil {
		return nil, wayfind.NewError("actors", "", wayfind.CodeSchema, err)
	}
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

// Key returns the identifier of the conversation.
func (a *Actor) Key() string {
	if a == nil {
		return ""
	}
	return a.at.key
}

// Message is a message to an agent.
type Message struct {
	// ID is the identifier within the conversation. If it is empty, a new one is created. The
	// same rules apply as for a key.
	ID string
	// Method is the method to invoke; default "run".
	Method string
	// Params are the params of the method, any JSON; default an empty array.
	Params parse.Raw
}

// Text returns a message with one text, as a user would type it.
func Text(content string) Message {
	return Message{Params: rawjson.Arr(rawjson.Obj(
		rawjson.Member{Name: "$type", Value: rawjson.Quote("text")},
		rawjson.Member{Name: "content", Value: rawjson.Quote(content)}))}
}

// Send sends a message. The Reply contains its MessageID, and often only the status "pending":
// see Wait, Retrieve and Stream. The message is sent once, to one path. After an error of kind
// wayfind.ErrUnreachable it may or may not have arrived. Retrieve may show whether it has.
//
// All methods return errors of type *wayfind.Error: ErrInvalid (the message, or the answer, or
// a 4xx that refuses the message), ErrNotFound, ErrBlocked, ErrThrottled with NotBefore,
// ErrUnreachable, ErrRefused (not approved, no credential, a policy of the Client), ErrClosed.
// If ctx ended, the error has no kind and wraps ctx.Err(). If the answer describes the error,
// the cause is a *Problem.
func (a *Actor) Send(ctx context.Context, m Message) (*Reply, error) {
	if m.ID == "" {
		m.ID = uuid.V4()
	}
	if m.Method == "" {
		m.Method = "run"
	}
	if m.Params == nil {
		m.Params = rawjson.Arr()
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

// Retrieve requests the present state of a message, without waiting. If etag is the ETag of an
// earlier Reply and nothing has changed since, the Reply is Unchanged and has no Data (RFC
// 9110 §13.1.2).
func (a *Actor) Retrieve(ctx context.Context, id, etag string) (*Reply, error) {
	return a.get(ctx, id, "", etag)
}

// The pauses between the requests of Wait to a server that does not wait itself.
const (
	pollFirst = time.Second
	pollMost  = 30 * time.Second
)

// Wait requests a message until it is no longer pending, or until ctx ends. It asks the server
// to delay its answer (blocking=true). If the server answers "pending" nevertheless, Wait asks
// again after a pause that doubles from one second to thirty. If the server delays its answer
// for longer than the guard waits, a minute, Wait no longer asks it to delay. With an error,
// Wait returns the last Reply, if there is one.
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

// Cancel asks the agent to stop working on a message. If the message is done already, the
// error is of kind wayfind.ErrInvalid and its Problem has status 409.
func (a *Actor) Cancel(ctx context.Context, id string) error {
	resp, err := a.do(ctx, id, call{method: http.MethodPost, verb: ":cancel", accept: "application/json"})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// maxID is the maximum length of a key or an identifier: a GUID has 36 characters.
const maxID = 128

// checkID allows only characters that need no encoding in a path (RFC 3986 §2.3), so that an
// identifier cannot be mistaken for a verb (":cancel"), another segment or a query.
func checkID(what, id string) error {
	plain := func(r rune) bool {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~", r)
	}
	if id == "" || len(id) > maxID || id == "." || id == ".." || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return invalid("", wayfind.CodeSchema, "the %s %.40q is not 1 to %d letters, digits, \"-\", \".\", \"_\" or \"~\"", what, id, maxID)
	}
	return nil
}

// invalid returns the error for something that cannot be sent or read.
func invalid(u string, code wayfind.Code, format string, args ...any) *wayfind.Error {
	return wayfind.NewError("actors", u, code, fmt.Errorf(format, args...))
}
