package oauth

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBearerMethod, ruleChallenge, ruleChallengeError, ruleChallengeMetadata, ruleChallengeParam, ruleChallengeScope,
		ruleEmptyList, ruleGrant, ruleIdentifier, ruleMismatch, ruleNoIssuer, ruleNoServer, ruleNotHTTPS, ruleOtherPath, rulePKCE,
		ruleRegistration, ruleRegistrationMember, ruleRegistrationPage, ruleRegistrationPlace, ruleServer, ruleServerMetadata, ruleSignedMetadata, ruleSignedUnverified, ruleTruncated, ruleUnchecked,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"authorization_endpoint":                `"https://auth.example.com/authorize"`,
		"id_token_signing_alg_values_supported": `["RS256"]`,
		"issuer":                                `"https://auth.example.com"`,
		"jwks_uri":                              `"https://auth.example.com/jwks.json"`,
		"resource":                              `"https://api.example.com"`,
		"response_types_supported":              `["code"]`,
		"subject_types_supported":               `["public"]`,
		"token_endpoint":                        `"https://auth.example.com/token"`,
	}
}

// The rules of metadata.
var (
	ruleBearerMethod = parse.Rule{Code: "bearer_method", Severity: wayfind.SeverityWarning,
		Means: "`bearer_methods_supported` names an unknown way to send a token.",
		Mend:  "List `header`, `body` and `query` only."}
	ruleEmptyList = parse.Rule{Code: "empty_list", Severity: wayfind.SeverityError,
		Means: "A list has no elements.",
		Mend:  "Leave the member out."}
	ruleGrant = parse.Rule{Code: "grant", Severity: wayfind.SeverityWarning,
		Means: "An entry of `grant_types_supported` is empty or longer than 256 bytes.",
		Mend:  "Write the registered name of the grant."}
	ruleIdentifier = parse.Rule{Code: "identifier", Severity: wayfind.SeverityError,
		Means: "The `resource` or `issuer` is not a valid identifier.",
		Mend:  "Write an https URL without a fragment, and for an issuer without a query."}
	ruleMismatch = parse.Rule{Code: "mismatch", Severity: wayfind.SeverityError,
		Means: "The document describes another resource or issuer than the one that the place belongs to. Clients must not use it.",
		Mend:  "Write the identifier that clients use, character by character, or publish the document at the well-known place of its own identifier."}
	ruleNoIssuer = parse.Rule{Code: "no_issuer", Severity: wayfind.SeverityError,
		Means: "The metadata of an authorization server does not name its issuer. Only endpoints at the host of the document are read.",
		Mend:  "Write the `issuer`, the https URL that the well-known place belongs to."}
	ruleNoServer = parse.Rule{Code: "no_server", Severity: wayfind.SeverityWarning,
		Means: "The metadata of a resource names no usable authorization server.",
		Mend:  "List the issuer of at least one authorization server in `authorization_servers`."}
	ruleNotHTTPS = parse.Rule{Code: "not_https", Severity: wayfind.SeverityError,
		Means: "An identifier, or a URL that receives credentials, does not begin with `https://`.",
		Mend:  "Serve it over https, and write its URL with `https://`."}
	ruleOtherPath = parse.Rule{Code: "other_path", Severity: wayfind.SeverityWarning,
		Means: "The metadata of a resource are at the root of its host or at the place of a part of it, not at the place of the resource itself. Clients of MCP use them; clients that keep to RFC 9728 §3.3 do not.",
		Mend:  "Publish the document at `/.well-known/oauth-protected-resource`, followed by the path of the resource."}
	rulePKCE = parse.Rule{Code: "pkce", Severity: wayfind.SeverityInfo,
		Means: "The authorization server supports the grant `authorization_code` but does not declare PKCE with S256. Newer clients refuse it.",
		Mend:  "List \"S256\" in `code_challenge_methods_supported`, if the server supports it."}
	ruleRegistration = parse.Rule{Code: "registration", Severity: wayfind.SeverityWarning,
		Means: "`agent_auth` names no usable endpoint where an agent can register.",
		Mend:  "Write an object, with the https URL of an endpoint in `identity_endpoint`. Leave `agent_auth` out if agents need no registration."}
	ruleRegistrationMember = parse.Rule{Code: "registration_member", Severity: wayfind.SeverityWarning,
		Means: "A member of `agent_auth` is misspelt. It was read as the one that is meant.",
		Mend:  "Write the name that the message gives."}
	ruleRegistrationPage = parse.Rule{Code: "registration_page", Severity: wayfind.SeverityWarning,
		Means: "An endpoint of `agent_auth` is a page for readers.",
		Mend:  "Name the endpoint that takes the request. The text for agents belongs into `skill`."}
	ruleRegistrationPlace = parse.Rule{Code: "registration_place", Severity: wayfind.SeverityWarning,
		Means: "`agent_auth` is in the metadata of a resource, where clients do not look for it.",
		Mend:  "Move it to the metadata of the authorization server."}
	ruleServer = parse.Rule{Code: "server", Severity: wayfind.SeverityError,
		Means: "An entry of `authorization_servers` is not a usable issuer.",
		Mend:  "Write the issuer of the server: an https URL without query and fragment."}
	ruleServerMetadata = parse.Rule{Code: "server_metadata", Severity: wayfind.SeverityError,
		Means: "An entry of `authorization_servers` is the URL of the server's metadata, not its issuer.",
		Mend:  "Write the issuer, which is the URL without the well-known part."}
	ruleSignedMetadata = parse.Rule{Code: "signed_metadata", Severity: wayfind.SeverityError,
		Means: "`signed_metadata` is not a JSON Web Token in compact form.",
		Mend:  "Write a signed JWT of three parts, or leave the member out."}
	ruleSignedUnverified = parse.Rule{Code: "signed_unverified", Severity: wayfind.SeverityInfo,
		Means: "The document has signed metadata. The signature was not verified.",
		Mend:  "No change is needed. Only the plain members were read."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "A list is longer than this program reads, for example more than 1,000 scopes.",
		Mend:  "List only what clients need."}
	ruleUnchecked = parse.Rule{Code: "unchecked", Severity: wayfind.SeverityInfo,
		Means: "The resource or issuer that the document was asked for is unknown. The identifier in the document was not compared.",
		Mend:  "No change is needed at a well-known place. Elsewhere, clients compare the identifier themselves."}
)

