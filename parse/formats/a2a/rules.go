package a2a

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBinding, ruleCredentials, ruleDetailName, ruleDuplicateID, ruleDuplicateInterface, ruleEmpty, ruleEndpoint,
		ruleEndpointRelative, ruleExtensionURI, ruleGRPCAddress, ruleHTTPScheme, ruleIDEmpty, ruleInterfaceProtocol,
		ruleInterfaceTransport, ruleKeyName, ruleKeyPlace, ruleMainInterface, ruleMode, ruleNoInterface, ruleNotAvailable,
		ruleOAuthFlow, ruleOAuthURL, ruleSchemeConflict, ruleSchemeMany, ruleSchemeName, ruleSchemeNotation,
		ruleSchemeType, ruleScopesNotation, ruleSignature, ruleSignatureAlg, ruleSignatureCrit, ruleSignatureHeader,
		ruleSignatureJKU, ruleSignatureKey, ruleSignatureKid, ruleSignatureTyp, ruleSnakeCase, ruleTransportConflict,
		ruleTruncated, ruleUnknownScheme, ruleVersion, ruleVersionMember,
	}
}

// The rules about the card as a whole and its skills.
var (
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning,
		Means: "The extended card is about an agent of another name than the public card that leads to it.",
		Mend:  "Write the same `name` in both cards."}
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityWarning,
		Means: "Two skills have the same ID.",
		Mend:  "Give every skill an `id` of its own."}
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityWarning,
		Means: "A list that must have an element is empty.",
		Mend:  "Put at least one element into the list."}
	ruleExtensionURI = parse.Rule{Code: "extension_uri", Severity: wayfind.SeverityWarning,
		Means: "An extension is named by something that is not a URI.",
		Mend:  "Write the URI of the extension in `uri`."}
	ruleIDEmpty = parse.Rule{Code: "id_empty", Severity: wayfind.SeverityError,
		Means: "The ID of a skill is empty, so the skill was left out.",
		Mend:  "Write an ID for the skill."}
	ruleMode = parse.Rule{Code: "mode", Severity: wayfind.SeverityWarning,
		Means: "An input or output mode is not a media type.",
		Mend:  "Write a media type such as `text/plain` or `application/json`."}
	ruleNoInterface = parse.Rule{Code: "no_interface", Severity: wayfind.SeverityError,
		Means: "The card names no place where the agent can be spoken to, so it cannot be used.",
		Mend:  "List at least one interface with a `url` that can be used in `supportedInterfaces`, or write `url` before version 1.0."}
	ruleNotAvailable = parse.Rule{Code: "not_available", Severity: wayfind.SeverityWarning,
		Means: "The card says that the agent is not available.",
		Mend:  "Delete `available` when the agent works. Serve no card as long as it does not."}
	ruleSnakeCase = parse.Rule{Code: "snake_case", Severity: wayfind.SeverityWarning,
		Means: "A member is named with an underscore where the protocol has camelCase, so it was not read.",
		Mend:  "Rename it as the message says: JSON has other names than the Protobuf text."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "There are more entries in a list, or more scopes that skills repeat, than are read.",
		Mend:  "Shorten the list to what the message says was read. Where it speaks of flows, let fewer skills name the same schemes."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityWarning, Section: "§3.6",
		Means: "The version of the protocol is not a known one, or not that by whose rules the card is written.",
		Mend:  "Write the version that the card follows, as major and minor number since 1.0: `1.0`."}
	ruleVersionMember = parse.Rule{Code: "version_member", Severity: wayfind.SeverityWarning,
		Means: "A member is of another version of the protocol than the rest of the card.",
		Mend:  "Write what the message names instead. For clients of both versions, write the members of both."}
)

