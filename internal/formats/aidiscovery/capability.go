package aidiscovery

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// capabilities reads the list of capabilities (§3.3). Each entry of a wrong type is
// dropped. Entries beyond the limit are not read.
func (r *reader) capabilities(root parse.Node) []wayfind.Capability {
	entries := r.Objects(root, "capabilities", parse.Must, "§3.3")
	if len(entries) > maxCapabilities {
		r.Report(ruleTooManyCapabilities, root.Get("capabilities"),
			"of %d capabilities the first %d were read", len(entries), maxCapabilities)
		entries = entries[:maxCapabilities]
	}
	var list []wayfind.Capability
	first := make(map[string]string, len(entries))
	for _, entry := range entries {
		c, ok := r.capability(entry)
		if !ok {
			continue
		}
		if pointer, twice := first[c.ID]; twice {
			r.Report(ruleDuplicateID, entry.Get("id"), "the id %q is that of %s", c.ID, pointer)
		} else {
			first[c.ID] = entry.Pointer()
		}
		list = append(list, c)
	}
	return list
}

// capability reads one entry. It drops an entry that has no id, or in which a required
// member has a wrong type. An entry that lacks another member, or whose endpoint or
// method cannot be used, is kept without an invocation.
func (r *reader) capability(entry parse.Node) (wayfind.Capability, bool) {
	id := r.String(entry, "id", parse.Must, "§3.3")
	c := wayfind.Capability{
		ID: id, Name: id, Kind: wayfind.KindOperation, Claimed: true, Sources: parse.SourcesAt(entry),
		Title:       r.String(entry, "name", parse.Optional, "§3.3"),
		Description: r.text(entry, "description", maxCapabilityText, ruleDescriptionLength.At("§3.3")),
	}
	ref := r.String(entry, "endpoint", parse.Must, "§3.3")
	method, callable := r.method(entry)
	switch n := entry.Get("id"); {
	case id == "" && n.Kind() == parse.String:
		r.Report(ruleID, n, "the id is empty; the entry is ignored")
		return c, false
	case id == "" || slices.ContainsFunc([]string{"description", "endpoint", "method"}, func(m string) bool { return wrongType(entry.Get(m)) }):
		return c, false
	case !isID(id):
		r.Report(ruleID, n, "the id %q is not 1 to %d lower-case letters, digits and underscores after a letter", id, maxID)
	}
	for _, m := range r.strays("a capability", entry, capabilityMembers()...) {
		parse.Keep(&c.Extensions, m.Name, m.Value)
	}
	if n := entry.Get("name"); n.Exists() {
		r.Report(ruleUnknownMember, n, "a capability has no member %q; it was read as a title", "name")
	}
	keepOthers(entry, &c)
	c.Effects = paramspec.EffectsOf(method)
	endpoint, reached := r.endpoint(entry, ref)
	list, readable := r.params(entry, method, endpoint.Ref)
	if readable {
		list = append(list, r.shorter(list)...)
	}
	c.Params, c.Input = list, inputSchema(entry, list)
	r.returns(entry, &c)
	if callable && reached && readable {
		c.Invocation = &wayfind.Invocation{Protocol: "http", Method: method, URL: endpoint.URL, Template: endpoint.Template,
			ContentType: paramspec.ContentTypeOf(list)}
		return c, true
	}
	keepContract(entry, endpoint, &c)
	return c, true
}

// capabilityMembers returns the members that are read: the members of §3.3, and name,
// methods and parameters, which publishers write.
func capabilityMembers() []string {
	return []string{"id", "name", "description", "endpoint", "method", "methods", "params", "parameters", "returns"}
}

// wrongType reports whether a value is present and not a string. Null is treated as
// absent.
func wrongType(n parse.Node) bool {
	return n.Exists() && n.Kind() != parse.String && n.Kind() != parse.Null
}

// isID reports whether s is an identifier of §3.3: ^[a-z][a-z0-9_]*$, 1 to 64
// characters.
func isID(s string) bool {
	return s != "" && len(s) <= maxID && s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
}

// keepContract keeps the parts of an incomplete invocation, except for a refused
// endpoint.
func keepContract(entry parse.Node, endpoint parse.Endpoint, c *wayfind.Capability) {
	if !endpoint.Ref.IsZero() {
		parse.SetExtension(&c.Extensions, "endpoint", entry.Get("endpoint"))
	}
	parse.SetExtension(&c.Extensions, "method", entry.Get("method"))
}

