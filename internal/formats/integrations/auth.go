package integrations

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// credentials reads what the service issues, by ID.
func (r *reader) credentials(root parse.Node) {
	for id, n := range r.Object(root, "credentials", parse.Optional, "credentials").Members() {
		if len(r.schemes) == parse.DefaultItems {
			r.Report(ruleTruncated, root.Get("credentials"), "the first %d credentials were read", parse.DefaultItems)
			break
		}
		if n.Kind() != parse.Object {
			r.Report(ruleWrongType.At("credentials"), n, "a credential is %v where object belongs; it is ignored", n.Kind())
			continue
		}
		r.schemes[id] = r.credential(n)
		if rest := rawjson.Some(rawjson.Copies(r.UnknownMembers(n, "type", "label", "generateUrl", "setup"))); rest != nil {
			r.kept = append(r.kept, rawjson.Member{Name: id, Value: rest})
		}
	}
}

// credential reads one credential. Where it goes is said by each surface that takes it.
func (r *reader) credential(n parse.Node) wayfind.Scheme {
	written := r.String(n, "type", parse.Must, "credentials.type")
	kind, known := authkind.Read(authkind.Integrations, written)
	if !known && written != "" && !slices.Contains(named(), written) {
		r.Report(ruleCredentialType, n.Get("type"), "the type of credential %q is none that the format defines", written)
	}
	scheme := kind.Scheme()
	if kind.Members == authkind.OAuthFlows {
		grant := "authorization_code"
		if written == "oauth2_cc" {
			grant = "client_credentials"
		}
		scheme.Flows = []wayfind.OAuthFlow{{Grant: grant}}
	}
	scheme.SetupURL = r.Link(n, "generateUrl", r.base, "credentials.generateUrl")
	text := r.String(n, "label", parse.Must, "credentials.label")
	if setup := r.Prose(n, "setup", "credentials.setup"); setup != "" {
		text = strings.TrimSpace(text + ". " + setup)
	}
	scheme.Description = text
	return scheme
}

// named are the types of credentials that the format names without saying how they are made.
func named() []string {
	return []string{"oauth1", "jwt", "app", "two_step", "signature", "aws_sigv4", "tba", "compound", "custom"}
}

// auth reads how a surface is entered. The authentication is unknown if the surface does not say.
func (r *reader) auth(n parse.Node, service *wayfind.Service) *wayfind.Auth {
	obj := r.Object(n, "auth", parse.Must, "surfaces.auth")
	if !obj.Exists() {
		return &wayfind.Auth{Unknown: true}
	}
	status := r.String(obj, "status", parse.Must, "surfaces.auth.status")
	auth := &wayfind.Auth{}
	entries := r.Objects(obj, "entries", parse.Optional, "surfaces.auth.entries")
	for i, entry := range entries {
		if i == parse.DefaultItems {
			r.Report(ruleTruncated, obj, "of %d entries the first %d were read", len(entries), i)
			break
		}
		r.entry(entry, auth, service)
	}
	switch status {
	case "none", "optional":
		if len(entries) > 0 && status == "none" {
			r.Report(ruleStatus, obj, "the status is none, and ways to authenticate are named; they count")
		}
		if len(auth.Requirements) == 0 || status == "optional" {
			kind, _ := authkind.Read(authkind.Integrations, "none")
			add(auth, "none", kind.Scheme())
			auth.Requirements = append(auth.Requirements, []wayfind.Requirement{{Scheme: "none"}})
		}
	case "required", "unknown", "":
		auth.Unknown = len(auth.Requirements) == 0
	default:
		r.Report(ruleStatus, obj.Get("status"), "the status %q is none of none, required and unknown", status)
		if kind, known := authkind.Read(authkind.MCP, authkind.Fold(status, "-_ .")); known && kind.Kind != wayfind.SchemeNone && len(auth.Requirements) == 0 {
			add(auth, status, kind.Scheme())
			auth.Requirements = [][]wayfind.Requirement{{{Scheme: status}}}
		}
		auth.Unknown = len(auth.Requirements) == 0
	}
	if text := r.Prose(obj, "notes", "surfaces.auth"); text != "" {
		parse.SetExtension(&service.Extensions, "auth", obj.Get("notes"))
	}
	return auth
}

