package aidiscovery

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// auth reads the auth object (§3.4). It never returns nil: the authentication is
// unknown if the document has no such object.
func (r *reader) auth(root parse.Node, service *wayfind.Service) *wayfind.Auth {
	obj := r.Object(root, "auth", parse.Should, "§3.4")
	if !obj.Exists() {
		return &wayfind.Auth{Unknown: true}
	}
	written := r.String(obj, "type", parse.Must, "§3.4")
	docs := r.link(obj, "docs", "§3.4")
	others := r.strays("auth", obj, "type", "header", "docs")
	kind, known := r.mechanism(obj, written)
	scheme := kind.Scheme()
	scheme.DocsURL = docs
	if !known {
		others = append(others, rawjson.Member{Name: "type", Value: obj.Get("type").Copy()})
	}
	keep(service, "auth", others...)
	switch {
	case !known:
		return r.unknownAuth(obj, written, scheme)
	case kind.Kind == wayfind.SchemeNone:
		if n := obj.Get("header"); n.Exists() {
			r.Report(ruleAuthNone, n, "the type is none, and a header is named; it is ignored")
		}
	case kind.Members == authkind.PlaceOfKey:
		r.header(obj, &scheme)
		if scheme.In = "header"; !obj.Get("header").Exists() {
			scheme.Defaulted = []string{"in"}
			r.Report(ruleAuthHeader, obj, "the header that the key goes into is not named")
		}
	default:
		r.header(obj, &scheme)
		if kind.HTTP != "" && scheme.Name != "" && !strings.EqualFold(scheme.Name, kind.Field) {
			r.Report(ruleAuthHeader, obj.Get("header"), "a %s token goes into %s, and the header is %q", kind.HTTP, kind.Field, scheme.Name)
		}
	}
	return authkind.Only(kind.Word(authkind.AIDiscovery), scheme)
}

// mechanism returns the kind for a type. It also accepts other spellings than the
// specification's, which are in use: "api_key", "apiKey", "Bearer".
func (r *reader) mechanism(obj parse.Node, written string) (kind authkind.Kind, known bool) {
	kind, known = authkind.Read(authkind.AIDiscovery, authkind.Fold(written, "-_ ."))
	if own := kind.Word(authkind.AIDiscovery); known && own != written {
		r.Report(ruleAuthType, obj.Get("type"), "the auth type %q was read as %q", written, own)
	}
	return kind, known
}

// unknownAuth returns the Auth of an object without a type, or with a type outside of
// the closed set of §3.4.
func (r *reader) unknownAuth(obj parse.Node, kind string, scheme wayfind.Scheme) *wayfind.Auth {
	n := obj.Get("type")
	if n.Kind() != parse.String {
		return &wayfind.Auth{Unknown: true}
	}
	r.Report(ruleAuthType, n, "the auth type %q is none of none, apikey, bearer and oauth2", kind)
	r.header(obj, &scheme)
	auth := authkind.Only(string(scheme.Kind), scheme)
	auth.Unknown = true
	return auth
}

// header reads the header field for a credential. It does not guess a missing name,
// although a key usually goes into a header.
func (r *reader) header(obj parse.Node, scheme *wayfind.Scheme) {
	if obj.Get("header").Exists() {
		scheme.Name = r.HeaderName(obj, "header", parse.Must, "§3.4")
	}
	if scheme.Name != "" {
		scheme.In = "header"
	}
}

// credential reports whether a member looks like a credential, which must not be in
// the document (§6.2).
func (r *reader) credential(name string, value parse.Node) bool {
	if value.Kind() != parse.String || !holdsCredential(name) {
		return false
	}
	r.Report(ruleCredential, value, "the member %q looks like a credential; it is ignored", name)
	return true
}

// holdsCredential reports whether a member with this name contains a secret.
func holdsCredential(name string) bool {
	plain := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return -1
		}
		return c
	}, name)
	switch strings.ToLower(plain) {
	case "key", "apikey", "token", "accesstoken", "bearertoken", "secret", "clientsecret", "password", "credential", "credentials", "value":
		return true
	}
	return false
}

// writesWithoutAuth reports capabilities with effects in a service whose type of
// authentication is none.
func (r *reader) writesWithoutAuth(root parse.Node, list []wayfind.Capability) {
	n := root.Get("auth").Get("type")
	if text, _ := n.Str(); text != "none" {
		return
	}
	writes := 0
	for i := range list {
		if e := list[i].Effects; e != nil && e.ReadOnly != nil && !*e.ReadOnly {
			writes++
		}
	}
	if writes > 0 {
		r.Report(ruleAuthNone.At("§6.2"), n, "the type is none, which is not for writing, and %d capabilities have a method that may write", writes)
	}
}
