package oauth

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// The dialects of agent_auth: the second renamed the members.
const (
	dialectFirst  = "v0.1"
	dialectSecond = "v0.2"
)

const (
	// maxTypes is the largest length of each list of types, and maxType the longest type, in
	// bytes.
	maxTypes = 20
	maxType  = 256
)

// spelling has all names in use for one member of agent_auth. The names from the index wrong
// on are misspelt.
type spelling struct {
	names []string
	wrong int
}

// registration reads the steps by which an agent gets a credential by itself (auth.md). It
// only reads them: it sends no request to their endpoints.
func (r *reader) registration() {
	n := r.root.Get("agent_auth")
	switch {
	case !n.Exists():
		return
	case n.Kind() != parse.Object:
		r.Report(ruleRegistration.At(r.members), n, "`agent_auth` is %v where an object belongs; it is not read", n.Kind())
		parse.SetExtension(&r.service.Extensions, "agent_auth", n)
		return
	}
	reg := &wayfind.Registration{Dialect: dialectFirst}
	if n.Has("identity_endpoint", "claim_endpoint", "events_endpoint") {
		reg.Dialect = dialectSecond
	}
	reg.GuideURL = r.guide(n)
	taken := []string{"skill"}
	for _, e := range []struct {
		to *string
		spelling
	}{
		{&reg.Endpoint, spelling{[]string{"identity_endpoint", "register_uri", "registration_endpoint"}, 2}},
		{&reg.Claim, spelling{[]string{"claim_endpoint", "claim_uri", "claims_uri"}, 2}},
		{&reg.Revocation, spelling{[]string{"events_endpoint", "revocation_uri"}, 2}},
	} {
		name := r.pick(n, e.spelling)
		*e.to = r.registerAt(n, name, reg.GuideURL)
		taken = append(taken, name)
	}
	taken = append(taken, r.types(n, reg)...)
	if reg.Endpoint == "" {
		r.Report(ruleRegistration.At(r.members), n, "`agent_auth` names no endpoint that takes a registration")
		if reg.GuideURL == "" {
			parse.SetExtension(&r.service.Extensions, "agent_auth", n)
			return
		}
	}
	r.keepRegistration(n, taken)
	auth := r.service.Auth
	auth.Registration = reg
	if slices.Equal(reg.Types, []string{"anonymous"}) && slices.Equal(reg.Credentials, []string{"none"}) && len(auth.Schemes["oauth2"].Flows) == 0 {
		// The publisher declares that no authentication is needed. Unknown stays set: nothing
		// proves it.
		auth.Schemes["none"] = wayfind.Scheme{Kind: wayfind.SchemeNone}
		auth.Requirements = [][]wayfind.Requirement{{{Scheme: "none"}}}
	}
}

// pick returns the first name under which the object has the member.
func (r *reader) pick(obj parse.Node, s spelling) string {
	for i, name := range s.names {
		if !obj.Get(name).Exists() {
			continue
		}
		if i >= s.wrong {
			r.Report(ruleRegistrationMember.At(r.members), obj.Get(name), "%q was read as %q", name, s.names[0])
		}
		return name
	}
	return s.names[0]
}

// registerAt reads one endpoint. It refuses a page for people: the guide itself, a part of a
// page, or the home page.
func (r *reader) registerAt(obj parse.Node, name, guide string) string {
	if kind := obj.Get(name).Kind(); kind == parse.Missing || kind == parse.Null {
		return ""
	}
	text := r.endpointIn(obj, name, parse.Optional)
	u, err := urlref.AbsoluteURL(text)
	switch {
	case text == "" || err != nil:
		return ""
	case text == guide, u.Fragment != "", u.Path == "", u.Path == "/", strings.HasSuffix(strings.ToLower(u.Path), ".md"):
		r.Report(ruleRegistrationPage.At(r.members), obj.Get(name), "%q leads to a page, not to an endpoint; it is ignored", name)
		return ""
	}
	return text
}

// guide reads the text for agents, which is also added to the documents.
func (r *reader) guide(obj parse.Node) string {
	text := r.Link(obj, "skill", nil, r.members)
	if text != "" {
		r.reading.Documents = append(r.reading.Documents, wayfind.Document{
			Rel: "auth-guide", URL: text, MediaType: "text/markdown", Sources: parse.SourcesAt(obj.Get("skill")),
		})
	}
	return text
}

// types reads the kinds of identity and of credentials. If there is no list of identities, the
// kinds are the objects that describe them. taken contains the members that were read.
func (r *reader) types(obj parse.Node, reg *wayfind.Registration) (taken []string) {
	anonymous, assertion := obj.Get("anonymous"), obj.Get("identity_assertion")
	identities := r.pick(obj, spelling{[]string{"identity_types_supported", "supported_identity_types"}, 1})
	credentials := r.pick(obj, spelling{[]string{"credential_types_supported", "supported_credential_types"}, 1})
	reg.Types = r.typesIn(obj.Get(identities))
	if reg.Types == nil {
		for name, n := range map[string]parse.Node{"anonymous": anonymous, "identity_assertion": assertion} {
			if n.Kind() == parse.Object {
				reg.Types = append(reg.Types, name)
			}
		}
		slices.Sort(reg.Types)
	}
	reg.Assertions = r.typesIn(assertion.Get("assertion_types_supported"))
	const inner = "credential_types_supported"
	for _, list := range []parse.Node{obj.Get(credentials), anonymous.Get(inner), assertion.Get(inner)} {
		for _, word := range r.typesIn(list) {
			if !slices.Contains(reg.Credentials, word) {
				reg.Credentials = append(reg.Credentials, word)
			}
		}
	}
	return []string{identities, credentials}
}

// typesIn reads a list of words. Some publishers write objects with a name in it.
func (r *reader) typesIn(list parse.Node) (words []string) {
	for _, n := range list.Items() {
		word, ok := n.Str()
		if !ok {
			typed, _ := n.Get("type").Str()
			named, _ := n.Get("name").Str()
			word = cmp.Or(typed, named)
			r.Report(ruleWrongType.At(r.members).AsWarning(), n, "a type is %v where string belongs; it was read as %q", n.Kind(), word)
		}
		switch {
		case word == "" || len(word) > maxType || slices.Contains(words, word):
		case len(words) == maxTypes:
			r.Report(ruleTruncated.At(r.members), list, "of %d types the first %d were read", list.Len(), maxTypes)
			return words
		default:
			words = append(words, word)
		}
	}
	return words
}

// keepRegistration keeps the members that the model has no field for: members that were not
// read, and members of the two objects other than their lists.
func (r *reader) keepRegistration(obj parse.Node, taken []string) {
	rest := without(obj, taken)
	for i, m := range rest {
		if m.Name != "anonymous" && m.Name != "identity_assertion" || obj.Get(m.Name).Kind() != parse.Object {
			continue
		}
		rest[i].Value = rawjson.Obj(without(obj.Get(m.Name), []string{"credential_types_supported", "assertion_types_supported"})...)
	}
	rest = slices.DeleteFunc(rest, func(m rawjson.Member) bool { return string(m.Value) == "{}" })
	parse.Keep(&r.service.Extensions, "agent_auth", rawjson.Some(rest))
}

// without returns the members of an object except the taken ones.
func without(obj parse.Node, taken []string) (rest []rawjson.Member) {
	for name, value := range obj.Members() {
		if !slices.Contains(taken, name) {
			rest = append(rest, rawjson.Member{Name: name, Value: value.Copy()})
		}
	}
	return rest
}
