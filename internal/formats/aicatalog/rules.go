package aicatalog

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleDigest, ruleDuplicate, ruleIdentifier, ruleIdentity, ruleLogo, ruleMCP, ruleMember, rulePlace, ruleRelative, ruleTime,
		ruleTruncated, ruleURL, ruleVersion,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"displayName": `"Book Shop"`,
		"identifier":  `"urn:air:shop.example.com:orders"`,
		"specVersion": `"1.0"`,
		"type":        `"application/mcp-server-card+json"`,
	}
}

// The rules of the format.
var (
	ruleDigest = parse.Rule{Code: "digest", Severity: wayfind.SeverityError, Section: secDigest,
		Means: "A digest is not `sha256:` and 64 hexadecimal digits in lower case, and not one of a stronger algorithm either. The entry is listed and not followed.",
		Mend:  "Write `sha256:` and the SHA-256 of the bytes at `url`, or of the canonical form (RFC 8785) of `data`."}
	ruleDuplicate = parse.Rule{Code: "duplicate", Severity: wayfind.SeverityError, Section: secEntry,
		Means: "Two entries have the same identifier and version. A client can take one for the other.",
		Mend:  "Give each entry an identifier of its own, or a version of its own."}
	ruleIdentifier = parse.Rule{Code: "identifier", Severity: wayfind.SeverityWarning, Section: secAir,
		Means: "An identifier begins with `urn:air:` and does not go on with a domain and a name.",
		Mend:  "Write `urn:air:`, the domain of the publisher in ASCII, a colon and a name."}
	ruleIdentity = parse.Rule{Code: "identity", Severity: wayfind.SeverityWarning, Section: secTrust,
		Means: "The identity of a trust manifest is not of the domain of the publisher.",
		Mend:  "Name an identity of the domain that stands in the identifier of the entry."}
	ruleLogo = parse.Rule{Code: "logo", Severity: wayfind.SeverityWarning, Section: secHost,
		Means: "The logo is a `data:` URL that is too large. It was left out.",
		Mend:  "Write the URL of a picture."}
	ruleMCP = parse.Rule{Code: "mcp_catalog", Severity: wayfind.SeverityInfo, Section: secDiscovery,
		Means: "The AI Catalog has replaced the MCP Catalog.",
		Mend:  "Serve the entries at `/.well-known/ai-catalog.json`. Fewer and fewer clients read the MCP Catalog."}
	ruleMember = parse.Rule{Code: "member", Severity: wayfind.SeverityWarning,
		Means: "A member has the name of an older draft, or a similar one. Other readers do not find it.",
		Mend:  "Give the member the name that the message says."}
	rulePlace = parse.Rule{Code: "place", Severity: wayfind.SeverityError, Section: secEntry,
		Means: "An entry has both `url` and `data`, or neither. It is listed and not followed.",
		Mend:  "Write one of the two."}
	ruleRelative = parse.Rule{Code: "relative_url", Severity: wayfind.SeverityWarning, Section: secEntry,
		Means: "The URL of an entry is relative. In a copy of the catalogue it leads elsewhere.",
		Mend:  "Write the whole URL."}
	ruleTime = parse.Rule{Code: "time", Severity: wayfind.SeverityWarning, Section: secEntry,
		Means: "A time is not written as RFC 3339 has it.",
		Mend:  "Write date, time and zone, as in `2026-09-01T12:00:00Z`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secCatalog,
		Means: "The catalogue has more entries than this program reads.",
		Mend:  "List at most 1,000 entries, and the others in catalogues of their own."}
	ruleURL = parse.Rule{Code: "url", Severity: wayfind.SeverityError, Section: secEntry,
		Means: "The URL of an entry cannot be used.",
		Mend:  "Write a whole URL that begins with `https://`, without a user name."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: secVersion,
		Means: "`specVersion` is a version that this program does not know, or it is not a major and a minor number.",
		Mend:  "Write the version of the specification that the catalogue follows, such as `1.0`."}
)

// The rules of all formats that this package reports as well.
var (
	ruleWrongType = parse.ReaderRule("wrong_type")
)
