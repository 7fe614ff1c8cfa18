package aid

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAuth, ruleEnd, ruleEndpoint, ruleEnds, ruleKey, ruleKeyID, ruleLocal, ruleLong, ruleProof, ruleProtocol, ruleRedirect, ruleTwice, ruleVersion,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"p": `"mcp"`,
		"u": `"https://mcp.shop.example.com/mcp"`,
		"v": `"aid2"`,
	}
}

// The rules of the format.
var (
	ruleAuth = parse.Rule{Code: "auth", Severity: wayfind.SeverityWarning, Section: secRecord,
		Means: "The kind of credential is none that the specification defines. How it is sent is not known.",
		Mend:  "Write one of `none`, `pat`, `apikey`, `basic`, `oauth2_device`, `oauth2_code`, `mtls` and `custom`."}
	ruleEnd = parse.Rule{Code: "end", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "The end of the endpoint is no time.",
		Mend:  "Write the time in UTC, in the form `2027-01-31T00:00:00Z`."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "The endpoint cannot be used with the protocol of the record.",
		Mend:  "Write an absolute `https://` URL, `wss://` for the protocol `websocket`, and a package such as `docker:shop/mcp` for `local`."}
	ruleEnds = parse.Rule{Code: "ends", Severity: wayfind.SeverityWarning, Section: secRecord,
		Means: "The record says when its endpoint ends.",
		Mend:  "Remove the key, or publish the endpoint that follows."}
	ruleKey = parse.Rule{Code: "key", Severity: wayfind.SeverityError, Section: "PKA",
		Means: "The key is not written as the version of the record does it.",
		Mend:  "Write the 32 bytes of the Ed25519 key in base64url, without padding."}
	ruleKeyID = parse.Rule{Code: "key_id", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "A record of version 2 has the ID of a key, which only version 1 has, or a key of version 1 has none.",
		Mend:  "Remove `i` or `kid` from version 2, in which the ID follows from the key (RFC 7638)."}
	ruleLocal = parse.Rule{Code: "local", Severity: wayfind.SeverityInfo, Section: secRecord,
		Means: "The endpoint is in the local network of its user. It is not looked for.",
		Mend:  "The record needs no change."}
	ruleLong = parse.Rule{Code: "long", Severity: wayfind.SeverityWarning, Section: secRecord,
		Means: "The description is longer than the record of DNS allows.",
		Mend:  "Write at most 60 bytes."}
	ruleProof = parse.Rule{Code: "proof", Severity: wayfind.SeverityInfo, Section: "PKA",
		Means: "The record has a key that the endpoint can prove to hold. This library does not ask for the proof.",
		Mend:  "The record needs no change."}
	ruleProtocol = parse.Rule{Code: "protocol", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "The protocol is none that the specification defines. The endpoint is listed, and its calls are not known.",
		Mend:  "Write one of `mcp`, `a2a`, `openapi`, `grpc`, `graphql`, `websocket`, `ucp`, `local` and `zeroconf`."}
	ruleRedirect = parse.Rule{Code: "redirect", Severity: wayfind.SeverityError, Section: secFallback,
		Means: "A redirect led to the record. Clients must not follow it, so that the record is that of the host itself.",
		Mend:  "Serve the record at `/.well-known/agent` of each host, without a redirect."}
	ruleTwice = parse.Rule{Code: "twice", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "A key stands in the record in its short and in its long form. If the values differ, the record is not used.",
		Mend:  "Keep one form of the key."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: secRecord,
		Means: "The version of the record is not known.",
		Mend:  "Write `aid2`."}
)