// entry reads one way to authenticate: the credentials that are sent together.
func (r *reader) entry(entry parse.Node, auth *wayfind.Auth, service *wayfind.Service) {
	var together []wayfind.Requirement
	for i, use := range r.Objects(entry, "use", parse.Must, "surfaces.auth.entries") {
		if i == parse.DefaultItems {
			break
		}
		id := r.String(use, "id", parse.Must, "surfaces.auth.entries")
		scheme, known := r.schemes[id]
		if !known && id != "" {
			r.Report(ruleCredentialID, use.Get("id"), "no credential is called %q", id)
			scheme = r.implied(id)
		}
		mechanics := r.Object(use, "mechanics", parse.Must, "surfaces.auth.entries")
		r.mechanics(mechanics, &scheme)
		r.environment(mechanics, service)
		together = append(together, wayfind.Requirement{Scheme: add(auth, id, scheme)})
	}
	if len(together) > 0 {
		auth.Requirements = append(auth.Requirements, together)
	}
}

// implied returns the scheme for an ID that no credential has and that is itself a word for a scheme.
func (r *reader) implied(id string) wayfind.Scheme {
	kind, _ := authkind.Read(authkind.MCP, authkind.Fold(id, "-_ ."))
	if kind.Kind == wayfind.SchemeNone {
		kind, _ = authkind.Read(authkind.Integrations, "custom")
	}
	return kind.Scheme()
}

// mechanics reads where a credential goes.
func (r *reader) mechanics(n parse.Node, scheme *wayfind.Scheme) {
	if !n.Exists() {
		return
	}
	switch source := r.String(n, "source", parse.Must, "mechanics.source"); source {
	case "http":
		r.place(n, scheme)
	case "metadata":
		scheme.MetadataURL = r.URL(n, "url", r.base, parse.Must, "mechanics.url")
	case "well-known", "spec", "cli", "oauth", "unknown", "":
	default:
		r.Report(ruleMechanics, n.Get("source"), "the source %q is none of spec, well-known, metadata, http, cli and unknown", source)
	}
}

// environment reads the variables of the environment from which a program takes a credential.
func (r *reader) environment(mechanics parse.Node, service *wayfind.Service) {
	var names []string
	switch n := mechanics.Get("env"); n.Kind() {
	case parse.String:
		text, _ := n.Str()
		names = []string{text}
	default:
		names = r.Strings(mechanics, "env", parse.Optional, "mechanics.env")
	}
	for i := range service.LocalInstall {
		for _, name := range names[:min(len(names), parse.DefaultItems)] {
			if own := &service.LocalInstall[i]; !slices.Contains(own.Env, name) {
				own.Env = append(own.Env, name)
			}
		}
	}
}

// place reads the place of a credential in a request of HTTP. A key in the field Authorization with the scheme
// Bearer or Basic is a token or a password of HTTP.
func (r *reader) place(n parse.Node, scheme *wayfind.Scheme) {
	in := r.String(n, "in", parse.Optional, "mechanics.in")
	word := r.String(n, "scheme", parse.Optional, "mechanics.scheme")
	kind, known := authkind.Read(authkind.HTTPAuth, strings.ToLower(word))
	switch in {
	case "query", "header", "":
	default:
		r.Report(rulePlace, n.Get("in"), "a credential in %q cannot be sent", in)
		scheme.Kind, scheme.HTTPScheme = wayfind.SchemeCustom, ""
		return
	}
	own := authkind.Of(*scheme)
	if own.Issued() || len(own.Grants) == 0 { // its token goes where OAuth says, or nothing is known of it
		return
	}
	field := ""
	switch {
	case in == "query":
		field = r.String(n, "paramName", parse.Must, "mechanics.paramName")
	case n.Get("headerName").Exists():
		field = r.HeaderName(n, "headerName", parse.Must, "mechanics.headerName")
	case word != "":
		field = "Authorization"
	}
	switch {
	case in != "query" && known && strings.EqualFold(field, "Authorization"):
		scheme.Kind, scheme.HTTPScheme, scheme.In, scheme.Name = kind.Kind, kind.HTTP, "", ""
	case own.HTTP != "" && in != "query" && word == "" && (field == "" || strings.EqualFold(field, "Authorization")):
	case field != "":
		scheme.Kind, scheme.HTTPScheme, scheme.Name, scheme.In = wayfind.SchemeAPIKey, "", field, "header"
		if in == "query" {
			scheme.In = in
		}
		if word != "" && in != "query" {
			scheme.Prefix = &word
		}
	}
}

// add adds a scheme under its ID, or under another name if the ID has a different scheme already, and returns
// the name.
func add(auth *wayfind.Auth, id string, scheme wayfind.Scheme) string {
	if auth.Schemes == nil {
		auth.Schemes = map[string]wayfind.Scheme{}
	}
	key := id
	for n := 2; ; n++ {
		have, taken := auth.Schemes[key]
		if !taken || reflect.DeepEqual(have, scheme) {
			auth.Schemes[key] = scheme
			return key
		}
		key = fmt.Sprintf("%s~%d", id, n)
	}
}