// The rules of WWW-Authenticate.
var (
	ruleChallenge = parse.Rule{Code: "challenge", Severity: wayfind.SeverityError, Section: "§11.6.1",
		Means: "The field WWW-Authenticate breaks the syntax of challenges or is too long. A part of it was not read.",
		Mend:  "Separate challenges and parameters by commas, quote values, and send only a few challenges."}
	ruleChallengeError = parse.Rule{Code: "challenge_error", Severity: wayfind.SeverityInfo, Section: "§3.1",
		Means: "The server reports an error in a challenge.",
		Mend:  "No change is needed. The answer to a request without a token should have no error, though."}
	ruleChallengeMetadata = parse.Rule{Code: "challenge_metadata", Severity: wayfind.SeverityError, Section: "§5.1",
		Means: "The `resource_metadata` of a challenge cannot be used, or challenges name several places.",
		Mend:  "Write one full URL that begins with `https://`."}
	ruleChallengeParam = parse.Rule{Code: "challenge_param", Severity: wayfind.SeverityError, Section: "§11.2",
		Means: "A challenge has the same parameter twice.",
		Mend:  "Write each parameter once."}
	ruleChallengeScope = parse.Rule{Code: "challenge_scope", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The `scope` of a challenge contains an invalid scope or more than 100 scopes.",
		Mend:  "List scopes in printable ASCII without quotes, separated by single spaces."}
)

// The rules of all formats that are reported here as well.
var (
	ruleTooLong   = parse.ReaderRule("too_long")
	ruleWrongType = parse.ReaderRule("wrong_type")
)
