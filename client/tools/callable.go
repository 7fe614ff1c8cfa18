package tools

import (
	"cmp"
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
)

// operationOf returns the operation that makes the requests for a capability.
func operationOf(c *wayfind.Capability, service *wayfind.Service) *httpcall.Operation {
	auth := c.Auth
	if auth == nil && service != nil {
		auth = service.Auth
	}
	return httpcall.OperationOf(c, auth)
}

// uncallable returns the reason why every call of a capability would be refused: it requires a
// value that the model must not provide, its body has a format that cannot be written, or unspoken
// has a reason. It returns nil if a call is possible.
func uncallable(site *wayfind.Site, service *wayfind.Service, c *wayfind.Capability, op *httpcall.Operation) error {
	if c.Invocation == nil || service == nil {
		return nil
	}
	if c.Invocation.Protocol == callable.HTTP {
		origin, err := op.Callable()
		if err != nil {
			return err
		}
		return callable.Refused(site.Origin, origin)
	}
	if url := c.Invocation.URL; url != "" && c.Invocation.Protocol == callable.RPC { // a method with servers of its own
		return cmp.Or(callable.Refused(site.Origin, url), httpcall.Locked(cmp.Or(c.Auth, service.Auth)))
	}
	return unspoken(site, service, c.Auth, c.Invocation.Protocol)
}

// unspoken returns the reason why no call is made to a service in a protocol, or nil: nothing
// declares an address for the protocol, calls do not use its transport, or the policy refuses the
// address, or it takes no credential that can be sent. auth is the authentication of a capability; it
// may be nil.
func unspoken(site *wayfind.Site, service *wayfind.Service, auth *wayfind.Auth, protocol string) error {
	at, err := callable.Interfaces(service, protocol)
	if err != nil {
		return err
	}
	var first error
	for _, f := range at {
		err := cmp.Or(callable.Refused(site.Origin, f.URL), httpcall.Locked(cmp.Or(auth, f.Auth, service.Auth)))
		if err == nil {
			return nil
		}
		first = errors.Join(first, err)
	}
	return first
}

// installed returns the reason why a capability of a program that the caller would have to install
// has no contract, or nil for another capability.
func installed(site *wayfind.Site, service *wayfind.Service, c *wayfind.Capability) error {
	switch c.Kind {
	case wayfind.KindTool, wayfind.KindPrompt, wayfind.KindResource:
		if c.Invocation == nil && service != nil && len(service.LocalInstall) > 0 {
			return unspoken(site, service, c.Auth, callable.MCP)
		}
	}
	return nil
}

// unspokenAgent returns the reason why no message is sent to an agent, or nil.
func unspokenAgent(site *wayfind.Site, service *wayfind.Service) error {
	a2a, actors := unspoken(site, service, nil, callable.A2A), unspoken(site, service, nil, callable.Actors)
	switch {
	case a2a == nil, actors == nil:
		return nil
	case speaks(service, callable.A2A):
		return a2a
	}
	return actors
}

// Suffixes of the codes of diagnostics for operations that cannot become tools: their arguments
// are in a document that was not read, or no request can contain one of them.
const (
	unreadInput   = ".unread_input"
	unplacedInput = ".unplaced_input"
)

// unknown returns the reason why the arguments of a definition are not known or cannot be sent,
// or nil if they are known and can be sent.
func unknown(d *wayfind.Detail) error {
	if d == nil {
		return nil
	}
	for i := range d.Diagnostics {
		if said := &d.Diagnostics[i]; strings.HasSuffix(said.Code, unreadInput) || strings.HasSuffix(said.Code, unplacedInput) {
			return wayfind.NewError("load", d.Capability.Key, wayfind.CodeSchema, errors.New(said.Message))
		}
	}
	return nil
}

// uncalled is the reason why nothing is called at any of several servers.
type uncalled struct {
	servers string
	err     error
}

func (u *uncalled) Error() string { return u.servers }
func (u *uncalled) Unwrap() error { return u.err }

// triedOf adds to the reason why a capability is not called the servers that its document names for
// it, with the reason for each. These are the servers that are written nearest to it: those of
// the operation, the path or the document.
func triedOf(site *wayfind.Site, c *wayfind.Capability, err error) error {
	if err == nil || c == nil || len(c.Sources) == 0 {
		return err
	}
	if e, ok := errors.AsType[*httpcall.Error](err); ok && e.OfRequest() {
		return err // an operation may have servers of its own
	}
	if d := callable.NoServer(site.Diagnostics, c.Sources[0]); d != nil {
		return &uncalled{d.Message, err}
	}
	return err
}

// kindOfRefusal returns the code for an endpoint that the policy refuses, or "" for another
// reason.
func kindOfRefusal(err error) string {
	if e, ok := errors.AsType[*callable.Error](err); ok && !e.Nowhere || errors.Is(err, wayfind.ErrRefused) {
		return CodeRefused
	}
	return ""
}
