package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// readResource reads the metadata of a protected resource (RFC 9728 §2).
func (r *reader) readResource() {
	r.service.Extensions = r.Extensions(r.root, "resource", "authorization_servers", "jwks_uri", "scopes_supported", "resource_name",
		"resource_documentation", "resource_policy_uri", "resource_tos_uri", "signed_metadata")
	r.identity("resource", resourcesAt(r.in.URL))
	r.service.Name = r.String(r.root, "resource_name", parse.Optional, r.members)
	r.service.DocsURL = r.page("resource_documentation")
	r.document("policy", "resource_policy_uri")
	r.document("terms", "resource_tos_uri")
	r.keys(parse.Optional)
	for _, method := range r.words("bearer_methods_supported", maxServers, parse.Optional) {
		if !slices.Contains([]string{"header", "body", "query"}, method) {
			r.Report(ruleBearerMethod.At(r.members), r.root.Get("bearer_methods_supported"), "%q is none of header, body and query", method)
		}
	}
	if n := r.root.Get("agent_auth"); n.Exists() {
		r.Report(ruleRegistrationPlace.At(r.members), n, "`agent_auth` in the metadata of a resource is not read")
	}
	r.service.Auth = &wayfind.Auth{Schemes: make(map[string]wayfind.Scheme)}
	scopes := r.words("scopes_supported", maxScopes, parse.Optional)
	servers := r.servers()
	if len(servers) == 0 {
		r.Report(ruleNoServer.At(r.members), r.root, "the document names no usable authorization server; it is unknown where to get a token")
		r.require("", scopes)
	}
	for _, issuer := range servers {
		urls := ServerMetadataURLs(issuer)
		r.require(urls[0], scopes)
		r.reading.Links = append(r.reading.Links, parse.Link{URLs: urls, Role: "authorization_server", Format: name, Lazy: true})
	}
}

// require adds an alternative: a token of one authorization server.
func (r *reader) require(metadata string, scopes []string) {
	auth := r.service.Auth
	scheme := "oauth2"
	if n := len(auth.Requirements); n > 0 {
		scheme = fmt.Sprintf("oauth2~%d", n+1)
	}
	s := wayfind.Scheme{Kind: wayfind.SchemeOAuth2, MetadataURL: metadata, DocsURL: r.service.DocsURL}
	if len(scopes) > 0 {
		s.Flows = []wayfind.OAuthFlow{{Scopes: slices.Clone(scopes)}}
	}
	auth.Schemes[scheme] = s
	auth.Requirements = append(auth.Requirements, []wayfind.Requirement{{Scheme: scheme}})
}

// servers reads the issuers of the authorization servers, each once. Some publishers list the
// place of a server's metadata instead of its issuer.
func (r *reader) servers() []*url.URL {
	var list []*url.URL
	var seen []string
	n := r.root.Get("authorization_servers")
	for _, text := range r.words("authorization_servers", maxServers, parse.Optional) {
		u, err := urlref.AbsoluteURL(text)
		switch {
		case err == nil && u.Scheme != "https":
			err = errors.New("it does not begin with https://")
		case err == nil && len(text) > maxURL:
			err = fmt.Errorf("it has more than %d bytes", maxURL)
		case err == nil && (u.RawQuery != "" || u.Fragment != ""):
			err = errors.New("it has a query or a fragment")
		}
		if err != nil {
			r.Report(ruleServer.At(r.members), n, "the authorization server %q cannot be used: %s", text, err)
			continue
		}
		if at := issuersAt(u); at != nil {
			r.Report(ruleServerMetadata.At(r.members), n, "%q is the place of metadata; the issuer was read as %q", text, at[0])
			text = at[0]
			if u, err = urlref.AbsoluteURL(text); err != nil {
				continue
			}
		}
		if !slices.Contains(seen, text) {
			seen, list = append(seen, text), append(list, u)
		}
	}
	return list
}
