package a2a

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers.
func rules() []parse.Rule {
	list := slices.Concat(cardRules(), interfaceRules(), schemeRules(), signatureRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// cardRules are about the card as a whole and its skills.
func cardRules() []parse.Rule {
	return []parse.Rule{
		{Code: "detail_name", Means: "The extended card is about an agent of another name than the public card that leads to it.",
			Mend: "Write the same `name` in both cards."},
		{Code: "duplicate_id", Means: "Two skills have the same ID.",
			Mend: "Give every skill an `id` of its own."},
		{Code: "empty", Means: "A list that must have an element is empty.",
			Mend: "Put at least one element into the list."},
		{Code: "extension_uri", Means: "An extension is named by something that is not a URI.",
			Mend: "Write the URI of the extension in `uri`."},
		{Code: "id_empty", Means: "The ID of a skill is empty, so the skill was left out.",
			Mend: "Write an ID for the skill."},
		{Code: "mode", Means: "An input or output mode is not a media type.",
			Mend: "Write a media type such as `text/plain` or `application/json`."},
		{Code: "no_interface", Means: "The card names no place where the agent can be spoken to, so it cannot be used.",
			Mend: "List at least one interface with a `url` that can be used in `supportedInterfaces`, or write `url` before version 1.0."},
		{Code: "not_available", Means: "The card says that the agent is not available.",
			Mend: "Delete `available` when the agent works. Serve no card as long as it does not."},
		{Code: "snake_case", Means: "A member is named with an underscore where the protocol has camelCase, so it was not read.",
			Mend: "Rename it as the message says: JSON has other names than the Protobuf text."},
		{Code: "truncated", Means: "There are more entries in a list, or more scopes that skills repeat, than are read.",
			Mend: "Shorten the list to what the message says was read. Where it speaks of flows, let fewer skills name the same schemes."},
		{Code: "version", Means: "The version of the protocol is not a known one, or not that by whose rules the card is written.",
			Mend: "Write the version that the card follows, as major and minor number since 1.0: `1.0`."},
		{Code: "version_member", Means: "A member is of another version of the protocol than the rest of the card.",
			Mend: "Write what the message names instead. For clients of both versions, write the members of both."},
	}
}

// interfaceRules are about the places where an agent is spoken to.
func interfaceRules() []parse.Rule {
	return []parse.Rule{
		{Code: "binding", Means: "The binding or transport of an interface is none of those of the protocol, or is spelt differently.",
			Mend: "Write `JSONRPC`, `GRPC` or `HTTP+JSON` exactly so, or the URI of another binding."},
		{Code: "duplicate_interface", Means: "The same interface stands in the list twice.",
			Mend: "Delete one of the two."},
		{Code: "endpoint", Means: "The `url` of an interface is not one that programs can go to, so the interface was left out.",
			Mend: "Write a whole `https://` URL."},
		{Code: "endpoint_relative", Means: "The `url` of an interface is not absolute, so it depends on where the card was found.",
			Mend: "Write the whole URL, with `https://` and the host."},
		{Code: "grpc_address", Means: "The address of a gRPC interface is not a host and a port.",
			Mend: "Write the host and the port alone, as in `grpc.example.com:443`."},
		{Code: "interface_protocol", Means: "An interface in the list speaks another protocol than A2A.",
			Mend: "List interfaces of A2A only, and describe the others in the documents of their own protocols."},
		{Code: "interface_transport", Means: "An interface has the member `transport`, which is called `protocolBinding` in version 1.0.",
			Mend: "Rename `transport` to `protocolBinding`."},
		{Code: "main_interface", Means: "The list `additionalInterfaces` does not repeat the main interface of the card.",
			Mend: "Add an entry with the `url` and `preferredTransport` of the card."},
		{Code: "transport_conflict", Means: "The same URL stands for two transports.",
			Mend: "Give each transport a URL of its own."},
	}
}

// schemeRules are about what calls need.
func schemeRules() []parse.Rule {
	return []parse.Rule{
		{Code: "credentials", Means: "The card holds credentials, which everybody can read.",
			Mend: "Delete them and revoke them, and tell callers on the way that `authentication` describes."},
		{Code: "http_scheme", Means: "The name of a scheme of HTTP authentication is not one, so it was ignored.",
			Mend: "Write the name alone, such as `Bearer` or `Basic`."},
		{Code: "key_name", Means: "The name of the query parameter or cookie for a key cannot be used, so it was ignored.",
			Mend: "Write a short name of letters, digits, dashes and underscores."},
		{Code: "key_place", Means: "It is not said in a known word where a key goes.",
			Mend: "Write `header`, `query` or `cookie`."},
		{Code: "oauth_flow", Means: "The flows of a scheme of OAuth 2.0 are not those that the version of the protocol has, or there are several.",
			Mend: "Write one flow that the version of the card has. Declare another scheme for each further flow."},
		{Code: "oauth_url", Means: "A URL of OAuth or OpenID Connect does not use TLS or holds a user, so it was ignored.",
			Mend: "Write a URL that begins with `https://`, without a user before the host."},
		{Code: "scheme_conflict", Means: "The `type` of a scheme and the object that the scheme is in name different kinds.",
			Mend: "Delete `type`, or write both notations of the same kind."},
		{Code: "scheme_many", Means: "A scheme is of several kinds at once, and only the first was read.",
			Mend: "Declare a scheme with a name of its own for each kind."},
		{Code: "scheme_name", Means: "A scheme that needs something is called `none`.",
			Mend: "Give the scheme another name, and use it in the requirements too."},
		{Code: "scheme_notation", Means: "A scheme is written in the notation of another version of the protocol.",
			Mend: "Write an object such as `httpAuthSecurityScheme` around the scheme since 1.0, and a `type` in it before."},
		{Code: "scheme_type", Means: "The type of a scheme is none that the protocol has.",
			Mend: "Use one of the kinds of the protocol: API key, HTTP authentication, OAuth 2.0, OpenID Connect or mutual TLS."},
		{Code: "scopes_notation", Means: "The scopes of a requirement stand in an array where an object with a list belongs.",
			Mend: "Write `{\"list\": [...]}` around the scopes."},
		{Code: "unknown_scheme", Means: "A requirement names a scheme that the card does not declare.",
			Mend: "Declare the scheme in `securitySchemes`, or mend its name."},
	}
}

// signatureRules are about the signatures of a card.
func signatureRules() []parse.Rule {
	return []parse.Rule{
		{Code: "signature", Means: "A signature or its protected header cannot be decoded, so it cannot be checked.",
			Mend: "Encode both in base64url without padding. The header is a JSON object before it is encoded."},
		{Code: "signature_alg", Means: "The protected header of a signature names no algorithm, or one with which anybody who can check can also sign.",
			Mend: "Sign with a private key and name its algorithm in `alg`, such as `ES256`."},
		{Code: "signature_crit", Means: "The protected header of a signature has `crit` or `b64`, and checkers that do not know these refuse the signature.",
			Mend: "Sign without `crit` and `b64`."},
		{Code: "signature_header", Means: "The unprotected header of a signature names an algorithm or a key, which does not count because anybody can change it.",
			Mend: "Move `alg`, `kid` and `jku` to the protected header."},
		{Code: "signature_jku", Means: "The place of the keys in the protected header of a signature is not a safe URL.",
			Mend: "Write a URL in `jku` that begins with `https://` and a public host name, without a user."},
		{Code: "signature_key", Means: "The key comes with the signature, which proves nothing, because whoever changes the card can change the key.",
			Mend: "Leave out `jwk`, `x5u` and `x5c`. Publish the key at the URL in `jku`, and name it in `kid`."},
		{Code: "signature_kid", Means: "The protected header of a signature does not say which key it was made with.",
			Mend: "Name the key in `kid`."},
		{Code: "signature_typ", Means: "The type in the protected header of a signature is not the one that version 1.0 recommends.",
			Mend: "Write `\"typ\": \"JOSE\"` into the protected header."},
	}
}
