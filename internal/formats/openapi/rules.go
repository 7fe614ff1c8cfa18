package openapi

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBasePath, ruleCallback, ruleDuplicateID, ruleDuplicateParam, ruleFlow, ruleHost, ruleNoOperation, ruleParamIgnored,
		ruleParamIn, ruleParamNames, rulePath, rulePathAlike, rulePathOptional, rulePathParam, rulePathQuery, ruleRefLimit,
		ruleRequiredCase, ruleRequiredUnknown, ruleResponses, ruleScheme, ruleSchemeIn, ruleSchemeType, ruleSecurityUndefined, ruleServer,
		ruleTruncated, ruleUnplacedInput, ruleUnreadInput, ruleUnused, ruleVersion, ruleWebhook,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"authorizationUrl": `"https://auth.example.com/authorize"`,
		"content":          `{"application/json": {"schema": {"type": "object"}}}`,
		"default":          `"v1"`,
		"flow":             `"accessCode"`,
		"flows":            `{"clientCredentials": {"tokenUrl": "https://auth.example.com/token", "scopes": {}}}`,
		"in":               `"query"`,
		"info":             `{"title": "Book shop", "version": "1.0.0"}`,
		"name":             `"limit"`,
		"openIdConnectUrl": `"https://auth.example.com/.well-known/openid-configuration"`,
		"openapi":          `"3.1.0"`,
		"paths":            `{}`,
		"scheme":           `"bearer"`,
		"scopes":           `{"orders:read": "Read orders"}`,
		"swagger":          `"2.0"`,
		"title":            `"Book shop"`,
		"tokenUrl":         `"https://auth.example.com/token"`,
		"type":             `"http"`,
		"url":              `"https://api.example.com"`,
		"version":          `"1.0.0"`,
	}
}

// The rules of the document as a whole.
var (
	ruleCallback = parse.Rule{Code: "callback", Severity: wayfind.SeverityInfo, Section: "Callback Object",
		Means: "Operations have callbacks: requests that the API sends, and agents cannot. They are kept as written beside their operations.",
		Mend:  "Nothing has to be done. It is reported because no capabilities are made of them."}
	ruleNoOperation = parse.Rule{Code: "no_operation", Severity: wayfind.SeverityWarning, Section: "Paths Object",
		Means: "The document has no readable operation.",
		Mend:  "Describe the operations below `paths`. A document with only webhooks or schemas needs no change."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "OAuth Flow Object",
		Means: "A list is longer than this program reads, for example more than 5,000 operations.",
		Mend:  "Split the document into several, one for each part of the API."}
	ruleUnused = parse.Rule{Code: "unused", Severity: wayfind.SeverityInfo, Section: "Components Object",
		Means: "No operation leads to a definition, so it is in no result.",
		Mend:  "Drop the definition, or refer to it. Nothing has to be done if it is for webhooks or for other documents."}
	ruleWebhook = parse.Rule{Code: "webhook", Severity: wayfind.SeverityInfo, Section: "OpenAPI Object",
		Means: "The document has a webhook, which the API calls and agents cannot. Only its name is kept.",
		Mend:  "Nothing has to be done. It is reported because the rest of the webhook is in no result."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "OpenAPI Object",
		Means: "The version in `openapi` or `swagger` is unknown, or it is in the wrong one of the two members.",
		Mend:  "Write `openapi` with a version from 3.0 to 3.2, or `swagger` with \"2.0\"."}
)

// The rules of servers, and of their counterparts in 2.0.
var (
	ruleBasePath = parse.Rule{Code: "base_path", Severity: wayfind.SeverityError, Section: "Swagger Object",
		Means: "`basePath` does not begin with a slash.",
		Mend:  "Write a slash in front of it."}
	ruleHost = parse.Rule{Code: "host", Severity: wayfind.SeverityError, Section: "Swagger Object",
		Means: "`host` contains a scheme or a path. These belong in `schemes` and `basePath`.",
		Mend:  "Write the name of the host, and the port if it needs one."}
	ruleScheme = parse.Rule{Code: "scheme", Severity: wayfind.SeverityInfo, Section: "Swagger Object",
		Means: "`schemes` names a protocol other than http and https. It was left out.",
		Mend:  "No change is needed."}
	ruleServer = parse.Rule{Code: "server", Severity: wayfind.SeverityError, Section: "Server Object",
		Means: "The URL of a server cannot be used: it is neither a full http or https URL nor a reference, or it holds a user name or a space.",
		Mend:  "Write a full https URL, or a path that begins with a slash."}
)

// The rules of security.
var (
	ruleFlow = parse.Rule{Code: "flow", Severity: wayfind.SeverityError, Section: "OAuth Flow Object",
		Means: "The `flow` of an OAuth scheme is not one of those of version 2.0.",
		Mend:  "Write `implicit`, `password`, `application` or `accessCode`."}
	ruleSchemeIn = parse.Rule{Code: "scheme_in", Severity: wayfind.SeverityError, Section: schemeSection,
		Means: "The place of an API key is not one of header, query and cookie.",
		Mend:  "Write `header`, `query` or `cookie` into `in`."}
	ruleSchemeType = parse.Rule{Code: "scheme_type", Severity: wayfind.SeverityError, Section: schemeSection,
		Means: "The specification does not define the type of a security scheme.",
		Mend:  "Write `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`. In version 2.0, write `basic`, `apiKey` or `oauth2`."}
	ruleSecurityUndefined = parse.Rule{Code: "security_undefined", Severity: wayfind.SeverityError, Section: "Security Requirement Object",
		Means: "`security` names a scheme that is not defined.",
		Mend:  "Define the scheme below `components.securitySchemes`, or in version 2.0 below `securityDefinitions`."}
)

