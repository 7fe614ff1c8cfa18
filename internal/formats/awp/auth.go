package awp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/parse"
)

// access contains the authentication of the document's actions (§7).
type access struct {
	// required and optional are the IDs of the actions in required_for and
	// optional_for.
	required, optional map[string]bool
	// kind is the type as written, and scheme its meaning. kind is "" if the document
	// does not name a type.
	kind   string
	scheme wayfind.Scheme
}

// auth reads the auth object (§7). It never returns nil: the authentication is unknown
// if the document does not describe it.
func (r *reader) auth(root parse.Node, service *wayfind.Service) *wayfind.Auth {
	if n := root.Get("auth"); n.Kind() == parse.String {
		r.Report(ruleAuthText, n, "auth is a string where an object belongs; it was read as its type")
		kind, _ := n.Str()
		r.scheme(n, kind)
		return r.access.ofDocument()
	}
	obj := r.Object(root, "auth", parse.Optional, "§7")
	if !obj.Exists() {
		return &wayfind.Auth{Unknown: true}
	}
	known := []string{"type", "required_for", "optional_for"}
	r.scheme(obj.Get("type"), r.String(obj, "type", parse.Should, "§7"))
	r.access.required = setOf(r.idList(obj, "required_for", "§7"))
	r.access.optional = setOf(r.idList(obj, "optional_for", "§7"))
	for _, item := range obj.Get("optional_for").Items() {
		if id, ok := item.Str(); ok && r.access.required[id] {
			r.Report(ruleAuthConflict, item, "authentication for %q is required and optional; it was read as required", id)
		}
	}
	refresh, kept := r.reference(obj, "refresh_endpoint", "§7")
	if authkind.Of(r.access.scheme).Issued() && refresh.URL != "" {
		r.access.scheme.Flows = []wayfind.OAuthFlow{{RefreshURL: refresh.URL}}
		kept = false
	}
	if !kept {
		known = append(known, "refresh_endpoint")
	}
	r.keepRest(&service.Extensions, "auth", obj, known...)
	if r.access.kind == "none" && len(r.access.required) > 0 {
		r.Report(ruleAuthNone, obj.Get("required_for"), "the type is none, and actions require authentication")
	}
	return r.access.ofDocument()
}

// scheme reads the type. The four types of §7 are not a closed set: any other type is
// a custom scheme.
func (r *reader) scheme(n parse.Node, kind string) {
	if r.access.kind = kind; kind == "" {
		return
	}
	read, known := authkind.Read(authkind.AWP, kind)
	if r.access.scheme = read.Scheme(); !known {
		r.Report(ruleAuthType, n, "auth type %q is none of oauth2, api_key, bearer and none", kind)
	}
}

// ofDocument returns the authentication of actions that do not declare their own.
func (a *access) ofDocument() *wayfind.Auth {
	if a.kind == "" {
		return &wayfind.Auth{Unknown: true}
	}
	return a.auth(false)
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// auth returns the Auth of the document's scheme, with "none" as an alternative if
// optional is true. Each call returns fresh values.
func (a *access) auth(optional bool) *wayfind.Auth {
	scheme := a.scheme
	scheme.Flows = append([]wayfind.OAuthFlow(nil), a.scheme.Flows...)
	made := authkind.Only(a.kind, scheme)
	made.Unknown = scheme.Kind == wayfind.SchemeCustom && !optional
	if optional {
		nothing := open()
		made.Schemes["none"] = nothing.Schemes["none"]
		made.Requirements = append(nothing.Requirements, made.Requirements...)
	}
	return made
}

// open returns the Auth of actions that need no authentication.
func open() *wayfind.Auth {
	return authkind.Only("none", wayfind.Scheme{Kind: wayfind.SchemeNone})
}

// actionAuth combines auth_required of an action (§9) with the lists of the document
// (§7). If they contradict each other, authentication is required. The result is nil
// if neither mentions the action: the authentication of the service then applies.
func (r *reader) actionAuth(entry parse.Node, id string, need parse.Need) *wayfind.Auth {
	said := r.Bool(entry, "auth_required", need, "§9")
	a := &r.access
	n := entry.Get("auth_required")
	switch {
	case a.required[id] && said != nil && !*said:
		r.Report(ruleAuthConflict, n, "auth_required is false, and auth.required_for lists %q; it was read as required", id)
	case a.optional[id] && !a.required[id] && said != nil && *said:
		r.Report(ruleAuthConflict, n, "auth_required is true, and auth.optional_for lists %q; it was read as required", id)
	}
	switch {
	case a.required[id] || said != nil && *said:
		return r.required(n)
	case a.optional[id] && a.kind != "" && a.kind != "none":
		return a.auth(true)
	case said != nil || a.optional[id]:
		return open()
	}
	return nil
}

// required returns the Auth of an action that needs authentication. It is unknown if
// the type of the document is missing or "none".
func (r *reader) required(n parse.Node) *wayfind.Auth {
	switch r.access.kind {
	case "none":
		if n.Exists() {
			r.Report(ruleAuthNone, n, "authentication is required, and the type is none")
		}
		return &wayfind.Auth{Unknown: true}
	case "":
		return &wayfind.Auth{Unknown: true}
	}
	return r.access.auth(false)
}
