package ucp

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// isPrivate reports whether a member of a JWK is one that only its owner may know (RFC 7518
// §6). The list is in a function so that it cannot be changed.
func isPrivate(member string) bool {
	return slices.Contains([]string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}, member)
}

// keys reads a list of keys. They are only data: an unknown key does no harm.
func (r *reader) keys(member string) {
	if !r.root.Get(member).Exists() {
		return
	}
	var list []parse.Raw
	for _, key := range r.Objects(r.root, member, parse.Optional, structure) {
		r.String(key, "kid", parse.Must, structure)
		r.String(key, "kty", parse.Must, structure)
		list = append(list, r.publicObject(key, true))
	}
	r.extend(member, rawjson.Arr(list...))
}

// public returns a value without the private members of keys in it.
func (r *reader) public(n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		return r.publicObject(n, n.Get("kty").Exists())
	case parse.Array:
		list := make([]parse.Raw, 0, n.Len())
		for _, item := range n.Items() {
			list = append(list, r.public(item))
		}
		return rawjson.Arr(list...)
	}
	return n.Copy()
}

func (r *reader) publicObject(n parse.Node, key bool) parse.Raw {
	var members []rawjson.Member
	for member, value := range n.Members() {
		if key && isPrivate(member) {
			r.Report(rulePrivateKey, value, "the member %q of a key is private; it is left out", member)
			continue
		}
		members = append(members, rawjson.Member{Name: member, Value: r.public(value)})
	}
	return rawjson.Obj(members...)
}
