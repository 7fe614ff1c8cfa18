package a2a

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBinding, ruleCredentials, ruleDetailName, ruleDuplicateID, ruleDuplicateInterface, ruleEmpty, ruleEndpoint,
		ruleEndpointRelative, ruleExtensionURI, ruleFolded, ruleGRPCAddress, ruleHTTPScheme, ruleIDEmpty, ruleInterfaceProtocol,
		ruleInterfaceTransport, ruleKeyName, ruleKeyPlace, ruleMainInterface, ruleMode, ruleNoInterface, ruleNotAvailable,
		ruleOAuthFlow, ruleOAuthURL, ruleSchemeConflict, ruleSchemeEmpty, ruleSchemeMany, ruleSchemeName, ruleSchemeNotation,
		ruleSchemeType, ruleScopesNotation, ruleSignature, ruleSignatureAlg, ruleSignatureCrit, ruleSignatureHeader,
		ruleSignatureJKU, ruleSignatureKey, ruleSignatureKid, ruleSignatureTyp, ruleSnakeCase, ruleTransportConflict,
		ruleTruncated, ruleUnknownScheme, ruleVersion, ruleVersionMember,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"authorizationUrl":       `"https://auth.example.com/authorize"`,
		"capabilities":           `{"streaming": true}`,
		"defaultInputModes":      `["text/plain"]`,
		"defaultOutputModes":     `["text/plain"]`,
		"description":            `"Finds and books flights."`,
		"deviceAuthorizationUrl": `"https://auth.example.com/device"`,
		"flows":                  `{"authorizationCode": {"authorizationUrl": "https://auth.example.com/authorize", "tokenUrl": "https://auth.example.com/token", "scopes": {}}}`,
		"id":                     `"find_flights"`,
		"in":                     `"header"`,
		"location":               `"header"`,
		"name":                   `"Flight finder"`,
		"openIdConnectUrl":       `"https://auth.example.com/.well-known/openid-configuration"`,
		"organization":           `"Example Ltd"`,
		"preferredTransport":     `"JSONRPC"`,
		"protected":              `"eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0"`,
		"protocolBinding":        `"JSONRPC"`,
		"protocolVersion":        `"0.3.0"`,
		"scheme":                 `"Bearer"`,
		"schemes":                `{"bearer": {"list": []}}`,
		"scopes":                 `{"orders:read": "Read orders"}`,
		"signature":              `"QFdkNLNszlGj3z3u0YQGt_T9LixY3qtdQpZmsTdDHDe3fXV9y9-B3m2-XgCpzuhiLt8E0tV6HXoZKHv4GtHgKQ"`,
		"skills":                 `[{"id": "find_flights", "name": "Find flights", "description": "Finds flights between two cities.", "tags": ["travel"]}]`,
		"supportedInterfaces":    `[{"url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`,
		"tags":                   `["travel"]`,
		"tokenUrl":               `"https://auth.example.com/token"`,
		"transport":              `"JSONRPC"`,
		"type":                   `"http"`,
		"uri":                    `"https://example.com/extensions/timing/v1"`,
		"url":                    `"https://agent.example.com/a2a"`,
		"version":                `"1.0.0"`,
	}
}

// The rules about the card as a whole and its skills.
var (
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning,
		Means: "The extended card names another agent than the public card that leads to it.",
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
	ruleFolded = parse.Rule{Code: "folded", Severity: wayfind.SeverityError,
		Means: "A choice is written as `$case` and `value`, which is how the TypeScript SDK holds it in memory. Other clients find no authentication there.",
		Mend:  "Write the value under its name, for example `\"bearer\": {\"httpAuthSecurityScheme\": {\"scheme\": \"Bearer\"}}`. With @a2a-js/sdk, serve `AgentCard.toJSON(card)` in place of the card itself."}
	ruleIDEmpty = parse.Rule{Code: "id_empty", Severity: wayfind.SeverityError,
		Means: "A skill has an empty ID. It was left out.",
		Mend:  "Write an ID for the skill."}
	ruleMode = parse.Rule{Code: "mode", Severity: wayfind.SeverityWarning,
		Means: "An input or output mode is not a media type.",
		Mend:  "Write a media type such as `text/plain` or `application/json`."}
	ruleNoInterface = parse.Rule{Code: "no_interface", Severity: wayfind.SeverityError,
		Means: "The card names no address of the agent. It cannot be used.",
		Mend:  "List at least one interface with a `url` that can be used in `supportedInterfaces`, or write `url` before version 1.0."}
	ruleNotAvailable = parse.Rule{Code: "not_available", Severity: wayfind.SeverityWarning,
		Means: "The card says that the agent is not available.",
		Mend:  "Remove `available` when the agent works. Serve no card until then."}
	ruleSnakeCase = parse.Rule{Code: "snake_case", Severity: wayfind.SeverityWarning,
		Means: "A member name has underscores where the protocol uses camelCase. The member was not read.",
		Mend:  "Rename it as the message says: JSON has other names than the Protobuf text."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "A list has more entries, or skills repeat more scopes, than this program reads.",
		Mend:  "Shorten the list to the number in the message. If the message is about flows, let fewer skills name the same schemes."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityWarning, Section: "§3.6",
		Means: "The version of the protocol is unknown, or it is not the version whose rules the card follows.",
		Mend:  "Write the version that the card follows, as major and minor number since 1.0: `1.0`."}
	ruleVersionMember = parse.Rule{Code: "version_member", Severity: wayfind.SeverityWarning,
		Means: "A member belongs to another version of the protocol than the rest of the card.",
		Mend:  "Write the member that the message names instead. For clients of both versions, write the members of both."}
)

