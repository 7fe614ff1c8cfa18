package a2a

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// Transports of interfaces, as the model writes them.
const (
	transportJSONRPC = "jsonrpc"
	transportGRPC    = "grpc"
	transportREST    = "http+json"
)

// transport reads the binding of an interface from one of its members.
func transport(to *parse.Reader, obj parse.Node, member, section string) string {
	text := to.String(obj, member, parse.Must, section)
	return binding(to, obj.Get(member), text, section)
}

// bindingMarks removes the characters that separate the words of a binding.
var bindingMarks = strings.NewReplacer("-", "", "_", "", "/", "+", " ", "", ".", "")

// binding reads a binding by its name. The set is open: a binding other than the
// three of the protocol is a URI (1.0 §5.8).
func binding(to *parse.Reader, n parse.Node, text, section string) string {
	switch text {
	case "":
		if n.Kind() == parse.String {
			to.Report(ruleBinding.At(section), n, "the binding is empty")
		}
		return ""
	case "JSONRPC", "GRPC", "HTTP+JSON":
		return strings.ToLower(text)
	}
	switch bindingMarks.Replace(strings.ToUpper(text)) {
	case "JSONRPC", "JSONRPC20", "JSONRPC2":
		to.Report(ruleBinding.At(section).AsWarning(), n, "the binding %q was read as JSONRPC", text)
		return transportJSONRPC
	case "GRPC":
		to.Report(ruleBinding.At(section).AsWarning(), n, "the binding %q was read as GRPC", text)
		return transportGRPC
	case "HTTP+JSON", "HTTPJSON", "REST", "HTTP", "HTTP+REST":
		to.Report(ruleBinding.At(section).AsWarning(), n, "the binding %q was read as HTTP+JSON", text)
		return transportREST
	}
	if !isURI(text) {
		to.Report(ruleBinding.At(section).AsWarning(), n, "the binding %q is none of JSONRPC, GRPC and HTTP+JSON, and no URI", text)
	}
	return text
}

// locate reads the address of an interface. ok is false if there is no address that
// can be used.
func (r *reader) locate(to *parse.Reader, obj parse.Node, need parse.Need, section string, face *wayfind.Interface) (ok bool) {
	text := to.String(obj, "url", need, section)
	n := obj.Get("url")
	if n.Kind() != parse.String {
		return false
	}
	if face.Transport == transportGRPC && !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		return locateGRPC(to, n, text, section, face)
	}
	e, err := r.in.ResolveEndpoint(paramspec.Braces(text))
	if err == nil && e.Form == parse.FormOther {
		// A person takes "agent.example/a2a" for a host, and a program takes it for a
		// path.
		err = errNotAbsolute
	}
	if _, isAddress := hostPort(text); err != nil && isAddress {
		err = errNotAbsolute
	}
	switch {
	case err != nil:
		to.Report(ruleEndpoint.At(section), n, "the url of the interface cannot be used: %s", err)
		r.misplaced = r.misplaced || err == errNotAbsolute && !strings.Contains(text, "{") // a template was not filled in
		return false
	case !e.Resolved():
		to.Report(ruleEndpointRelative.At(section), n, "the url is relative to a site that is not known")
		parse.SetExtension(&face.Extensions, "url", n)
		return true
	case e.Form != parse.FormAbsolute:
		to.Report(ruleEndpointRelative.At(section), n, "the url %q is not absolute; it was resolved against the site that served the card", text)
	}
	to.CheckEndpoint(n, e, section)
	face.URL, face.Template = e.URL, e.Template
	for _, v := range e.Ref.Names() {
		face.Variables = append(face.Variables, wayfind.Variable{Name: v})
	}
	return true
}

// locateGRPC reads the address of a gRPC interface, which is host:port. It is not a
// URL, so it is kept away from code that reads URLs.
func locateGRPC(to *parse.Reader, n parse.Node, text, section string, face *wayfind.Interface) (ok bool) {
	address := text
	if scheme, rest, found := strings.Cut(text, "://"); found {
		to.Report(ruleGRPCAddress.At(section).AsWarning(), n, "a gRPC address is host:port, without %q", scheme+"://")
		address = strings.TrimPrefix(rest, "/")
	}
	host, ok := hostPort(address)
	if !ok {
		to.Report(ruleGRPCAddress.At(section), n, "the gRPC address is neither host:port nor a URL; the interface is ignored")
		return false
	}
	if err := urlref.OddHost(&url.URL{Scheme: "https", Host: host}); err != nil {
		to.Report(ruleEndpointHost.At(section), n, "the address is doubtful: %s", err)
	}
	parse.Keep(&face.Extensions, "address", rawjson.Quote(address))
	return true
}

// errNotAbsolute is the fault of an address that a person understands.
var errNotAbsolute = errors.New("it is not an absolute URL")

// hostPort reads "host:port".
func hostPort(text string) (host string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	host = text[:max(at, 0)]
	number, err := strconv.ParseUint(text[at+1:], 10, 16)
	return host, err == nil && number > 0 && isHost(host)
}

// isHost reports whether text is a host: a name, an IPv4 address, or an IPv6 address
// in brackets.
func isHost(text string) bool {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && inner != "" && strings.Trim(strings.ToLower(inner), "abcdef0123456789:.") == ""
	}
	return text != "" && len(text) <= 253 && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}
