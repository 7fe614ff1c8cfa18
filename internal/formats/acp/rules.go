package acp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleDuplicateService, ruleLatest, ruleMCPAddress, ruleMerchant, ruleName, ruleNoRest, ruleServiceObject, ruleServiceWord,
		ruleTransportWord, ruleTruncated, ruleVersionDate, ruleVersionOrder,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"api_base_url":       `"https://shop.example.com/api"`,
		"capabilities":       `{"services": ["checkout"]}`,
		"name":               `"checkout"`,
		"services":           `["checkout", "orders"]`,
		"supported_versions": `["2025-09-29", "2026-01-30"]`,
		"transports":         `["rest"]`,
		"version":            `"2026-01-30"`,
	}
}

// The rules about the members of a document.
var (
	ruleDuplicateService = parse.Rule{Code: "duplicate_service", Severity: wayfind.SeverityWarning, Section: "§4.2",
		Means: "A service is listed twice. The second one was ignored.",
		Mend:  "List each service once."}
	ruleLatest = parse.Rule{Code: "latest", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "`protocol.version` is not the latest of the supported versions. The latest date was taken.",
		Mend:  "Write the latest version into `protocol.version`, and list it in `supported_versions`."}
	ruleMCPAddress = parse.Rule{Code: "mcp_address", Severity: wayfind.SeverityInfo, Section: "§4.2",
		Means: "The document offers the transport `mcp`, and the format has no place for its address.",
		Mend:  "Publish the address of the MCP server in a document of MCP."}
	ruleMerchant = parse.Rule{Code: "merchant", Severity: wayfind.SeverityError, Section: "§7.1",
		Means: "The document names a merchant. It is public, so it must hold no identifier and no configuration of merchants.",
		Mend:  "Remove the member that the message names."}
	ruleName = parse.Rule{Code: "name", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "The name of the protocol is not written in lower case.",
		Mend:  "Write `\"name\": \"acp\"`."}
	ruleNoRest = parse.Rule{Code: "no_rest", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "The list of transports lacks `rest`, which every platform has to support. The API was read as one of HTTP.",
		Mend:  "Write `\"transports\": [\"rest\"]`, with other transports behind it."}
	ruleServiceObject = parse.Rule{Code: "service_object", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "A service is an object. The specification has a word for each service. The name was read as that word.",
		Mend:  "List the words `checkout`, `orders`, `delegate_payment` and `carts` only, as strings."}
	ruleServiceWord = parse.Rule{Code: "service_word", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "A service is none of those that the specification defines. Agents do not know how to call it.",
		Mend:  "List the services of the specification only. Describe other offers in another document."}
	ruleTransportWord = parse.Rule{Code: "transport_word", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "A transport is neither `rest` nor `mcp`. It was ignored.",
		Mend:  "Write `rest`, and `mcp` if there is an MCP server. An API over HTTPS is `rest`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§4.2",
		Means: "There are more services than this program reads.",
		Mend:  "List the services of the specification only."}
	ruleVersionDate = parse.Rule{Code: "version_date", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "A version is not a date.",
		Mend:  "Write a version of the protocol as a date, such as `2026-01-30`."}
	ruleVersionOrder = parse.Rule{Code: "version_order", Severity: wayfind.SeverityError, Section: "§4.2",
		Means: "The supported versions are not in chronological order. The latest date was taken, wherever it stands.",
		Mend:  "List the oldest version first and the latest one last."}
)