// The rules about interfaces.
var (
	ruleBinding = parse.Rule{Code: "binding", Severity: wayfind.SeverityError,
		Means: "The binding or transport of an interface is unknown or misspelt.",
		Mend:  "Write exactly `JSONRPC`, `GRPC` or `HTTP+JSON`, or the URI of another binding."}
	ruleDuplicateInterface = parse.Rule{Code: "duplicate_interface", Severity: wayfind.SeverityWarning,
		Means: "The list has the same interface twice.",
		Mend:  "Remove one of the two."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError,
		Means: "The `url` of an interface cannot be used. The interface was left out.",
		Mend:  "Write a whole `https://` URL."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityWarning,
		Means: "The `url` of an interface is relative. Its meaning depends on where the card was found.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleGRPCAddress = parse.Rule{Code: "grpc_address", Severity: wayfind.SeverityError,
		Means: "The address of a gRPC interface is not a host and a port.",
		Mend:  "Write the host and the port alone, as in `grpc.example.com:443`."}
	ruleInterfaceProtocol = parse.Rule{Code: "interface_protocol", Severity: wayfind.SeverityError,
		Means: "An interface in the list uses another protocol than A2A.",
		Mend:  "List interfaces of A2A only, and describe the others in the documents of their own protocols."}
	ruleInterfaceTransport = parse.Rule{Code: "interface_transport", Severity: wayfind.SeverityError,
		Means: "An interface has the member `transport`. Version 1.0 calls it `protocolBinding`.",
		Mend:  "Rename `transport` to `protocolBinding`."}
	ruleMainInterface = parse.Rule{Code: "main_interface", Severity: wayfind.SeverityWarning,
		Means: "The list `additionalInterfaces` does not repeat the main interface of the card.",
		Mend:  "Add an entry with the `url` and `preferredTransport` of the card."}
	ruleTransportConflict = parse.Rule{Code: "transport_conflict", Severity: wayfind.SeverityError,
		Means: "Two transports have the same URL.",
		Mend:  "Give each transport a URL of its own."}
)

