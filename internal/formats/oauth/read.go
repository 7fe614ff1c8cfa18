package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxServers is the number of authorization servers of a resource that are read, and maxGrants
	// the number of grants of a server. Real documents have up to three, and up to ten.
	maxServers = 10
	maxGrants  = 20
	// maxScopes is the number of scopes that are read.
	maxScopes = parse.DefaultItems
	// maxURL is the longest URL, in bytes: URLs become parts of others more than once.
	maxURL = 2048
)

// reader reads one document.
type reader struct {
	*parse.Reader
	in      *parse.Input
	root    parse.Node
	dialect string
	// asked is the identifier that the document must be about, or "" if only the URL of the
	// request identifies it.
	asked string
	// host is the only host that endpoints may be at, or "" for any host: the host of a document
	// that names no issuer.
	host    string
	service wayfind.Service
	reading *parse.Reading
	// The sections of the specification about the members, about the response and about the
	// identifier that must be identical.
	members, response, identical string
}

// Read reads a document that is about one resource or issuer: the requested identifier, which
// is the URL of a request if the document was found through its challenge (RFC 9728 §3.3). If
// the identifier is "", it is taken from in.URL, if that is a well-known place. A document
// about another identifier is Unusable.
//
// If the identifier is unknown, the reading has an info diagnostic "oauth.unchecked": its user
// must compare.
//
// The error is the error of [parse.Input.JSONObject], or has the code schema for a document
// that is not metadata of OAuth.
func Read(in *parse.Input, identifier string) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	_, dialect := judge(in.URL, root)
	if dialect == "" {
		return nil, parse.Invalid("the document is no metadata of OAuth: it has neither resource nor issuer with the members that belong to it")
	}
	r := &reader{
		Reader: parse.NewReader(&parse.Format{Name: name, Spec: specOf(dialect)}), in: in, root: root, dialect: dialect, asked: identifier,
		service: wayfind.Service{Sources: parse.SourcesAt(root)}, reading: &parse.Reading{Dialect: dialect},
		members: "§2", response: "§3.2", identical: "§3.3",
	}
	if dialect == DialectOpenID {
		r.members, r.response, r.identical = "§3", "§4.2", "§4.3"
	}
	r.MediaType(in, root, r.response, "application/json")
	r.checkLists()
	if dialect == DialectResource {
		r.readResource()
	} else {
		r.readServer()
	}
	r.signed()
	r.reading.Services = []wayfind.Service{r.service}
	r.reading.Diagnostics = r.Diagnostics()
	if r.reading.Unusable != "" {
		// The document must not be used (RFC 9728 §3.3, RFC 8414 §3.3), so none of its links is
		// followed.
		return &parse.Reading{Dialect: dialect, Unusable: r.reading.Unusable, Diagnostics: r.reading.Diagnostics}, nil
	}
	return r.reading, nil
}

// checkLists reports empty lists, which must be left out: an empty list and a missing one have
// different meanings.
func (r *reader) checkLists() {
	for member, value := range r.root.Members() {
		// RFC 9728 §2: an empty list means no method at all.
		if value.Kind() == parse.Array && value.Len() == 0 && member != "bearer_methods_supported" {
			r.Report(ruleEmptyList.At(r.response), value, "the list has no elements; it must be left out")
		}
	}
}