// The rules of paths, operations and parameters.
var (
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityError, Section: "Operation Object",
		Means: "Two operations have the same `operationId`.",
		Mend:  "Give each operation an ID of its own."}
	ruleDuplicateParam = parse.Rule{Code: "duplicate_param", Severity: wayfind.SeverityError, Section: paramSection,
		Means: "A list has two parameters with the same name and place.",
		Mend:  "Remove one of the two."}
	ruleParamIgnored = parse.Rule{Code: "param_ignored", Severity: wayfind.SeverityInfo, Section: paramSection,
		Means: "A parameter describes the header field `Accept`, `Content-Type` or `Authorization`. Media types and security describe these fields, so the parameter is ignored.",
		Mend:  "Remove the parameter."}
	ruleParamIn = parse.Rule{Code: "param_in", Severity: wayfind.SeverityError, Section: paramSection,
		Means: "This version of the specification does not define the place of a parameter.",
		Mend:  "Write `path`, `query`, `header` or `cookie`. Describe a body in `requestBody`."}
	ruleParamNames = parse.Rule{Code: "param_names", Severity: wayfind.SeverityWarning, Section: paramSection,
		Means: "Parameters in different places have the same name, and take different values. The argument of the second has a name of its own.",
		Mend:  "Give parameters names of their own where you can."}
	rulePath = parse.Rule{Code: "path", Severity: wayfind.SeverityError, Section: "Paths Object",
		Means: "A path does not begin with a slash, or cannot be a path.",
		Mend:  "Write a path that begins with a slash, with variables in single braces."}
	rulePathAlike = parse.Rule{Code: "path_alike", Severity: wayfind.SeverityError, Section: "Paths Object",
		Means: "Two paths differ only in the names of their variables. They are the same path, and clients do not agree on the operation that a request means.",
		Mend:  "Describe the operations of both in one path."}
	rulePathOptional = parse.Rule{Code: "path_optional", Severity: wayfind.SeverityError, Section: paramSection,
		Means: "A parameter in the path is not marked as required. A path cannot lack a part.",
		Mend:  "Write `required: true`."}
	rulePathParam = parse.Rule{Code: "path_param", Severity: wayfind.SeverityError, Section: "Path Templating",
		Means: "A path has a variable that no parameter describes, or that a parameter describes in other capitals.",
		Mend:  "Describe it as a parameter with `in: path` and exactly its name."}
	rulePathQuery = parse.Rule{Code: "path_query", Severity: wayfind.SeverityWarning, Section: "Paths Object",
		Means: "A path has a query or a fragment.",
		Mend:  "Describe the query as parameters with `in: query`."}
	ruleRequiredCase = parse.Rule{Code: "required_case", Severity: wayfind.SeverityWarning, Section: schemaSection,
		Means: "A schema requires a member that its `additionalProperties: false` forbids. A property has the same name in another case.",
		Mend:  "Write the name in `required` as it is in `properties`: case counts."}
	ruleRequiredUnknown = parse.Rule{Code: "required_unknown", Severity: wayfind.SeverityWarning, Section: schemaSection,
		Means: "The schema of a body requires a member that it does not describe. Publishers misspell names there, so the member is an optional argument that takes any value.",
		Mend:  "Describe the member in `properties`, or correct its name in `required`."}
	ruleResponses = parse.Rule{Code: "responses", Severity: wayfind.SeverityError, Section: "Operation Object",
		Means: "An operation has no response. At least one is required before version 3.1.",
		Mend:  "Describe the response of a successful call."}
)

// The rules of references and schemas.
var (
	ruleRefLimit = parse.Rule{Code: "ref_limit", Severity: wayfind.SeverityWarning, Section: "Path Item Object",
		Means: "Paths refer to the same items too often. The document would become several times as long.",
		Mend:  "Write the paths in full, or reduce their number."}
	ruleUnplacedInput = parse.Rule{Code: "unplaced_input", Severity: wayfind.SeverityError, Section: paramSection,
		Means: "An operation requires a parameter that no request can have: its place is unknown, its name is that of no header field for parameters, or the path has no variable of its name. Every call would be refused or go to another address, so no tool is made of the operation.",
		Mend:  "Write a place and a name that a request can have, and each variable of a path in braces: `/orders/{id}`, not `/orders/:id`. Describe a body in `requestBody`, and a cookie with `in: cookie`."}
	ruleUnreadInput = parse.Rule{Code: "unread_input", Severity: wayfind.SeverityWarning, Section: "Reference Object",
		Means: "The arguments of an operation are described in another document that was not read, or the reference to a parameter or a body leads nowhere. No tool is made of the operation.",
		Mend:  "Serve that document on the same site over https, or write the description into this one. Correct a reference that leads nowhere."}
)

// The rules of all formats that are reported here as well.
var (
	ruleHeaderName  = parse.ReaderRule("header_name")
	ruleMediaType   = parse.ReaderRule("media_type")
	ruleMethod      = parse.ReaderRule("method")
	ruleLeftOut     = parse.ReaderRule("left_out")
	ruleRefSiblings = parse.ReaderRule("ref_siblings")
	ruleTooLong     = parse.ReaderRule("too_long")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)
