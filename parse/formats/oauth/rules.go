package oauth

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(documentRules(), challengeRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are those of metadata.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "bearer_method", Means: "`bearer_methods_supported` names a way to send a token that the specification does not know.",
			Mend: "List `header`, `body` and `query` only."},
		{Code: "empty_list", Means: "A list has no elements.",
			Mend: "Leave the member out."},
		{Code: "grant", Means: "The name of a grant in `grant_types_supported` is empty or longer than 256 bytes.",
			Mend: "Write the registered name of the grant."},
		{Code: "identifier", Means: "The `resource` or `issuer` is no URL that can be one.",
			Mend: "Write an https URL without a fragment, and for an issuer without a query."},
		{Code: "mismatch", Means: "The document is about another resource or issuer than the place where it was found belongs to, so that clients must not use it.",
			Mend: "Write the identifier that clients use, character by character, or publish the document at the well-known place of that identifier."},
		{Code: "no_server", Means: "The metadata of a resource names no authorization server that can be used.",
			Mend: "List the issuer of at least one authorization server in `authorization_servers`."},
		{Code: "not_https", Means: "A URL that credentials go to, or that is an identifier, does not begin with `https://`.",
			Mend: "Serve it over https, and write its URL that way."},
		{Code: "pkce", Means: "An authorization server with the grant `authorization_code` does not say that it supports PKCE with S256, so newer clients will not use it.",
			Mend: "List \"S256\" in `code_challenge_methods_supported`, if the server supports it."},
		{Code: "server", Means: "An entry of `authorization_servers` is no issuer that can be used.",
			Mend: "Write the issuer of the server: an https URL without query and fragment."},
		{Code: "server_metadata", Means: "An entry of `authorization_servers` is the place of a server's metadata and not its issuer.",
			Mend: "Write the issuer, which is the URL without the well-known part."},
		{Code: "signed_metadata", Means: "`signed_metadata` is no JSON Web Token in compact form.",
			Mend: "Write a signed JWT of three parts, or leave the member out."},
		{Code: "signed_unverified", Means: "The document has signed metadata, which was not verified here.",
			Mend: "Nothing has to be done; only the plain members were read."},
		{Code: "too_long", Means: "A URL is longer than what is read: 2,048 bytes.",
			Mend: "Shorten it."},
		{Code: "truncated", Means: "A list is longer than what is read of it, for example more than 1,000 scopes.",
			Mend: "List what clients need."},
		{Code: "unchecked", Means: "Nothing tells which resource or issuer the document was asked for, so nobody compared it.",
			Mend: "Nothing has to be done at a well-known place; elsewhere, clients compare the identifier themselves."},
	}
}

// challengeRules are those of WWW-Authenticate.
func challengeRules() []parse.Rule {
	return []parse.Rule{
		{Code: "challenge", Means: "The field WWW-Authenticate breaks the syntax of challenges, or is longer than what is read, so that a part of it does not count.",
			Mend: "Separate challenges and parameters by commas, put values into double quotes, and send no more than a few challenges."},
		{Code: "challenge_error", Means: "The server says in a challenge what was wrong with the request.",
			Mend: "Nothing has to be done; it is reported because the answer to a request without a token should have no error."},
		{Code: "challenge_metadata", Means: "The `resource_metadata` of a challenge cannot be used, or challenges name several.",
			Mend: "Write one full URL that begins with `https://`."},
		{Code: "challenge_param", Means: "A parameter comes twice in one challenge.",
			Mend: "Write each parameter once."},
		{Code: "challenge_scope", Means: "The `scope` of a challenge holds something that is no scope, or more than 100.",
			Mend: "List scopes in printable ASCII without quotes, separated by single blanks."},
	}
}