// The rules about authentication.
var (
	ruleCredentials = parse.Rule{Code: "credentials", Severity: wayfind.SeverityWarning,
		Means: "The card contains credentials. Every reader of the card can use them.",
		Mend:  "Remove and revoke the credentials. Give new ones to callers in the way that `authentication` describes."}
	ruleHTTPScheme = parse.Rule{Code: "http_scheme", Severity: wayfind.SeverityError,
		Means: "A scheme of HTTP authentication has an invalid name. It was ignored.",
		Mend:  "Write the name alone, such as `Bearer` or `Basic`."}
	ruleKeyName = parse.Rule{Code: "key_name", Severity: wayfind.SeverityError,
		Means: "The query parameter or cookie for a key has an invalid name. It was ignored.",
		Mend:  "Write a short name of letters, digits, dashes and underscores."}
	ruleKeyPlace = parse.Rule{Code: "key_place", Severity: wayfind.SeverityError,
		Means: "The place of a key is unknown.",
		Mend:  "Write `header`, `query` or `cookie`."}
	ruleOAuthFlow = parse.Rule{Code: "oauth_flow", Severity: wayfind.SeverityError,
		Means: "An OAuth 2.0 scheme has a flow that this version of the protocol does not define, or several flows.",
		Mend:  "Write one flow that the version of the card has. Declare another scheme for each further flow."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError,
		Means: "A URL of OAuth or OpenID Connect does not use TLS or contains a user name. It was ignored.",
		Mend:  "Write a URL that begins with `https://`, without a user before the host."}
	ruleSchemeConflict = parse.Rule{Code: "scheme_conflict", Severity: wayfind.SeverityError,
		Means: "The `type` of a scheme contradicts the object that contains the scheme.",
		Mend:  "Remove `type`, or write both notations of the same kind."}
	ruleSchemeEmpty = parse.Rule{Code: "scheme_empty", Severity: wayfind.SeverityError,
		Means: "A security scheme names no kind of authentication. Clients cannot use it.",
		Mend:  "Put the scheme into the member of its kind, for example `\"bearer\": {\"httpAuthSecurityScheme\": {\"scheme\": \"Bearer\"}}`."}
	ruleSchemeMany = parse.Rule{Code: "scheme_many", Severity: wayfind.SeverityError,
		Means: "A scheme has several kinds. Only the first was read.",
		Mend:  "Declare a scheme with a name of its own for each kind."}
	ruleSchemeName = parse.Rule{Code: "scheme_name", Severity: wayfind.SeverityWarning,
		Means: "A scheme that requires authentication is called `none`.",
		Mend:  "Give the scheme another name, and use it in the requirements too."}
	ruleSchemeNotation = parse.Rule{Code: "scheme_notation", Severity: wayfind.SeverityWarning,
		Means: "A scheme is written in the notation of another version of the protocol.",
		Mend:  "Since version 1.0, wrap the scheme in an object such as `httpAuthSecurityScheme`. In earlier versions, give it a `type`."}
	ruleSchemeType = parse.Rule{Code: "scheme_type", Severity: wayfind.SeverityError,
		Means: "The protocol does not define the type of a scheme.",
		Mend:  "Use one of the kinds of the protocol: API key, HTTP authentication, OAuth 2.0, OpenID Connect or mutual TLS."}
	ruleScopesNotation = parse.Rule{Code: "scopes_notation", Severity: wayfind.SeverityWarning,
		Means: "The scopes of a requirement are an array. An object with a list is required.",
		Mend:  "Write `{\"list\": [...]}` around the scopes."}
	ruleUnknownScheme = parse.Rule{Code: "unknown_scheme", Severity: wayfind.SeverityError,
		Means: "A requirement names a scheme that the card does not declare.",
		Mend:  "Declare the scheme in `securitySchemes`, or correct its name."}
)

// The rules about the signatures of a card.
var (
	ruleSignature = parse.Rule{Code: "signature", Severity: wayfind.SeverityError,
		Means: "A signature or its protected header cannot be decoded. The signature cannot be checked.",
		Mend:  "Encode both in base64url without padding. The header is a JSON object before it is encoded."}
	ruleSignatureAlg = parse.Rule{Code: "signature_alg", Severity: wayfind.SeverityError,
		Means: "The protected header of a signature names no algorithm, or a symmetric one. Everyone who can check such a signature can also forge it.",
		Mend:  "Sign with a private key and name its algorithm in `alg`, such as `ES256`."}
	ruleSignatureCrit = parse.Rule{Code: "signature_crit", Severity: wayfind.SeverityWarning,
		Means: "The protected header of a signature has `crit` or `b64`. Readers that do not support these refuse the signature.",
		Mend:  "Sign without `crit` and `b64`."}
	ruleSignatureHeader = parse.Rule{Code: "signature_header", Severity: wayfind.SeverityWarning,
		Means: "The unprotected header of a signature names an algorithm or a key. Such a name does not count, because it is not signed.",
		Mend:  "Move `alg`, `kid` and `jku` to the protected header."}
	ruleSignatureJKU = parse.Rule{Code: "signature_jku", Severity: wayfind.SeverityError,
		Means: "The key URL in the protected header of a signature is not safe.",
		Mend:  "Write a URL in `jku` that begins with `https://` and a public host name, without a user."}
	ruleSignatureKey = parse.Rule{Code: "signature_key", Severity: wayfind.SeverityWarning,
		Means: "The signature carries its own key, which proves nothing: an attacker who changes the card can change the key as well.",
		Mend:  "Leave out `jwk`, `x5u` and `x5c`. Publish the key at the URL in `jku`, and name it in `kid`."}
	ruleSignatureKid = parse.Rule{Code: "signature_kid", Severity: wayfind.SeverityError, Section: "§8.4.2",
		Means: "The protected header of a signature does not name the key.",
		Mend:  "Name the key in `kid`."}
	ruleSignatureTyp = parse.Rule{Code: "signature_typ", Severity: wayfind.SeverityWarning, Section: "§8.4.2",
		Means: "The type in the protected header of a signature is not the one that version 1.0 recommends.",
		Mend:  "Write `\"typ\": \"JOSE\"` into the protected header."}
)

// The rules of all formats that this package reports as well.
var (
	ruleEndpointHost = parse.ReaderRule("endpoint_host")
	ruleMediaType    = parse.ReaderRule("media_type")
	ruleWrongType    = parse.ReaderRule("wrong_type")
)
