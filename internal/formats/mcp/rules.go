package mcp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleArgument, ruleArguments, ruleAuth, ruleBareArray, ruleBareName, ruleCardMember,
		ruleClientConfig, ruleConflict, ruleDuplicate, ruleDuplicateServer, ruleEmptyName, ruleEndpoint, ruleEndpointRelative,
		ruleEndpointVariable, ruleFormerMember, ruleHeaderParam, ruleHintPlace, ruleHints, ruleHomePage, ruleKeyed, ruleLocalOnly, ruleName,
		ruleNoInterface, ruleNotAvailable, ruleOAuthURL, rulePartial, ruleProtocolVersion, ruleSchema, ruleSchemaMember,
		ruleSchemaType, ruleSecretFlag, ruleSecretNeed, ruleSecretValue, ruleToolName, ruleTransport, ruleTruncated,
		ruleURITemplate, ruleVariable, ruleVersion, ruleWebsocket,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"$schema":           `"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"`,
		"capabilities":      `{"tools": {}}`,
		"command":           `"npx"`,
		"description":       `"Weather forecasts for any city."`,
		"endpoint":          `"https://mcp.example.com/mcp"`,
		"endpoints":         `{"streamable_http": "https://mcp.example.com/mcp"}`,
		"entries":           `[{"identifier": "com.example/weather", "type": "application/mcp-server-card+json", "url": "https://example.com/.well-known/mcp/server-card"}]`,
		"identifier":        `"@example/weather"`,
		"inputSchema":       `{"type": "object", "properties": {"city": {"type": "string"}}}`,
		"mcp_version":       `"2025-11-25"`,
		"name":              `"com.example/weather"`,
		"protocolVersion":   `"2025-11-25"`,
		"registryType":      `"npm"`,
		"serverInfo":        `{"name": "com.example/weather", "version": "1.0.0"}`,
		"server_name":       `"com.example/weather"`,
		"server_version":    `"1.0.0"`,
		"src":               `"https://example.com/icon.png"`,
		"supportedVersions": `["2025-11-25"]`,
		"title":             `"Weather"`,
		"transport":         `{"type": "streamable-http", "endpoint": "/mcp"}`,
		"type":              `"streamable-http"`,
		"uri":               `"notes://today"`,
		"uriTemplate":       `"notes://{id}"`,
		"url":               `"https://mcp.example.com/mcp"`,
		"version":           `"1.0.0"`,
	}
}

// PartialList returns the rule about incomplete lists. A prober of live servers reports it
// too.
func PartialList() parse.Rule { return rulePartial }

// The rules about documents, servers and packages.
var (
	ruleArgument = parse.Rule{Code: "argument", Severity: wayfind.SeverityError, Section: secRegistry,
		Means: "A positional argument of a package has neither a value nor a hint.",
		Mend:  "Give it a `value`, or a `valueHint` for people."}
	ruleCardMember = parse.Rule{Code: "card_member", Severity: wayfind.SeverityError, Section: secCard,
		Means: "A Server Card has a member that does not belong there. A card describes a server and its addresses.",
		Mend:  "Remove the member. Packages belong in the registry's `server.json`. Clients ask the server itself for its tools, resources, prompts and capabilities."}
	ruleClientConfig = parse.Rule{Code: "client_config", Severity: wayfind.SeverityWarning, Section: secConfig,
		Means: "The document is the configuration of a client. It says how to start programs, not what a site offers.",
		Mend:  "Serve a Server Card with `remotes` instead."}
	ruleConflict = parse.Rule{Code: "conflict", Severity: wayfind.SeverityWarning, Section: secCard,
		Means: "A document names one address of the server in `remotes` and another one beside it. Both were read.",
		Mend:  "Write the same address in both members, or keep `remotes` only."}
	ruleDuplicateServer = parse.Rule{Code: "duplicate_server", Severity: wayfind.SeverityWarning, Section: secServers,
		Means: "Two servers in the list have the same name.",
		Mend:  "Give each server a name of its own, or list it once with all its places."}
	ruleFormerMember = parse.Rule{Code: "former_member", Severity: wayfind.SeverityInfo, Section: secRegistry,
		Means: "A member has a name from an earlier version of `server.json`.",
		Mend:  "Write the document in the current version of `server.json`."}
	ruleHomePage = parse.Rule{Code: "home_page", Severity: wayfind.SeverityWarning,
		Means: "The `url` of a server is the home page of its site. A home page seldom speaks MCP.",
		Mend:  "Write the address of the server, `https://example.com/mcp` for example. The home page belongs in `websiteUrl`."}
	ruleLocalOnly = parse.Rule{Code: "local_only", Severity: wayfind.SeverityInfo,
		Means: "The server cannot be reached over the network. It is a program for the caller's machine.",
		Mend:  "No change is needed if that is intended. Clients that read sites do not run programs."}
	ruleName = parse.Rule{Code: "name", Severity: wayfind.SeverityError,
		Means: "The name of a server does not have the form `com.example/server`.",
		Mend:  "Write one of your domains backwards, one slash, and a name of letters, digits, dots, underscores and hyphens. The whole name has 3 to 200 characters."}
	ruleNoInterface = parse.Rule{Code: "no_interface", Severity: wayfind.SeverityWarning, Section: secCard,
		Means: "The document does not name an address of the server.",
		Mend:  "For a server on the network, add `remotes` with the type and the URL of each address. A plain list of tools can be published beside such a document."}
	ruleNotAvailable = parse.Rule{Code: "not_available", Severity: wayfind.SeverityWarning,
		Means: "The document says that the server is not available.",
		Mend:  "No change is needed if that is so. Remove the document when the server will not come back."}
	ruleSchema = parse.Rule{Code: "schema", Severity: wayfind.SeverityError, Section: secCard,
		Means: "The `$schema` of a Server Card is unknown to clients.",
		Mend:  "Write `https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secConfig,
		Means: "A list is longer than this program reads.",
		Mend:  "List at most 1,000 entries of each kind, and 1,000 tools, resources and prompts in total."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError,
		Means: "The version of a server is not one exact version.",
		Mend:  "Write a version such as `1.0.2`, without operators and wildcards."}
)

