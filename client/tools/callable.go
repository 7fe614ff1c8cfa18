package tools

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/httpcall"
	"github.com/wayfindhq/wayfind/security"
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
// value that the model must not provide, its body has a format that cannot be written, or the
// policy refuses its endpoint, such as plain http. It returns nil if a call is possible.
func uncallable(site *wayfind.Site, service *wayfind.Service, c *wayfind.Capability, op *httpcall.Operation) error {
	if c.Invocation == nil || service == nil {
		return nil
	}
	if c.Invocation.Protocol == "http" {
		origin, err := op.Callable()
		if err != nil {
			return err
		}
		return refused(site, origin)
	}
	var first error
	for i := range service.Interfaces {
		f := &service.Interfaces[i]
		if f.Protocol != c.Invocation.Protocol || f.URL == "" {
			continue
		}
		err := refused(site, f.URL)
		if err == nil {
			return nil
		}
		first = errors.Join(first, err)
	}
	return first
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

// refused returns the reason why the policy allows no request to a URL, or nil. A server under
// development has tools at its own origin.
func refused(site *wayfind.Site, url string) error {
	if url == site.Origin || strings.HasPrefix(url, site.Origin+"/") {
		return nil
	}
	_, err := security.ParseURL(url, nil)
	return err
}

// kindOfRefusal returns the code for an endpoint that the policy refuses, or "" for another
// reason.
func kindOfRefusal(err error) string {
	if errors.Is(err, wayfind.ErrRefused) {
		return CodeRefused
	}
	return ""
}