// The rules about the places where an agent is spoken to.
var (
	ruleBinding = parse.Rule{Code: "binding", Severity: wayfind.SeverityError,
		Means: "The binding or transport of an interface is none of those of the protocol, or is spelt differently.",
		Mend:  "Write `JSONRPC`, `GRPC` or `HTTP+JSON` exactly so, or the URI of another binding."}
	ruleDuplicateInterface = parse.Rule{Code: "duplicate_interface", Severity: wayfind.SeverityWarning,
		Means: "The same interface stands in the list twice.",
		Mend:  "Delete one of the two."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError,
		Means: "The `url` of an interface is not one that programs can go to, so the interface was left out.",
		Mend:  "Write a whole `https://` URL."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityWarning,
		Means: "The `url` of an interface is not absolute, so it depends on where the card was found.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleGRPCAddress = parse.Rule{Code: "grpc_address", Severity: wayfind.SeverityError,
		Means: "The address of a gRPC interface is not a host and a port.",
		Mend:  "Write the host and the port alone, as in `grpc.example.com:443`."}
	ruleInterfaceProtocol = parse.Rule{Code: "interface_protocol", Severity: wayfind.SeverityError,
		Means: "An interface in the list speaks another protocol than A2A.",
		Mend:  "List interfaces of A2A only, and describe the others in the documents of their own protocols."}
	ruleInterfaceTransport = parse.Rule{Code: "interface_transport", Severity: wayfind.SeverityError,
		Means: "An interface has the member `transport`, which is called `protocolBinding` in version 1.0.",
		Mend:  "Rename `transport` to `protocolBinding`."}
	ruleMainInterface = parse.Rule{Code: "main_interface", Severity: wayfind.SeverityWarning,
		Means: "The list `additionalInterfaces` does not repeat the main interface of the card.",
		Mend:  "Add an entry with the `url` and `preferredTransport` of the card."}
	ruleTransportConflict = parse.Rule{Code: "transport_conflict", Severity: wayfind.SeverityError,
		Means: "The same URL stands for two transports.",
		Mend:  "Give each transport a URL of its own."}
)

// The rules about what calls need.
var (
	ruleCredentials = parse.Rule{Code: "credentials", Severity: wayfind.SeverityWarning,
		Means: "The card holds credentials, which everybody can read.",
		Mend:  "Delete them and revoke them, and tell callers on the way that `authentication` describes."}
	ruleHTTPScheme = parse.Rule{Code: "http_scheme", Severity: wayfind.SeverityError,
		Means: "The name of a scheme of HTTP authentication is not one, so it was ignored.",
		Mend:  "Write the name alone, such as `Bearer` or `Basic`."}
	ruleKeyName = parse.Rule{Code: "key_name", Severity: wayfind.SeverityError,
		Means: "The name of the query parameter or cookie for a key cannot be used, so it was ignored.",
		Mend:  "Write a short name of letters, digits, dashes and underscores."}
	ruleKeyPlace = parse.Rule{Code: "key_place", Severity: wayfind.SeverityError,
		Means: "It is not said in a known word where a key goes.",
		Mend:  "Write `header`, `query` or `cookie`."}
	ruleOAuthFlow = parse.Rule{Code: "oauth_flow", Severity: wayfind.SeverityError,
		Means: "The flows of a scheme of OAuth 2.0 are not those that the version of the protocol has, or there are several.",
		Mend:  "Write one flow that the version of the card has. Declare another scheme for each further flow."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError,
		Means: "A URL of OAuth or OpenID Connect does not use TLS or holds a user, so it was ignored.",
		Mend:  "Write a URL that begins with `https://`, without a user before the host."}
	ruleSchemeConflict = parse.Rule{Code: "scheme_conflict", Severity: wayfind.SeverityError,
		Means: "The `type` of a scheme and the object that the scheme is in name different kinds.",
		Mend:  "Delete `type`, or write both notations of the same kind."}
	ruleSchemeMany = parse.Rule{Code: "scheme_many", Severity: wayfind.SeverityError,
		Means: "A scheme is of several kinds at once, and only the first was read.",
		Mend:  "Declare a scheme with a name of its own for each kind."}
	ruleSchemeName = parse.Rule{Code: "scheme_name", Severity: wayfind.SeverityWarning,
		Means: "A scheme that needs something is called `none`.",
		Mend:  "Give the scheme another name, and use it in the requirements too."}
	ruleSchemeNotation = parse.Rule{Code: "scheme_notation", Severity: wayfind.SeverityWarning,
		Means: "A scheme is written in the notation of another version of the protocol.",
		Mend:  "Write an object such as `httpAuthSecurityScheme` around the scheme since 1.0, and a `type` in it before."}
	ruleSchemeType = parse.Rule{Code: "scheme_type", Severity: wayfind.SeverityError,
		Means: "The type of a scheme is none that the protocol has.",
		Mend:  "Use one of the kinds of the protocol: API key, HTTP authentication, OAuth 2.0, OpenID Connect or mutual TLS."}
	ruleScopesNotation = parse.Rule{Code: "scopes_notation", Severity: wayfind.SeverityWarning,
		Means: "The scopes of a requirement stand in an array where an object with a list belongs.",
		Mend:  "Write `{\"list\": [...]}` around the scopes."}
	ruleUnknownScheme = parse.Rule{Code: "unknown_scheme", Severity: wayfind.SeverityError,
		Means: "A requirement names a scheme that the card does not declare.",
		Mend:  "Declare the scheme in `securitySchemes`, or mend its name."}
)

