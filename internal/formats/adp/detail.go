package adp

import (
	"maps"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDetail reads a detail document (§5), which describes how to call one
// capability. If there is a subject, the endpoint and scopes are related to its
// service. Without one, a relative endpoint has no invocation.
func parseDetail(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := newReader()
	r.MediaType(in, root, "§7", "application/json")
	c := r.detail(root, subject)
	reading := &parse.Reading{Dialect: parse.DialectDetail}
	if c.ID != "" {
		reading.Services = []wayfind.Service{{Capabilities: []wayfind.Capability{c}, Sources: parse.SourcesAt(root)}}
	}
	if c.ID == "" || !describes(root) {
		reading.Unusable = "it describes no capability"
	}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// describes reports whether a document describes a call. A name and a description
// alone are common in documents of every kind.
func describes(root parse.Node) bool {
	return slices.ContainsFunc([]string{"endpoint", "method", "parameters", "request_example", "response_example"},
		func(member string) bool { return root.Get(member).Exists() })
}

// detailMembers returns the members of a detail document that are read.
func detailMembers() []string {
	return []string{"name", "description", "endpoint", "method", "parameters", "request_example",
		"response_example", "auth_scopes", "rate_limits", "resource_group"}
}

func (r reader) detail(root parse.Node, subject parse.Subject) wayfind.Capability {
	id := r.detailName(root, subject)
	c := wayfind.Capability{
		ID: id, Name: id, Kind: wayfind.KindOperation, Claimed: true, Sources: parse.SourcesAt(root),
		Description: r.String(root, "description", parse.Must, "§5"),
		Extensions:  r.Extensions(root, detailMembers()...),
	}
	if group := r.String(root, "resource_group", parse.Optional, "§5"); group != "" {
		c.Tags = []string{group}
	}
	method, usable := r.Method(root, "method", parse.Must, "§5")
	c.Effects = paramspec.EffectsOf(method)
	target, reached := r.endpoint(root, subject)
	list := r.parameters(root, method, target.Ref)
	c.Params, c.Input = list.params, list.schema()
	parse.Keep(&c.Extensions, "parameters", rawjson.Some(list.more))
	if usable && reached {
		c.Invocation = &wayfind.Invocation{Protocol: "http", Method: method, URL: target.URL, Template: target.Template,
			ContentType: contentType(root, list.params)}
	} else {
		keepContract(root, target, &c)
	}
	c.Examples = r.examples(root)
	c.Auth = r.scopes(root, subject.Service, &c)
	c.Limits = r.limits(root, &c)
	return c
}

// keepContract keeps the parts of an incomplete invocation, except for a refused
// endpoint.
func keepContract(root parse.Node, t parse.Endpoint, c *wayfind.Capability) {
	if !t.Ref.IsZero() {
		parse.SetExtension(&c.Extensions, "endpoint", root.Get("endpoint"))
	}
	if n := root.Get("method"); n.Kind() == parse.String {
		parse.SetExtension(&c.Extensions, "method", n)
	}
}

// detailName returns the identifier of the subject, even if the document has another
// one. Without a subject, it returns the name in the document.
func (r reader) detailName(root parse.Node, subject parse.Subject) string {
	written := r.String(root, "name", parse.Must, "§5")
	if written != "" && !isSnakeCase(written) {
		r.Report(ruleNameSyntax, root.Get("name"), "the name %q is not in snake_case", written)
	}
	if subject.Capability == nil || subject.Capability.ID == "" {
		return written
	}
	if id := subject.Capability.ID; written != "" && written != id {
		r.Report(ruleDetailName, root.Get("name"), "the detail document of %q is about %q", id, written)
	}
	return subject.Capability.ID
}

// examples keeps the request and response as written (§5).
func (r reader) examples(root parse.Node) []wayfind.Example {
	var e wayfind.Example
	if n := r.Object(root, "request_example", parse.Should, "§5"); n.Exists() {
		e.Request = n.Copy()
	}
	if n := r.Object(root, "response_example", parse.Should, "§5"); n.Exists() {
		e.Response = n.Copy()
	}
	if e.Request == nil && e.Response == nil {
		return nil
	}
	return []wayfind.Example{e}
}

// limits reads rate_limits (§5).
func (r reader) limits(root parse.Node, c *wayfind.Capability) []wayfind.Limit {
	obj := r.Object(root, "rate_limits", parse.Optional, "§5")
	var list []wayfind.Limit
	for _, l := range [...]struct {
		member string
		per    time.Duration
	}{{"requests_per_minute", time.Minute}, {"daily_limit", 24 * time.Hour}} {
		switch n := r.Int(obj, l.member, parse.Optional, "§5"); {
		case n == nil:
		case *n <= 0:
			r.Report(ruleRateLimit, obj.Get(l.member), "a limit of %d is none; it is ignored", *n)
		default:
			list = append(list, wayfind.Limit{N: *n, Per: l.per})
		}
	}
	if len(r.Extensions(obj, "requests_per_minute", "daily_limit")) > 0 {
		parse.SetExtension(&c.Extensions, "rate_limits", obj)
	}
	return list
}

// scopes adds auth_scopes (§5) to the schemes of the service: to the OAuth schemes if
// there are any, and otherwise to all schemes. The result is nil if the authentication
// of the service applies unchanged. A detail document names no scheme. If the service
// has no scheme either, the scopes are kept as written and the authentication is
// unknown.
func (r reader) scopes(root parse.Node, service *wayfind.Service, c *wayfind.Capability) *wayfind.Auth {
	scopes := r.Strings(root, "auth_scopes", parse.Optional, "§5")
	if len(scopes) == 0 {
		return nil
	}
	if service == nil || service.Auth == nil || len(service.Auth.Requirements) == 0 {
		parse.SetExtension(&c.Extensions, "auth_scopes", root.Get("auth_scopes"))
		return &wayfind.Auth{Unknown: true}
	}
	auth := &wayfind.Auth{Schemes: maps.Clone(service.Auth.Schemes), Unknown: service.Auth.Unknown}
	scoped := scopedBy(service.Auth)
	for _, parts := range service.Auth.Requirements {
		parts = slices.Clone(parts)
		for i, p := range parts {
			if scoped(auth.Schemes[p.Scheme]) {
				parts[i].Scopes = slices.Clone(scopes)
			}
		}
		auth.Requirements = append(auth.Requirements, parts)
	}
	if !slices.ContainsFunc(slices.Concat(auth.Requirements...), func(q wayfind.Requirement) bool { return q.Scopes != nil }) {
		r.Report(ruleAuthScopes, root.Get("auth_scopes"), "scopes are required, and the service needs no authentication")
		parse.SetExtension(&c.Extensions, "auth_scopes", root.Get("auth_scopes"))
		return nil
	}
	return auth
}

// scopedBy returns a function that reports whether a scheme gets the scopes.
func scopedBy(auth *wayfind.Auth) func(wayfind.Scheme) bool {
	issued := func(s wayfind.Scheme) bool { return authkind.Of(s).Issued() }
	for _, s := range auth.Schemes {
		if issued(s) {
			return issued
		}
	}
	return func(s wayfind.Scheme) bool { return s.Kind != wayfind.SchemeNone }
}