// The rules about the addresses of a server and about authentication.
var (
	ruleAuth = parse.Rule{Code: "auth", Severity: wayfind.SeverityWarning,
		Means: "An authentication method has no name or an unknown name. Clients cannot use it.",
		Mend:  "Name one of `none`, `bearer`, `basic`, `api_key`, `oauth2`, `oidc` and `mtls`."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError,
		Means: "The address of a server cannot be used.",
		Mend:  "Write a full URL that begins with `https://`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityWarning,
		Means: "The address of a server is not a full URL. It was resolved against the site that served the document.",
		Mend:  "Write the full URL. In a copy of the document, a relative address leads elsewhere."}
	ruleEndpointVariable = parse.Rule{Code: "endpoint_variable", Severity: wayfind.SeverityWarning,
		Means: "The address of a server begins with a variable. Its host is therefore unknown.",
		Mend:  "Write scheme and host in full. If a template of the document was published by mistake, fill it in."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError,
		Means: "A URL of the authorization server does not use TLS or contains a user name. It was left out.",
		Mend:  "Write a URL that begins with `https://`, without a user."}
	ruleProtocolVersion = parse.Rule{Code: "protocol_version", Severity: wayfind.SeverityWarning,
		Means: "A version of the protocol is not a date. All versions of the protocol are dates.",
		Mend:  "Write the version as in `" + mcpera.Modern + "`."}
	ruleSecretFlag = parse.Rule{Code: "secret_flag", Severity: wayfind.SeverityWarning,
		Means: "A header field looks like it carries a secret but is not marked as secret.",
		Mend:  "Set `isSecret` to true, so that clients handle the value with care. Set it to false if the value is not a secret."}
	ruleSecretNeed = parse.Rule{Code: "secret_need", Severity: wayfind.SeverityInfo,
		Means: "The document does not say whether a header field with a secret is required. Clients treat it as required.",
		Mend:  "Set `isRequired` to true or false."}
	ruleSecretValue = parse.Rule{Code: "secret_value", Severity: wayfind.SeverityWarning,
		Means: "The document contains what looks like a password, key or token. Every reader of the document can use it.",
		Mend:  "Remove the secret, and replace it at once wherever it is in use. Write a variable in braces in its place."}
	ruleTransport = parse.Rule{Code: "transport", Severity: wayfind.SeverityError,
		Means: "The transport is not one of the protocol, or it is not spelt as in the specification.",
		Mend:  "Write `streamable-http` or `sse`."}
	ruleVariable = parse.Rule{Code: "variable", Severity: wayfind.SeverityWarning,
		Means: "The address of a server has a variable without a description, a description has no variable in the address, or a value changes other parts of the address.",
		Mend:  "List the variables of the `url` under `variables`, and no others."}
	ruleWebsocket = parse.Rule{Code: "websocket", Severity: wayfind.SeverityWarning,
		Means: "An address uses WebSocket. The protocol does not.",
		Mend:  "Offer streamable HTTP, and list its URL."}
)