// The rules about the signatures of a card.
var (
	ruleSignature = parse.Rule{Code: "signature", Severity: wayfind.SeverityError,
		Means: "A signature or its protected header cannot be decoded, so it cannot be checked.",
		Mend:  "Encode both in base64url without padding. The header is a JSON object before it is encoded."}
	ruleSignatureAlg = parse.Rule{Code: "signature_alg", Severity: wayfind.SeverityError,
		Means: "The protected header of a signature names no algorithm, or one with which anybody who can check can also sign.",
		Mend:  "Sign with a private key and name its algorithm in `alg`, such as `ES256`."}
	ruleSignatureCrit = parse.Rule{Code: "signature_crit", Severity: wayfind.SeverityWarning,
		Means: "The protected header of a signature has `crit` or `b64`, and checkers that do not know these refuse the signature.",
		Mend:  "Sign without `crit` and `b64`."}
	ruleSignatureHeader = parse.Rule{Code: "signature_header", Severity: wayfind.SeverityWarning,
		Means: "The unprotected header of a signature names an algorithm or a key, which does not count because anybody can change it.",
		Mend:  "Move `alg`, `kid` and `jku` to the protected header."}
	ruleSignatureJKU = parse.Rule{Code: "signature_jku", Severity: wayfind.SeverityError,
		Means: "The place of the keys in the protected header of a signature is not a safe URL.",
		Mend:  "Write a URL in `jku` that begins with `https://` and a public host name, without a user."}
	ruleSignatureKey = parse.Rule{Code: "signature_key", Severity: wayfind.SeverityWarning,
		Means: "The key comes with the signature, which proves nothing, because whoever changes the card can change the key.",
		Mend:  "Leave out `jwk`, `x5u` and `x5c`. Publish the key at the URL in `jku`, and name it in `kid`."}
	ruleSignatureKid = parse.Rule{Code: "signature_kid", Severity: wayfind.SeverityError, Section: "§8.4.2",
		Means: "The protected header of a signature does not say which key it was made with.",
		Mend:  "Name the key in `kid`."}
	ruleSignatureTyp = parse.Rule{Code: "signature_typ", Severity: wayfind.SeverityWarning, Section: "§8.4.2",
		Means: "The type in the protected header of a signature is not the one that version 1.0 recommends.",
		Mend:  "Write `\"typ\": \"JOSE\"` into the protected header."}
)

// The rules of all formats that are reported here as well.
var (
	ruleEndpointHost = parse.ReaderRule("endpoint_host")
	ruleMediaType    = parse.ReaderRule("media_type")
	ruleWrongType    = parse.ReaderRule("wrong_type")
)
