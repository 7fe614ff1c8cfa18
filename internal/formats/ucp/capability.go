package ucp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// identityLinking is the capability whose configuration describes the login of users.
const identityLinking = "dev.ucp.common.identity_linking"

// capabilities reads the capabilities of the shop: a map of arrays, or in the first releases
// an array of entries with names.
func (r *reader) capabilities(n parse.Node) {
	if n.Kind() != parse.Array {
		for entity, value := range r.object(n, "capabilities") {
			if r.entityName(entity, value) {
				r.capability(entity, r.entries(value))
			}
		}
		return
	}
	if r.reading.Version >= "2026-04-08" {
		r.Report(ruleMap, n, "capabilities are an array; they belong into an object, by name")
	}
	for _, entry := range r.entries(n) {
		if entity := r.StringPtr(entry, "name", parse.Must, "Capability"); entity != nil && r.entityName(*entity, entry) {
			r.capability(*entity, []parse.Node{entry})
		}
	}
}

// capability reads one capability. If there are several entries, which are its versions, the
// newest is used and the others are kept with it.
func (r *reader) capability(entity string, entries []parse.Node) {
	entries = slices.DeleteFunc(entries, func(entry parse.Node) bool {
		r.Text(entry, "version", parse.Must, "Capability")
		r.specURL(entry)
		need := parse.Must
		if r.reading.Version < newest {
			need = parse.Should // the earlier releases require it of platforms only
		}
		r.String(entry, "schema", need, "Capability")
		return !r.isBound(entity, entry)
	})
	switch {
	case len(entries) == 0:
		return
	case r.pinned[entity]:
		r.Report(ruleDuplicate, entries[0], "the capability %q is listed twice; the first one counts", entity)
		return
	case len(r.service.Capabilities) == parse.DefaultItems:
		r.Report(ruleTruncated.Beyond("capabilities", 0, parse.DefaultItems), entries[0], "there are more than %d capabilities; the others are ignored", parse.DefaultItems)
		return
	}
	r.pinned[entity] = true
	best := entries[0]
	for _, entry := range entries {
		if text(entry, "version") > text(best, "version") {
			best = entry
		}
	}
	c := wayfind.Capability{ID: entity, Name: entity, Kind: wayfind.KindOperation, Claimed: true,
		DependsOn: r.parents(best), Sources: parse.SourcesAt(best), Extensions: r.members(best, "name", "extends")}
	var others []parse.Raw
	for _, entry := range entries {
		if entry != best {
			others = append(others, r.public(entry))
		}
	}
	if others != nil {
		c.Extensions["versions"] = rawjson.Arr(others...)
	}
	if entity == identityLinking {
		r.login(best.Get("config"))
	}
	r.service.Capabilities = append(r.service.Capabilities, c)
}

// members returns the members of an entry that the model has no field for.
func (r *reader) members(entry parse.Node, known ...string) map[string]parse.Raw {
	found := map[string]parse.Raw{}
	for member, value := range r.UnknownMembers(entry, known...) {
		found[member] = r.public(value)
	}
	return found
}

// parents reads the names that a capability extends: a name, or an array of names.
func (r *reader) parents(entry parse.Node) []string {
	n := entry.Get("extends")
	if name, ok := n.Str(); ok {
		return []string{name}
	}
	if !n.Exists() {
		return nil
	}
	list := r.Strings(entry, "extends", parse.Optional, "Extensions")
	if len(list) > parse.DefaultItems {
		list = list[:parse.DefaultItems]
	}
	return list
}

// login reads the login of users: at the shop, by the authorization code flow with a code
// challenge. The operations that need it are known from scopes at run time only.
func (r *reader) login(config parse.Node) {
	var scopes []string
	for scope := range config.Get("scopes").Members() {
		if scopes = append(scopes, scope); len(scopes) == parse.DefaultItems {
			break
		}
	}
	challenge := true
	scheme := wayfind.Scheme{Kind: wayfind.SchemeOAuth2, Flows: []wayfind.OAuthFlow{{Grant: "authorization_code", Scopes: scopes, PKCE: &challenge}},
		Defaulted: []string{"flows"}}
	if r.base != nil && r.base.Scheme == "https" {
		scheme.MetadataURL = r.base.Scheme + "://" + r.base.Host + "/.well-known/oauth-authorization-server"
		scheme.Defaulted = append(scheme.Defaulted, "metadataUrl")
	}
	r.service.Auth.Schemes = map[string]wayfind.Scheme{"identity_linking": scheme}
}

func text(obj parse.Node, member string) string {
	s, _ := obj.Get(member).Str()
	return s
}