// The rules about tools, resources and prompts.
var (
	ruleArguments = parse.Rule{Code: "arguments", Severity: wayfind.SeverityInfo, Section: secTools,
		Means: "The input of a tool is a list of arguments instead of a schema.",
		Mend:  "Write an `inputSchema`: a JSON Schema whose type is `object`."}
	ruleBareArray = parse.Rule{Code: "bare_array", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The tools are an array. An object with the member `tools` is required.",
		Mend:  "Wrap the array: `{\"tools\": [...]}`."}
	ruleBareName = parse.Rule{Code: "bare_name", Severity: wayfind.SeverityWarning,
		Means: "A tool, resource or prompt is listed by its name alone. Its purpose is unknown.",
		Mend:  "List objects with a `name`, a `description` and, for tools, an `inputSchema`."}
	ruleDuplicate = parse.Rule{Code: "duplicate", Severity: wayfind.SeverityError,
		Means: "Two tools, resources or prompts have the same name. A call could mean either of them.",
		Mend:  "Give each a name of its own."}
	ruleEmptyName = parse.Rule{Code: "empty_name", Severity: wayfind.SeverityError,
		Means: "A tool or prompt has an empty name, or a resource has an empty URI. It was left out.",
		Mend:  "Give it a name."}
	ruleHeaderParam = parse.Rule{Code: "header_param", Severity: wayfind.SeverityError, Section: secTools,
		Means: "A tool requires a parameter in a header field that cannot carry it. Clients must drop the tool.",
		Mend:  "Give `x-mcp-header` a name of letters, digits and hyphens that no other parameter of the tool has. Use it on strings, numbers and booleans only."}
	ruleHintPlace = parse.Rule{Code: "hint_place", Severity: wayfind.SeverityInfo, Section: secTools,
		Means: "A hint about a tool is in the wrong place or has the wrong name.",
		Mend:  "Put it into `annotations`, as `readOnlyHint`, `destructiveHint` or `idempotentHint`."}
	ruleHints = parse.Rule{Code: "hints", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "Two hints about a tool contradict each other, or the same hint appears twice. A tool cannot be both read-only and destructive.",
		Mend:  "Set `readOnlyHint` or `destructiveHint` to false. Write each hint once, in `annotations`."}
	ruleKeyed = parse.Rule{Code: "keyed", Severity: wayfind.SeverityWarning,
		Means: "Tools, resources or prompts are members of an object, under their names. A list is required.",
		Mend:  "Write a list. Give each entry its `name`, and each resource its `uri`."}
	rulePartial = parse.Rule{Code: "partial", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The list is incomplete. It is one page of several, or the server refused a part of it.",
		Mend:  "List all tools in one document, or none."}
	ruleSchemaMember = parse.Rule{Code: "schema_member", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The schema of a tool has another name than `inputSchema`.",
		Mend:  "Rename the member to `inputSchema`."}
	ruleSchemaType = parse.Rule{Code: "schema_type", Severity: wayfind.SeverityError, Section: secTools,
		Means: "The input or output schema of a tool is not that of an object.",
		Mend:  "Set its `type` to `object`, and describe each value under `properties`."}
	ruleToolName = parse.Rule{Code: "tool_name", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "Many clients refuse the name of a tool.",
		Mend:  "Use 1 to 128 letters, digits, underscores, hyphens and dots."}
	ruleURITemplate = parse.Rule{Code: "uri_template", Severity: wayfind.SeverityError, Section: secResources,
		Means: "The template of a resource is not well-formed. The resource was left out.",
		Mend:  "Write each variable in braces, as in `notes://{id}`."}
)

// The rules of all formats that are reported here as well.
var (
	ruleHeaderName = parse.ReaderRule("header_name")
	ruleMediaType  = parse.ReaderRule("media_type")
	ruleMissing    = parse.ReaderRule("missing")
	ruleTooLong    = parse.ReaderRule("too_long")
	ruleWrongType  = parse.ReaderRule("wrong_type")
)
