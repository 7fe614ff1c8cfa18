package ucp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleArray, ruleAuthority, ruleBeside, ruleCaching, ruleDuplicate, ruleEntityName, ruleLeaf, ruleMap, ruleNewer,
		ruleNoTransport, rulePrivateKey, ruleRelative, ruleSlash, ruleSpec, ruleTransport, ruleTruncated, ruleVersion,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	const schema = `"https://ucp.dev/2026-08-25/schemas/shopping/checkout.json"`
	return map[string]string{
		"endpoint":         `"https://shop.example.com/ucp/v1"`,
		"id":               `"card"`,
		"kid":              `"key_2026"`,
		"kty":              `"EC"`,
		"name":             `"dev.ucp.shopping.checkout"`,
		"payment_handlers": `{}`,
		"schema":           schema,
		"services":         `{"dev.ucp.shopping": [{"version": "2026-08-25", "transport": "rest", "endpoint": "https://shop.example.com/ucp/v1"}]}`,
		"transport":        `"rest"`,
		"version":          `"2026-08-25"`,
	}
}

// The rules about the members of a profile.
var (
	ruleArray = parse.Rule{Code: "array", Severity: wayfind.SeverityError, Section: structure,
		Means: "An object stands where an array of objects belongs. It was read all the same.",
		Mend:  "Put the object into brackets. Write one object for each transport or version."}
	ruleAuthority = parse.Rule{Code: "authority", Severity: wayfind.SeverityError, Section: "Authority Binding",
		Means: "The schema of a service, capability or payment handler is not served by the owner of its name. Clients treat the entry as absent.",
		Mend:  "Serve the schema over https from the domain that the name begins with, written backwards: `com.example.loyalty` from `example.com`. Use the schemas of `ucp.dev` for names that begin with `dev.ucp.`."}
	ruleBeside = parse.Rule{Code: "beside", Severity: wayfind.SeverityError, Section: structure,
		Means: "A member that belongs into `ucp` stands beside it. It was read from there.",
		Mend:  "Move the member into `ucp`."}
	ruleCaching = parse.Rule{Code: "caching", Severity: wayfind.SeverityError, Section: "Hosting",
		Means: "The response does not allow caching for at least a minute.",
		Mend:  "Send `Cache-Control: public, max-age=60` or longer, without `private`, `no-store` and `no-cache`."}
	ruleDuplicate = parse.Rule{Code: "duplicate", Severity: wayfind.SeverityWarning, Section: "Capability",
		Means: "A capability is listed twice. The first one counts.",
		Mend:  "List each capability once."}
	ruleEntityName = parse.Rule{Code: "entity_name", Severity: wayfind.SeverityError, Section: "Naming Convention",
		Means: "The name of a service, capability or payment handler is not a domain in reverse with a name behind it, in lower case.",
		Mend:  "Write a name such as `dev.ucp.shopping.checkout`, or `com.example.loyalty` for your own."}
	ruleLeaf = parse.Rule{Code: "leaf", Severity: wayfind.SeverityError, Section: "Protocol Version",
		Means: "The profile of an older version lists versions itself. They were ignored.",
		Mend:  "List versions in `/.well-known/ucp` only."}
	ruleMap = parse.Rule{Code: "map", Severity: wayfind.SeverityError, Section: structure,
		Means: "An array stands where an object belongs, whose members are named like the capabilities. It was read all the same.",
		Mend:  "Write `{\"NAME\": [{\"version\": ...}]}`. The first releases had an array."}
	ruleNewer = parse.Rule{Code: "newer", Severity: wayfind.SeverityInfo, Section: "Protocol Version",
		Means: "The profile has a version that this program does not know. It was read as the newest one that it knows.",
		Mend:  "Nothing needs to change. Older clients are helped by `supported_versions`."}
	ruleNoTransport = parse.Rule{Code: "no_transport", Severity: wayfind.SeverityError, Section: "Service",
		Means: "A service has no transport, so that no client can speak with it.",
		Mend:  "Write an array of objects, each with `transport` and `endpoint`."}
	rulePrivateKey = parse.Rule{Code: "private_key", Severity: wayfind.SeverityError, Section: structure,
		Means: "A key has a member that only its owner may know. Every reader of the profile can sign with it. It was left out.",
		Mend:  "Withdraw the key at once, and publish a new one without the members `d`, `p`, `q`, `dp`, `dq`, `qi`, `oth` and `k`."}
	ruleRelative = parse.Rule{Code: "relative", Severity: wayfind.SeverityError, Section: "Endpoint Resolution",
		Means: "An endpoint is no full URL. It was resolved against the profile.",
		Mend:  "Write the whole URL, beginning with `https://`."}
	ruleSlash = parse.Rule{Code: "slash", Severity: wayfind.SeverityWarning, Section: "Endpoint Resolution",
		Means: "An endpoint ends in a slash. Paths are appended to it, so that two slashes come together.",
		Mend:  "Remove the slash at the end."}
	ruleSpec = parse.Rule{Code: "spec", Severity: wayfind.SeverityError, Section: "Authority Binding",
		Means: "The URL of a specification is not an https URL.",
		Mend:  "Write a URL that begins with `https://`. Any host will do."}
	ruleTransport = parse.Rule{Code: "transport", Severity: wayfind.SeverityError, Section: "Service",
		Means: "A transport is none of those that the specification names.",
		Mend:  "Write `rest`, `mcp`, `a2a` or `embedded`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: structure,
		Means: "There are more entries than this program reads. The others are ignored.",
		Mend:  "List what the shop offers only."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "Protocol Version",
		Means: "A version of the protocol is not a date.",
		Mend:  "Write the version as a date, such as `2026-08-25`."}
)
