package a2a

import (
	"iter"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// maxScopes is the largest number of scopes that are copied from the schemes of a card
// to its skills, for all skills together: each skill may name each scheme.
const maxScopes = 10_000

// auth returns the authentication that calls on the agent need. It is never nil: it is
// unknown if the card has no requirements.
func (r *reader) auth(root parse.Node, s *wayfind.Service) *wayfind.Auth {
	if a := r.required(root, r.at.card); a != nil {
		a.Schemes = r.allSchemes(a)
		r.authentication(root, s, false)
		return a
	}
	if a := r.authentication(root, s, len(r.schemes) == 0); a != nil {
		return a
	}
	a := &wayfind.Auth{Unknown: true}
	a.Schemes = r.allSchemes(a)
	return a
}

// skillAuth returns the authentication that one skill needs, with the schemes that it
// names. It is nil if the skill has no requirements of its own.
func (r *reader) skillAuth(entry parse.Node) *wayfind.Auth {
	a := r.required(entry, r.at.skill)
	if a == nil {
		return nil
	}
	for _, alternative := range a.Requirements {
		for _, part := range alternative {
			scheme, ok := r.schemes[part.Scheme]
			if part.Scheme == schemeNone {
				scheme, ok = wayfind.Scheme{Kind: wayfind.SchemeNone}, true
			}
			if _, have := a.Schemes[part.Scheme]; !ok || have {
				continue
			}
			if a.Schemes == nil {
				a.Schemes = make(map[string]wayfind.Scheme)
			}
			a.Schemes[part.Scheme] = r.copied(entry, scheme)
		}
	}
	return a
}

// copied returns a scheme for a skill. Above the limit on scopes, only the service has
// the flows of the scheme.
func (r *reader) copied(skill parse.Node, s wayfind.Scheme) wayfind.Scheme {
	flows := s.Flows
	s.Flows = nil
	for _, f := range flows {
		if r.scopes > maxScopes {
			return s
		}
		if r.scopes += 1 + len(f.Scopes); r.scopes > maxScopes {
			r.Report(ruleTruncated.At(r.at.skill), skill, "from here on the flows of schemes stand with the agent only: there are too many to repeat")
			return s
		}
		f.Scopes = slices.Clone(f.Scopes)
		s.Flows = append(s.Flows, f)
	}
	return s
}

// allSchemes returns the schemes of the card, and the scheme "none" if it is an
// alternative.
func (r *reader) allSchemes(a *wayfind.Auth) map[string]wayfind.Scheme {
	for _, alternative := range a.Requirements {
		for _, part := range alternative {
			if part.Scheme == schemeNone {
				r.schemes[schemeNone] = wayfind.Scheme{Kind: wayfind.SchemeNone}
			}
		}
	}
	if len(r.schemes) == 0 {
		return nil
	}
	return r.schemes
}

// required reads the requirements of a card or a skill. They are alternatives, and
// each alternative names all the schemes that it needs. The result is nil if there are
// no requirements. An empty list is treated as a missing one, because generators write
// it for a missing one.
func (r *reader) required(obj parse.Node, section string) *wayfind.Auth {
	member := "securityRequirements"
	if n := obj.Get(member); n.Kind() == parse.Missing || n.Kind() == parse.Null {
		member = "security"
	} else if r.edition < edition10 {
		r.Report(ruleVersionMember.At(section).AsInfo(), n, "%s is of 1.0; it was read", member)
	}
	list := obj.Get(member)
	if member == "security" && list.Len() > 0 && r.edition == edition10 && !r.union {
		r.removed(list, member, "it is securityRequirements")
	}
	entries := r.Objects(obj.IfSet(member), member, parse.Optional, section)
	if len(entries) == 0 {
		return nil
	}
	a, free := &wayfind.Auth{}, false
	for _, entry := range r.bounded(list, entries) {
		alternative, known := r.alternative(entry)
		a.Requirements = append(a.Requirements, alternative)
		a.Unknown = a.Unknown || !known
		free = free || len(alternative) == 1 && alternative[0].Scheme == schemeNone
	}
	a.Unknown = a.Unknown && !free
	return a
}

// alternative reads one requirement: {"schemes": {name: {"list": [scope]}}}, or {name:
// [scope]} before 1.0; a library of the protocol writes a mixture of both. An empty
// object means that no authentication is needed. known is false if a scheme is not
// declared or its kind is not known.
func (r *reader) alternative(entry parse.Node) (parts []wayfind.Requirement, known bool) {
	byName := entry
	inner := entry.Get("schemes")
	if inner.Kind() == parse.Object {
		byName = inner
	}
	known = true
	for scheme, value := range byName.Members() {
		part := wayfind.Requirement{Scheme: scheme}
		if inner.Kind() == parse.Object && value.Kind() == parse.Array {
			r.Report(ruleScopesNotation.At(r.at.scheme), value, "the scopes stand in an array instead of an object with a list; they were read")
		}
		for _, item := range r.scopesOf(value).Items() {
			if scope, ok := item.Str(); ok {
				part.Scopes = append(part.Scopes, scope)
			} else {
				r.Report(ruleWrongType.At(r.at.scheme).AsWarning(), item, "a scope is %v where string belongs; it is ignored", item.Kind())
			}
		}
		declared, ok := r.schemes[scheme]
		switch {
		case ok && declared.Kind == wayfind.SchemeNone:
			part.Scheme = schemeNone
		case scheme == schemeNone:
			part.Scheme = schemeNotNone
			declared, ok = r.schemes[schemeNotNone]
		}
		if !ok {
			r.Report(ruleUnknownScheme.At(r.at.scheme), value, "the scheme %q is not declared", scheme)
		}
		known = known && ok && declared.Kind != wayfind.SchemeCustom
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = []wayfind.Requirement{{Scheme: schemeNone}}
	}
	return parts, known
}

// scopesOf returns the list of scopes in either notation.
func (r *reader) scopesOf(value parse.Node) parse.Node {
	switch value.Kind() {
	case parse.Object:
		return r.Array(value, "list", parse.Optional, r.at.scheme)
	case parse.Array, parse.Null:
	default:
		r.Report(ruleWrongType.At(r.at.scheme).AsWarning(), value, "the scopes are %v where array belongs; they are ignored", value.Kind())
	}
	return value
}

// authentication reads the authentication object of 0.1: the names of schemes, any one
// of which is enough. If counts is false, because the card has newer members, it keeps
// the rest of the object and returns nil.
func (r *reader) authentication(root parse.Node, s *wayfind.Service, counts bool) *wayfind.Auth {
	n := root.Get("authentication")
	if !n.Exists() || n.Kind() == parse.Null {
		return nil
	}
	if r.edition > edition01 {
		r.Report(ruleVersionMember.At(r.at.card), n, "authentication is of 0.1")
	}
	discovery := discoveryURL(n)
	if !counts {
		r.leftover(n, s, discovery)
		return nil
	}
	a, placed := &wayfind.Auth{Schemes: make(map[string]wayfind.Scheme)}, false
	for at, text := range r.schemeNames(root) {
		kind, known := byName(text)
		scheme, key := kind.Scheme(), text
		if discovery != "" && kind.Issued() {
			scheme.MetadataURL, placed = discovery, true
		}
		switch {
		case !known:
			a.Unknown = true
			r.Report(ruleSchemeType.At(r.at.scheme).AsWarning(), at, "the scheme %q is not known", text)
		case scheme.Kind == wayfind.SchemeNone:
			key = schemeNone
		}
		if _, twice := a.Schemes[key]; !twice && len(a.Schemes) < parse.DefaultItems {
			a.Schemes[key] = scheme
			a.Requirements = append(a.Requirements, []wayfind.Requirement{{Scheme: key}})
		}
	}
	if placed {
		discovery = ""
	}
	r.leftover(n, s, discovery)
	if a.Requirements == nil {
		return nil
	}
	if _, free := a.Schemes[schemeNone]; free {
		a.Unknown = false
	}
	return a
}

// schemeNames yields the names of schemes. They are strings, or objects with a type,
// which the specification does not define. The value of authentication may be such an
// object or string as well.
func (r *reader) schemeNames(root parse.Node) iter.Seq2[parse.Node, string] {
	return func(yield func(parse.Node, string) bool) {
		n := root.Get("authentication")
		items := []parse.Node{n}
		if n.Get("schemes").Exists() {
			items = nil
			for _, item := range r.Array(n, "schemes", parse.Must, r.at.scheme).Items() {
				items = append(items, item)
			}
		}
		for _, item := range items {
			text, ok := item.Str()
			if !ok {
				text, ok = item.Get("type").Str()
			}
			switch {
			case !ok && item.Len() > 0:
				r.Report(ruleWrongType.At(r.at.scheme).AsWarning(), item, "authentication is not written as 0.1 has it; it is not read")
			case ok && strings.TrimSpace(text) != "" && !yield(item, text):
				return
			}
		}
	}
}

// discoveryURL returns the URL of a discovery document in the place of credentials
// (OpenID Connect Discovery 1.0 §4, RFC 8414 §3), and "" for any other value.
func discoveryURL(authentication parse.Node) string {
	text, _ := authentication.Get("credentials").Str()
	u, err := urlref.AbsoluteURL(text)
	if err != nil || urlref.CheckReference(text) != nil || u.Scheme != "https" || u.RawQuery != "" ||
		!strings.HasSuffix(u.Path, "/.well-known/openid-configuration") && !strings.Contains(u.Path, "/.well-known/oauth-authorization-server") {
		return ""
	}
	return text
}

// leftover keeps the other members of an authentication object, and a discovery URL
// that belongs to no scheme. Credentials in a card are public: they are reported and
// not kept.
func (r *reader) leftover(n parse.Node, s *wayfind.Service, discovery string) {
	if c := n.Get("credentials"); c.Exists() && c.Kind() != parse.Null && discoveryURL(n) == "" {
		r.Report(ruleCredentials.At(r.at.scheme), c, "a card should hold no credentials: every reader can use them; they were not kept")
	}
	rest := rawjson.Copies(r.UnknownMembers(n, "schemes", "credentials", "type"))
	if discovery != "" {
		rest = append(rest, rawjson.Member{Name: "credentials", Value: rawjson.Quote(discovery)})
	}
	parse.Keep(&s.Extensions, "authentication", rawjson.Some(rest))
}
