package oauth

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBearerMethod, ruleChallenge, ruleChallengeError, ruleChallengeMetadata, ruleChallengeParam, ruleChallengeScope,
		ruleEmptyList, ruleGrant, ruleIdentifier, ruleMismatch, ruleNoServer, ruleNotHTTPS, rulePKCE, ruleServer,
		ruleServerMetadata, ruleSignedMetadata, ruleSignedUnverified, ruleTruncated, ruleUnchecked,
	}
}

// The rules those of metadata.
var (
	ruleBearerMethod = parse.Rule{Code: "bearer_method", Severity: wayfind.SeverityWarning,
		Means: "`bearer_methods_supported` names a way to send a token that the specification does not know.",
		Mend:  "List `header`, `body` and `query` only."}
	ruleEmptyList = parse.Rule{Code: "empty_list", Severity: wayfind.SeverityError,
		Means: "A list has no elements.",
		Mend:  "Leave the member out."}
	ruleGrant = parse.Rule{Code: "grant", Severity: wayfind.SeverityWarning,
		Means: "The name of a grant in `grant_types_supported` is empty or longer than 256 bytes.",
		Mend:  "Write the registered name of the grant."}
	ruleIdentifier = parse.Rule{Code: "identifier", Severity: wayfind.SeverityError,
		Means: "The `resource` or `issuer` is no URL that can be one.",
		Mend:  "Write an https URL without a fragment, and for an issuer without a query."}
	ruleMismatch = parse.Rule{Code: "mismatch", Severity: wayfind.SeverityError,
		Means: "The document is about another resource or issuer than the place where it was found belongs to, so that clients must not use it.",
		Mend:  "Write the identifier that clients use, character by character, or publish the document at the well-known place of that identifier."}
	ruleNoServer = parse.Rule{Code: "no_server", Severity: wayfind.SeverityWarning,
		Means: "The metadata of a resource names no authorization server that can be used.",
		Mend:  "List the issuer of at least one authorization server in `authorization_servers`."}
	ruleNotHTTPS = parse.Rule{Code: "not_https", Severity: wayfind.SeverityError,
		Means: "A URL that credentials go to, or that is an identifier, does not begin with `https://`.",
		Mend:  "Serve it over https, and write its URL that way."}
	rulePKCE = parse.Rule{Code: "pkce", Severity: wayfind.SeverityInfo,
		Means: "An authorization server with the grant `authorization_code` does not say that it supports PKCE with S256, so newer clients will not use it.",
		Mend:  "List \"S256\" in `code_challenge_methods_supported`, if the server supports it."}
	ruleServer = parse.Rule{Code: "server", Severity: wayfind.SeverityError,
		Means: "An entry of `authorization_servers` is no issuer that can be used.",
		Mend:  "Write the issuer of the server: an https URL without query and fragment."}
	ruleServerMetadata = parse.Rule{Code: "server_metadata", Severity: wayfind.SeverityError,
		Means: "An entry of `authorization_servers` is the place of a server's metadata and not its issuer.",
		Mend:  "Write the issuer, which is the URL without the well-known part."}
	ruleSignedMetadata = parse.Rule{Code: "signed_metadata", Severity: wayfind.SeverityError,
		Means: "`signed_metadata` is no JSON Web Token in compact form.",
		Mend:  "Write a signed JWT of three parts, or leave the member out."}
	ruleSignedUnverified = parse.Rule{Code: "signed_unverified", Severity: wayfind.SeverityInfo,
		Means: "The document has signed metadata, which was not verified here.",
		Mend:  "Nothing has to be done; only the plain members were read."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "A list is longer than what is read of it, for example more than 1,000 scopes.",
		Mend:  "List what clients need."}
	ruleUnchecked = parse.Rule{Code: "unchecked", Severity: wayfind.SeverityInfo,
		Means: "Nothing tells which resource or issuer the document was asked for, so nobody compared it.",
		Mend:  "Nothing has to be done at a well-known place; elsewhere, clients compare the identifier themselves."}
)

// The rules those of WWW-Authenticate.
var (
	ruleChallenge = parse.Rule{Code: "challenge", Severity: wayfind.SeverityError, Section: "§11.6.1",
		Means: "The field WWW-Authenticate breaks the syntax of challenges, or is longer than what is read, so that a part of it does not count.",
		Mend:  "Separate challenges and parameters by commas, put values into double quotes, and send no more than a few challenges."}
	ruleChallengeError = parse.Rule{Code: "challenge_error", Severity: wayfind.SeverityInfo, Section: "§3.1",
		Means: "The server says in a challenge what was wrong with the request.",
		Mend:  "Nothing has to be done; it is reported because the answer to a request without a token should have no error."}
	ruleChallengeMetadata = parse.Rule{Code: "challenge_metadata", Severity: wayfind.SeverityError, Section: "§5.1",
		Means: "The `resource_metadata` of a challenge cannot be used, or challenges name several.",
		Mend:  "Write one full URL that begins with `https://`."}
	ruleChallengeParam = parse.Rule{Code: "challenge_param", Severity: wayfind.SeverityError, Section: "§11.2",
		Means: "A parameter comes twice in one challenge.",
		Mend:  "Write each parameter once."}
	ruleChallengeScope = parse.Rule{Code: "challenge_scope", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The `scope` of a challenge holds something that is no scope, or more than 100.",
		Mend:  "List scopes in printable ASCII without quotes, separated by single blanks."}
)

// The rules of all formats that are reported here as well.
var (
	ruleTooLong   = parse.ReaderRule("too_long")
	ruleWrongType = parse.ReaderRule("wrong_type")
)
