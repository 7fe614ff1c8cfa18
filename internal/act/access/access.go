// Package access opens the parts of a client.Client that other packages of this module use
// and importers do not need.
package access

import (
	"context"
	"crypto/tls"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Access is those parts of a Client.
type Access interface {
	// EnterCall waits until one more call of package client/call may run at an origin; leave
	// ends it. The limits are those of all calls of the Client. The wait ends with ctx, whose
	// error it returns.
	EnterCall(ctx context.Context, origin string) (leave func(), err error)
	// HTTPForCalls is Client.HTTP for requests that were approved one by one. robots.txt,
	// which governs crawling, does not count, and a failure holds no later request up; an
	// answer that says "not before" does. led: another site names the origin, so that such
	// an answer holds up only requests that other sites lead there.
	HTTPForCalls(origin string, led bool) *http.Client
	// HTTPWithCertificate is HTTPForCalls over connections that show a client
	// certificate (mutual TLS). No other request uses these connections, and the
	// certificate is shown only to that origin. A site that does not ask for it
	// gets no request.
	HTTPWithCertificate(origin string, led bool, cert *tls.Certificate) *http.Client
	// Observe tells Options.Observe of a part of the work.
	Observe(ctx context.Context, e client.Event) (within context.Context, part discover.Part[client.Event])
	// Secrets are the values of Options.Network.DevCredentials.
	Secrets() secret.Veil
	// Logger is Options.Logger, or a logger that discards everything.
	Logger() *slog.Logger
	// EnforcesRobots reports whether Options.Robots.Mode is RobotsEnforce.
	EnforcesRobots() bool
	// AllowsDev reports whether an origin is that of a server under development that the caller has
	// allowed (Guard.AllowDev).
	AllowsDev(origin string) bool
	// AsksTargets reports whether the URL of a target may be asked as a server.
	AsksTargets() bool
	// SameSite reports whether two hosts are one site to the Client: by
	// Policy.SuffixList, else by the list that this module contains. See
	// security.SuffixList.SameSite.
	SameSite(hostA, hostB string) bool
	// Domain is the registrable domain of a host to the Client, "example.net" for
	// "mcp.example.net", or the host if it has none: its registrant answers
	// there.
	Domain(host string) string
	// Listen calls changed whenever the server of a service of a Site says that its lists have
	// changed. It contacts the server as Describe does, and returns when the server ends the
	// conversation, or when ctx ends. The error is errors.ErrUnsupported if the server does not
	// say so.
	Listen(ctx context.Context, site *wayfind.Site, key string, changed func()) error
	// Statuses asks the status endpoints of services of the Site of an origin for their present states:
	// at most 4, all at once, for 3 seconds. A state is nil if it is not known. Until the time, no
	// request is sent again.
	Statuses(ctx context.Context, origin string, services []*wayfind.Service) ([]*wayfind.Status, time.Time)
	// Reask forgets that an asker had no credentials for documents.
	Reask(asker Asker)
	// Closed is closed when the Client is.
	Closed() <-chan struct{}
	// Requests is Client.DescribeAll for a caller that needs the schemas of arguments, and
	// the rest of a definition only when it is used.
	Requests(ctx context.Context, site *wayfind.Site, keys ...string) iter.Seq2[*describe.Contract, error]
}

// CredentialSource, CredentialProvider, Answered and Asker are types of package discover.
type (
	CredentialSource   = discover.CredentialSource
	CredentialProvider = discover.CredentialProvider
	Answered           = discover.Answered
	Asker              = discover.Asker
)

// WithCredentialProvider returns a context under which Resolve and Describe ask p for credentials
// instead of client.Options.Credentials. asker says for whom p answers.
func WithCredentialProvider(ctx context.Context, p CredentialProvider, asker func(context.Context) (Asker, error)) context.Context {
	return discover.WithCredentialProvider(ctx, p, asker)
}

// ErrNoClient is the error of a function that needs a Client and got none that client.New made.
var ErrNoClient = errors.New("the Client is nil or zero: client.New makes one")

// ErrClosed is the error of work that a Client could not begin because it is closed.
func ErrClosed(op string) error { return discover.ErrClosed(op) }

// Check returns ErrNoClient if client.New did not make a Client.
func Check(c *client.Client) error {
	if c.Door() == nil {
		return ErrNoClient
	}
	return nil
}

// Of returns the access to a Client.
func Of(c *client.Client) Access { return c.Door().(Access) }