// keepOthers keeps the members under names that the specification does not define, if
// the reading may lose a part of them.
func keepOthers(entry parse.Node, c *wayfind.Capability) {
	if n := entry.Get("methods"); n.Len() > 1 || entry.Get("method").Exists() {
		parse.SetExtension(&c.Extensions, "methods", n)
	}
	for _, name := range [...]string{"params", "parameters"} {
		if n := entry.Get(name); n.Kind() != parse.Object || name == "parameters" && entry.Get("params").Exists() {
			parse.SetExtension(&c.Extensions, name, n)
		}
	}
}

// method returns the method in upper case, and whether it is one of the five methods
// that §3.3 allows.
func (r *reader) method(entry parse.Node) (method string, usable bool) {
	written, n := "", entry.Get("method")
	if list := entry.Get("methods"); !n.Exists() && list.Kind() == parse.Array {
		n = list.Index(0)
		written, _ = n.Str()
		r.Report(ruleMethods, list, "methods is a list where one method belongs; of %d the first was read", list.Len())
	} else {
		written = r.String(entry, "method", parse.Must, "§3.3")
	}
	if n.Kind() != parse.String {
		return "", false
	}
	method = strings.ToUpper(written)
	if !slices.Contains([]string{"GET", "POST", "PUT", "DELETE", "PATCH"}, method) {
		r.Report(ruleMethod.At("§3.3"), n, "the method %q is none of GET, POST, PUT, DELETE and PATCH", written)
		return "", false
	}
	if method != written {
		r.Report(ruleMethodCase.At("§3.3"), n, "the method %q was read as %q: methods are case-sensitive", written, method)
	}
	return method, true
}

// endpoint resolves the URL of a call (§3.3), or reports the reason why it is unknown.
// It also returns an endpoint that only lacks a base, for its variables. A text that
// begins neither with a slash nor with a scheme is not well-formed, because its base
// is unknown.
func (r *reader) endpoint(entry parse.Node, ref string) (parse.Endpoint, bool) {
	n := entry.Get("endpoint")
	if n.Kind() != parse.String {
		return parse.Endpoint{}, false
	}
	rewritten := paramspec.Braces(ref)
	if rewritten != ref {
		r.Report(ruleEndpointNotation, n, "the variables of endpoint %q were read as %q", ref, rewritten)
	}
	e, err := r.in.ResolveEndpoint(paramspec.Colons(rewritten, nil))
	switch {
	case err != nil:
		r.Report(ruleEndpoint, n, "the endpoint cannot be used: %s", err)
		return parse.Endpoint{}, false
	case e.Form == parse.FormOther:
		r.Report(ruleEndpoint, n, "the endpoint %q is neither a path that begins with a slash nor a full URL", ref)
		return e, false
	case !e.Resolved():
		r.Report(ruleEndpointRelative, n, "the endpoint is relative to a host that is not known")
		return e, false
	}
	r.CheckEndpoint(n, e, "§3.3")
	return e, true
}

// returns reads the description of the result.
func (r *reader) returns(entry parse.Node, c *wayfind.Capability) {
	text := r.String(entry, "returns", parse.Optional, "§3.3")
	n := entry.Get("returns")
	if n.Exists() && n.Kind() != parse.String {
		parse.SetExtension(&c.Extensions, "returns", n)
	}
	if text == "" {
		return
	}
	if count := utf8.RuneCountInString(text); count > maxReturns {
		r.Report(ruleReturnsLength, n, "returns has %d characters; %d are allowed", count, maxReturns)
	}
	c.Output = rawjson.Obj(rawjson.Member{Name: "description", Value: rawjson.Quote(text)})
}

// interfaces returns the origins of the calls, in the order of first use.
func interfaces(list []wayfind.Capability) []wayfind.Interface {
	var found []wayfind.Interface
	seen := map[string]bool{}
	for i := range list {
		call := list[i].Invocation
		if call == nil {
			continue
		}
		origin := originOf(call.URL + call.Template)
		if origin == "" || seen[origin] {
			continue
		}
		seen[origin] = true
		found = append(found, wayfind.Interface{
			Protocol: "http", URL: origin, Sources: []wayfind.Ref{{Pointer: list[i].Sources[0].Pointer + "/endpoint"}},
		})
	}
	return found
}

// originOf returns the scheme and authority of a URL, "" if the authority has
// variables.
func originOf(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if strings.ContainsAny(rest, "{}") {
		return ""
	}
	return scheme + "://" + rest
}
