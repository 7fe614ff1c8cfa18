// Package callable decides at which interfaces of a service calls are made. Package client/tools
// offers nothing else, and package client/call refuses everything else, for the same reasons.
package callable

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/actorwire"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// The protocols of calls: the names in wayfind.Invocation.Protocol.
const (
	HTTP   = "http"
	RPC    = "jsonrpc"
	MCP    = "mcp"
	A2A    = "a2a"
	Actors = "ms-actors"
)

// Error is the reason why no call is made.
type Error struct {
	// Nowhere means that the service declares no interface for the protocol. Otherwise calls are
	// not made in the protocol, or not at its interfaces.
	Nowhere bool
	reason  string
}

// Error implements error.
func (e *Error) Error() string { return e.reason }

// Interfaces returns the interfaces of a service at which calls in a protocol can be made, in the
// order of the service. If there are none, it returns an *Error. It returns nil, nil for HTTP,
// whose operations have URLs of their own.
func Interfaces(service *wayfind.Service, protocol string) (list []*wayfind.Interface, err error) {
	switch protocol {
	case HTTP:
		return nil, nil
	case RPC, MCP, A2A, Actors:
	default:
		return nil, &Error{reason: fmt.Sprintf("calls in the protocol %s are not made", text.PlainWord(protocol))}
	}
	if service == nil {
		service = &wayfind.Service{}
	}
	var unsuited error
	for i := range service.Interfaces {
		f := &service.Interfaces[i]
		if f.Protocol != protocol || f.URL == "" && f.Template == "" {
			continue
		}
		if err := suits(f); err != nil {
			unsuited = errors.Join(unsuited, err)
			continue
		}
		list = append(list, f)
	}
	switch {
	case list != nil:
		return list, nil
	case unsuited != nil:
		return nil, &Error{reason: unsuited.Error()}
	case protocol == MCP && len(service.LocalInstall) > 0:
		return nil, &Error{Nowhere: true, reason: "the server is a program to run on the caller's machine, and no address is declared"}
	}
	return nil, &Error{Nowhere: true, reason: fmt.Sprintf("nothing says where the protocol %s is spoken", text.PlainWord(protocol))}
}

// Refused returns the reason why the policy allows no request to a URL, or nil. A server under
// development is called by the documents of its own origin. An interface that has only a template
// is judged when it is filled.
func Refused(origin, url string) error {
	if url == "" || url == origin || strings.HasPrefix(url, origin+"/") {
		return nil
	}
	_, err := security.ParseURL(url, nil)
	return err
}

// suits returns the reason why calls are not made at an interface, or nil.
func suits(f *wayfind.Interface) error {
	if f.URL == "" && f.Protocol != Actors {
		return errors.New("where it goes has variables")
	}
	switch f.Protocol {
	case MCP:
		switch f.Transport {
		case "", "streamable-http", "http":
			return nil
		case "webmcp":
			return errors.New("its transport webmcp is spoken in a browser only, by the scripts of a page")
		}
		return fmt.Errorf("its transport %s is not spoken; calls use streamable-http", text.PlainWord(f.Transport))
	case A2A:
		if f.Transport == "" || strings.EqualFold(f.Transport, "jsonrpc") || REST(f) && Version1(f) {
			return nil
		}
		return fmt.Errorf("its binding %s is not spoken; calls use JSONRPC, or HTTP+JSON of A2A 1.0", text.PlainWord(f.Transport))
	case Actors:
		if _, ok := actorwire.Read(f.Template); !ok {
			return errors.New("its address is none of the protocol")
		}
	}
	return nil
}

// REST reports whether the binding of an A2A interface is HTTP+JSON. Libraries implement it in
// different ways for A2A 0.3, so that calls use it with 1.0 only.
func REST(f *wayfind.Interface) bool { return strings.EqualFold(f.Transport, "http+json") }

// Version1 reports whether an interface supports A2A 1.0, which has other names than 0.3.
func Version1(f *wayfind.Interface) bool {
	return slices.ContainsFunc(f.Versions, func(v string) bool { return v == "1" || strings.HasPrefix(v, "1.") })
}

// AboutNoServer reports whether a diagnostic says that no server of a document can be called, or that it
// names none.
func AboutNoServer(d *wayfind.Diagnostic) bool {
	return strings.HasSuffix(d.Code, ".server_none") || strings.HasSuffix(d.Code, ".no_server")
}

// NoServer returns the diagnostic that says why no server can be called for the operation at a place, or
// nil. It is about the servers that are written nearest to the operation: its own, those of its
// path or those of the document.
func NoServer(diags []wayfind.Diagnostic, at wayfind.Ref) *wayfind.Diagnostic {
	var said *wayfind.Diagnostic
	nearest := -1
	for i := range diags {
		d := &diags[i]
		around, _ := strings.CutSuffix(d.Pointer, "/servers")
		if AboutNoServer(d) && d.Source == at.Source && (at.Pointer == around || strings.HasPrefix(at.Pointer, around+"/")) && len(around) > nearest {
			nearest, said = len(around), d
		}
	}
	return said
}
