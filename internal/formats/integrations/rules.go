package integrations

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBasis, ruleCredentialID, ruleCredentialType, ruleMechanics, ruleNoHost, rulePlace, ruleStatus, ruleTransport, ruleTruncated,
		ruleType, ruleVariable, ruleVersion,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"auth":         `{"status": "unknown"}`,
		"headerName":   `"X-API-Key"`,
		"id":           `"shop_api_key"`,
		"identifier":   `"shop-cli"`,
		"label":        `"Shop API key"`,
		"mechanics":    `{"source": "http", "in": "header", "headerName": "Authorization", "scheme": "Bearer"}`,
		"name":         `"Shop API"`,
		"paramName":    `"api_key"`,
		"registryType": `"npm"`,
		"slug":         `"shop-api"`,
		"source":       `"well-known"`,
		"status":       `"none"`,
		"surfaces":     `[{"slug": "shop-api", "name": "Shop API", "type": "http", "url": "https://api.shop.example.com", "auth": {"status": "none"}}]`,
		"type":         `"http"`,
		"url":          `"https://mcp.shop.example.com/mcp"`,
		"use":          `[{"id": "shop_api_key", "mechanics": {"source": "unknown"}}]`,
		"version":      `3`,
	}
}

// The rules of the format.
var (
	ruleBasis = parse.Rule{Code: "basis", Severity: wayfind.SeverityInfo, Section: "surfaces.basis",
		Means: "The basis of a surface is not `declared`: the entry comes from a record that another party has written.",
		Mend:  "Write `{\"via\": \"declared\"}` with the URL of this document as the `source`."}
	ruleCredentialID = parse.Rule{Code: "credential_id", Severity: wayfind.SeverityWarning, Section: "surfaces.auth.entries",
		Means: "A surface takes a credential that the document does not define.",
		Mend:  "Define the credential under this ID in `credentials`."}
	ruleCredentialType = parse.Rule{Code: "credential_type", Severity: wayfind.SeverityWarning, Section: "credentials.type",
		Means: "The type of a credential is none that the format defines. How it is sent is not known.",
		Mend:  "Write a type of the format, such as `api_key`, `bearer`, `basic` or `oauth2`."}
	ruleMechanics = parse.Rule{Code: "mechanics", Severity: wayfind.SeverityWarning, Section: "mechanics.source",
		Means: "The source of a credential's mechanics is none that the format defines.",
		Mend:  "Write `http` with the place of the credential, or `well-known` for OAuth of an MCP server."}
	ruleNoHost = parse.Rule{Code: "no_host", Severity: wayfind.SeverityInfo, Section: "surfaces.url",
		Means: "The URL of a surface is a variable alone, so that no agent knows the host before it has an account.",
		Mend:  "Write as much of the URL as all accounts share, such as `https://{account}.shop.example.com`."}
	rulePlace = parse.Rule{Code: "place", Severity: wayfind.SeverityWarning, Section: "mechanics.in",
		Means: "A credential goes into a part of the request in which clients send none.",
		Mend:  "Accept the credential in a header field, and write `\"in\": \"header\"`."}
	ruleStatus = parse.Rule{Code: "status", Severity: wayfind.SeverityWarning, Section: "surfaces.auth.status",
		Means: "The status of the authentication is none that the format defines, or contradicts the entries.",
		Mend:  "Write `none`, `required` or `unknown`, and entries with `required` only."}
	ruleTransport = parse.Rule{Code: "transport", Severity: wayfind.SeverityError, Section: "surfaces.transports",
		Means: "A transport of an MCP server is neither `streamable-http` nor `sse`.",
		Mend:  "Write `[\"streamable-http\"]`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "There are more entries than this program reads. The rest was ignored.",
		Mend:  "List fewer."}
	ruleType = parse.Rule{Code: "type", Severity: wayfind.SeverityWarning, Section: "surfaces.type",
		Means: "The type of a surface is none that the format defines.",
		Mend:  "Write `http`, `graphql`, `mcp` or `cli`."}
	ruleVariable = parse.Rule{Code: "variable", Severity: wayfind.SeverityWarning, Section: "surfaces.variables",
		Means: "The variables of a URL are not written as `{name}`. They were read in angle brackets.",
		Mend:  "Write each variable as `{name}`, and describe it in `variables`."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityWarning, Section: "version",
		Means: "The version is not the number 3. The document was read as version 3.",
		Mend:  "Write `\"version\": 3`."}
)

// The rules of all formats that this package reports as well.
var (
	ruleBadURL    = parse.ReaderRule("bad_url")
	ruleWrongType = parse.ReaderRule("wrong_type")
)