// identity reads the member that names the subject of the document, and compares it. It sets
// Unusable if the document cannot be used.
func (r *reader) identity(member string, at []string) *url.URL {
	n := r.root.Get(member)
	if !n.Exists() && member == "issuer" && at != nil && r.asked == "" {
		r.Report(ruleNoIssuer.At(r.members), r.root, "the document names no issuer; only endpoints at %q are read", r.in.URL.Hostname())
		r.host = r.in.URL.Hostname()
		return nil
	}
	text := r.String(r.root, member, parse.Must, r.members)
	parse.SetExtension(&r.service.Extensions, member, n)
	u, err := urlref.AbsoluteURL(text)
	switch {
	case n.Kind() != parse.String:
		r.reading.Unusable = "no " + member
		return nil
	case err != nil:
		r.Report(ruleIdentifier.At(r.members), n, "the %s %q is no identifier: %s", member, text, err)
		r.reading.Unusable = "the " + member + " is no URL"
		return nil
	case u.Scheme != "https":
		r.Report(ruleNotHTTPS.At(r.members), n, "the %s does not begin with https://", member)
	case u.Fragment != "" || u.RawQuery != "" && r.dialect != DialectResource:
		r.Report(ruleIdentifier.At(r.members), n, "the %s has a query or a fragment", member)
	}
	r.reading.Domain = u.Hostname()
	if r.asked != "" {
		at = asIdentifier(r.asked)
	}
	switch {
	case at == nil:
		r.Report(ruleUnchecked.At(r.identical), n, "the %s that was asked for is unknown; users of the document must compare it", member)
	case slices.Contains(at, text):
	case r.asked == "" && member == "resource" && isNear(text, at):
		r.Report(ruleOtherPath.At("§3.1"), n, "the resource %q does not belong to this place, which is that of %q; clients of MCP use the document all the same", text, at[0])
	default:
		r.Report(ruleMismatch.At(r.identical), n, "the %s is %q, and the document was asked for as that of %q; it must not be used", member, text, at[0])
		r.reading.Unusable = "the " + member + " is not the one that was asked for"
	}
	return u
}

// isNear reports whether a resource is the origin of the one that a document was asked for, or below it,
// if the document is at the root of its host. Clients of MCP request that root for any path
// (Authorization, Protected Resource Metadata Discovery Requirements).
func isNear(named string, at []string) bool {
	return Covers(named, at[0]) || len(at) > 1 && strings.HasPrefix(named, at[1])
}

// endpoint reads a URL that credentials are sent to, or keys are fetched from. A URL that is
// not https is dropped (RFC 6749 §3.1, §3.2).
func (r *reader) endpoint(member string, need parse.Need) string {
	return r.endpointIn(r.root, member, need)
}

func (r *reader) endpointIn(obj parse.Node, member string, need parse.Need) string {
	n := obj.Get(member)
	if len(n.Raw()) > maxURL {
		r.Report(ruleTooLong.At(r.members).AsWarning(), n, "%q has more than %d bytes; it is ignored", member, maxURL)
		return ""
	}
	text := r.URL(obj, member, nil, need, r.members)
	if text == "" {
		return ""
	}
	switch u, err := urlref.AbsoluteURL(text); {
	case err != nil || u.Scheme != "https":
		r.Report(ruleNotHTTPS.At(r.members), n, "%q must begin with https:// and hold no user; it is ignored", member)
		return ""
	case r.host != "" && u.Hostname() != r.host:
		r.Report(ruleNoIssuer.At(r.members), n, "%q is at another host than the document, which names no issuer; it is ignored", member)
		return ""
	}
	return text
}

// keys keeps the place of the keys, if they can be fetched from there.
func (r *reader) keys(need parse.Need) {
	if r.endpoint("jwks_uri", need) != "" {
		parse.SetExtension(&r.service.Extensions, "jwks_uri", r.root.Get("jwks_uri"))
	}
}

// page reads a URL for people.
func (r *reader) page(member string) string {
	if n := r.root.Get(member); len(n.Raw()) > maxURL {
		r.Report(ruleTooLong.At(r.members).AsWarning(), n, "%q has more than %d bytes; it is ignored", member, maxURL)
		return ""
	}
	return r.URL(r.root, member, nil, parse.Optional, r.members)
}

// document lists a page about the service.
func (r *reader) document(rel, member string) {
	if text := r.page(member); text != "" {
		r.reading.Documents = append(r.reading.Documents, wayfind.Document{Rel: rel, URL: text, Sources: parse.SourcesAt(r.root.Get(member))})
	}
}

// words reads a list of words, up to a limit. A single word is read as a list with one
// element.
func (r *reader) words(member string, limit int, need parse.Need) []string {
	n := r.root.Get(member)
	if text, ok := n.Str(); ok {
		r.Report(ruleWrongType.At(r.members), n, "member %q is string where array belongs; it was read as its one element", member)
		return []string{text}
	}
	list := r.Strings(r.root, member, need, r.members)
	if len(list) > limit {
		r.Report(ruleTruncated.At(r.members), n, "of %d elements the first %d were read", len(list), limit)
		list = list[:limit:limit]
	}
	return list
}
