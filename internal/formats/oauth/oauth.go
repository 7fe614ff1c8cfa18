// Package oauth reads the OAuth 2.0 metadata of protected resources (RFC 9728), of
// authorization servers (RFC 8414) and of OpenID providers (OpenID Connect Discovery 1.0), and
// the challenges of responses (RFC 9110 §11.6.1).
//
// Discovery requests the two documents at the root of a site. If the target has a path, it
// requests those of the target first, and each at the root only if there was none. For an endpoint that requires a
// credential, a caller goes step by step, and decides whether to make the request of each
// step:
//
//	auth, place, _ := oauth.Challenge(u, response.Header)    // a 401
//	places := oauth.ResourceMetadataURLs(endpoint)           // without a place in it
//	reading, err := oauth.Read(document, endpoint.String())  // RFC 9728
//	for _, link := range reading.Links { ... }               // RFC 8414, one per server
//
// # Promises
//
// A document is used only if it is about the requested identifier: resource (RFC 9728 §3.3)
// and issuer (RFC 8414 §3.3) must be identical to it. Otherwise the reading is Unusable. The
// caller passes the identifier to [Read]. Format().Parse takes it from the requested URL, and
// reports if it cannot.
//
// A protected resource becomes a service whose Auth needs one of its authorization servers. It
// has a scheme "oauth2" for each, with the scopes of the document and, in MetadataURL, the
// first place where the server's own metadata may be; a lazy Link has all of the places. An
// authorization server becomes a service whose Auth has one scheme "oauth2" with a flow for
// each grant; it is Unknown, because such a document does not declare which calls need a
// token. URLs that do not begin with https are dropped. Members that the model has no field
// for are in the Extensions.
//
// The member agent_auth of an authorization server becomes Auth.Registration, in both of its
// dialects. No request is ever sent to its endpoints.
//
// Neither a document nor a challenge ever results in a credential: of a challenge, only realm,
// scope, error and resource_metadata are read and kept.
//
// # Not supported
//
// Signatures: signed_metadata is listed as an unverified signature, and its claims are
// ignored. Names of members with a language ("resource_name#it") are kept and not read.
package oauth

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// name is the name of the format.
const name = "oauth"

// The dialects are the kinds of documents that are read.
const (
	// DialectResource is the metadata of a protected resource.
	DialectResource = "rfc9728"
	// DialectServer is the metadata of an authorization server.
	DialectServer = "rfc8414"
	// DialectOpenID is the metadata of an OpenID provider, which is an
	// authorization server too.
	DialectOpenID = "oidc"
)

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  specOf(DialectResource),
		Title: "OAuth metadata of protected resources and authorization servers",
		Locations: []parse.Location{
			{Path: wellKnownServer, Insert: true, Section: "§3", Accept: "application/json"},
			{Path: wellKnownResource, Insert: true, Section: "§3", Accept: "application/json"},
		},
		Marks: []string{"`issuer`, or `resource` in the metadata of a resource"},
		// None of the specifications defines a lifetime. An hour is short for metadata that
		// changes with a deployment.
		Cache:     parse.CachePolicy{Default: time.Hour},
		PerSource: true,
		Match:     match,
		Parse:     func(in *parse.Input) (*parse.Reading, error) { return Read(in, "") },
		Rules:     rules(),
		Examples:  examples(),
	}
}

// specOf returns the specification that a dialect follows.
func specOf(dialect string) wayfind.SpecRef {
	switch dialect {
	case DialectServer:
		return wayfind.SpecRef{Title: "RFC 8414", URL: "https://www.rfc-editor.org/rfc/rfc8414"}
	case DialectOpenID:
		return wayfind.SpecRef{Title: "OpenID Connect Discovery 1.0", URL: "https://openid.net/specs/openid-connect-discovery-1_0.html"}
	}
	return wayfind.SpecRef{Title: "RFC 9728", URL: "https://www.rfc-editor.org/rfc/rfc9728"}
}
