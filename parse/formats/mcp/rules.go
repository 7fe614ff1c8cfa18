package mcp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleArgument, ruleArguments, ruleAuth, ruleBareArray, ruleBareName, ruleCardMember, ruleCatalog, ruleCatalogEntry,
		ruleClientConfig, ruleDuplicate, ruleDuplicateServer, ruleEmptyName, ruleEndpoint, ruleEndpointRelative,
		ruleEndpointVariable, ruleFormerMember, ruleHeaderParam, ruleHintPlace, ruleHints, ruleKeyed, ruleLocalOnly, ruleName,
		ruleNoInterface, ruleNotAvailable, ruleOAuthURL, rulePartial, ruleProtocolVersion, ruleSchema, ruleSchemaMember,
		ruleSchemaType, ruleSecretFlag, ruleSecretNeed, ruleSecretValue, ruleToolName, ruleTransport, ruleTruncated,
		ruleURITemplate, ruleVariable, ruleVersion, ruleWebsocket,
	}
}

// PartialList is the rule about lists that are not complete, which a prober of
// live servers reports too.
func PartialList() parse.Rule { return rulePartial }

// The rules about documents, servers and packages.
var (
	ruleArgument = parse.Rule{Code: "argument", Severity: wayfind.SeverityError, Section: secRegistry,
		Means: "A positional argument of a package says neither what its value is nor what it stands for.",
		Mend:  "Give it a `value`, or a `valueHint` for people."}
	ruleCardMember = parse.Rule{Code: "card_member", Severity: wayfind.SeverityError, Section: secCard,
		Means: "A Server Card says something that does not belong into it: cards are about who a server is and where it is spoken to.",
		Mend:  "Leave the member out. Packages belong into the registry's `server.json`; tools, resources, prompts and capabilities are asked of the server."}
	ruleCatalog = parse.Rule{Code: "catalog", Severity: wayfind.SeverityInfo, Section: secCatalog,
		Means: "The MCP Catalog was replaced by the AI Catalog.",
		Mend:  "Serve the entries at `/.well-known/ai-catalog.json`. It is reported because fewer and fewer clients look here."}
	ruleCatalogEntry = parse.Rule{Code: "catalog_entry", Severity: wayfind.SeverityWarning, Section: secCatalog,
		Means: "An entry of an MCP Catalog does not lead to a Server Card, so it was left out.",
		Mend:  "Give it an `identifier`, a `url` and the type `application/mcp-server-card+json`."}
	ruleClientConfig = parse.Rule{Code: "client_config", Severity: wayfind.SeverityWarning, Section: secConfig,
		Means: "The document is the configuration of a client, which says how to start programs and not what a site offers.",
		Mend:  "Serve a Server Card with `remotes` instead."}
	ruleDuplicateServer = parse.Rule{Code: "duplicate_server", Severity: wayfind.SeverityWarning, Section: secServers,
		Means: "Two servers of a list have the same name.",
		Mend:  "Give each server a name of its own, or list it once with all its places."}
	ruleFormerMember = parse.Rule{Code: "former_member", Severity: wayfind.SeverityInfo, Section: secRegistry,
		Means: "A member has a name that `server.json` had in an earlier version.",
		Mend:  "Write the document in the current version of `server.json`."}
	ruleLocalOnly = parse.Rule{Code: "local_only", Severity: wayfind.SeverityInfo,
		Means: "The server is not spoken to over the network: it is a program for the caller's machine.",
		Mend:  "Nothing has to be done if that is so. It is reported because clients that look at sites do not run programs."}
	ruleName = parse.Rule{Code: "name", Severity: wayfind.SeverityError,
		Means: "The name of a server is not written as in `com.example/server`.",
		Mend:  "Write a domain of yours backwards, one slash, and a name of letters, digits, dots, underscores and hyphens: 3 to 200 characters in all."}
	ruleNoInterface = parse.Rule{Code: "no_interface", Severity: wayfind.SeverityWarning, Section: secCard,
		Means: "The document does not say where the server is spoken to.",
		Mend:  "Add `remotes` with the type and the URL of each place."}
	ruleNotAvailable = parse.Rule{Code: "not_available", Severity: wayfind.SeverityWarning,
		Means: "The document says that the server is not available.",
		Mend:  "Nothing has to be done if that is so. Take the document away when the server will not come back."}
	ruleSchema = parse.Rule{Code: "schema", Severity: wayfind.SeverityError, Section: secCard,
		Means: "The `$schema` of a Server Card is not the one that clients know.",
		Mend:  "Write `https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secConfig,
		Means: "There is more in a list than is read.",
		Mend:  "List at most 1,000 things of each kind, and 1,000 tools, resources and prompts all together."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError,
		Means: "The version of a server is not one exact version.",
		Mend:  "Write a version such as `1.0.2`, without operators and wildcards."}
)

// The rules about where a server is spoken to, and how to authenticate.
var (
	ruleAuth = parse.Rule{Code: "auth", Severity: wayfind.SeverityWarning,
		Means: "A way to authenticate has no name or one that is not known, so clients cannot use it.",
		Mend:  "Name one of `none`, `bearer`, `basic`, `api_key`, `oauth2`, `oidc` and `mtls`."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError,
		Means: "The address of a server cannot be used.",
		Mend:  "Write a full URL that begins with `https://`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityWarning,
		Means: "The address of a server is not a full URL, so it was resolved against the site that served the document.",
		Mend:  "Write the full URL: copies of the document lead elsewhere otherwise."}
	ruleEndpointVariable = parse.Rule{Code: "endpoint_variable", Severity: wayfind.SeverityWarning,
		Means: "The address of a server begins with a variable, so nobody can tell which host it leads to.",
		Mend:  "Write scheme and host out. If a template of the document was published by mistake, fill it in."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError,
		Means: "An address of the authorisation server does not use TLS or holds a user name, so it was left out.",
		Mend:  "Write a URL that begins with `https://`, without a user."}
	ruleProtocolVersion = parse.Rule{Code: "protocol_version", Severity: wayfind.SeverityWarning,
		Means: "A version of the protocol is not written as a date, as all of them are.",
		Mend:  "Write the version as in `2026-07-28`."}
	ruleSecretFlag = parse.Rule{Code: "secret_flag", Severity: wayfind.SeverityWarning,
		Means: "A header field that looks like it carries a secret is not said to be secret.",
		Mend:  "Set `isSecret` to true, so that clients handle the value with care, or to false if it is none."}
	ruleSecretNeed = parse.Rule{Code: "secret_need", Severity: wayfind.SeverityInfo,
		Means: "Nothing says whether a header field with a secret is required, so clients take it as required.",
		Mend:  "Set `isRequired` to true or false."}
	ruleSecretValue = parse.Rule{Code: "secret_value", Severity: wayfind.SeverityWarning,
		Means: "The document holds what looks like a password, key or token, and everybody can read it.",
		Mend:  "Take it out, and replace it at once wherever it is in use. Write a variable in braces in its place."}
	ruleTransport = parse.Rule{Code: "transport", Severity: wayfind.SeverityError,
		Means: "A transport is not one of the protocol, or is not written as the specification writes it.",
		Mend:  "Write `streamable-http` or `sse`."}
	ruleVariable = parse.Rule{Code: "variable", Severity: wayfind.SeverityWarning,
		Means: "A variable stands in the address of a server and is not described, or is described and does not stand there, or has a value that leads out of its part of the address.",
		Mend:  "List the variables of the `url` under `variables`, and no others."}
	ruleWebsocket = parse.Rule{Code: "websocket", Severity: wayfind.SeverityWarning,
		Means: "An address is for WebSocket, which the protocol does not use.",
		Mend:  "Offer streamable HTTP, and list its URL."}
)

// The rules about tools, resources and prompts.
var (
	ruleArguments = parse.Rule{Code: "arguments", Severity: wayfind.SeverityInfo, Section: secTools,
		Means: "What goes into a tool is written as a list of arguments instead of a schema.",
		Mend:  "Write an `inputSchema`: a JSON Schema whose type is `object`."}
	ruleBareArray = parse.Rule{Code: "bare_array", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "Tools stand alone where an object with the member `tools` belongs.",
		Mend:  "Wrap the array: `{\"tools\": [...]}`."}
	ruleBareName = parse.Rule{Code: "bare_name", Severity: wayfind.SeverityWarning,
		Means: "A tool, resource or prompt is listed by its name alone, so nobody knows what it does.",
		Mend:  "List objects with a `name`, a `description` and, for tools, an `inputSchema`."}
	ruleDuplicate = parse.Rule{Code: "duplicate", Severity: wayfind.SeverityError,
		Means: "Two tools, resources or prompts have the same name, so nobody can tell which of them is called.",
		Mend:  "Give each a name of its own."}
	ruleEmptyName = parse.Rule{Code: "empty_name", Severity: wayfind.SeverityError,
		Means: "The name of a tool or prompt, or the URI of a resource, is empty, so it was left out.",
		Mend:  "Give it a name."}
	ruleHeaderParam = parse.Rule{Code: "header_param", Severity: wayfind.SeverityError, Section: secTools,
		Means: "A tool wants a parameter in a header field that cannot carry it, so clients must drop the tool.",
		Mend:  "Give `x-mcp-header` a name of letters, digits and hyphens that no other parameter of the tool has, and use it on strings, numbers and booleans only."}
	ruleHintPlace = parse.Rule{Code: "hint_place", Severity: wayfind.SeverityInfo, Section: secTools,
		Means: "A hint about a tool stands where the specification does not look for it, or under another name.",
		Mend:  "Put it into `annotations`, as `readOnlyHint`, `destructiveHint` or `idempotentHint`."}
	ruleHints = parse.Rule{Code: "hints", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "Two hints about a tool contradict each other: it is said to read only and to destroy, or the same hint stands twice.",
		Mend:  "Set `readOnlyHint` or `destructiveHint` to false, and write each hint once, in `annotations`."}
	ruleKeyed = parse.Rule{Code: "keyed", Severity: wayfind.SeverityWarning,
		Means: "Tools, resources or prompts stand in an object under their names, where a list belongs.",
		Mend:  "Write a list, in which each entry has its `name`, and each resource its `uri`."}
	rulePartial = parse.Rule{Code: "partial", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The list of tools is not whole: it is one page of several, or the server refused a part of it.",
		Mend:  "List all tools in one document, or none."}
	ruleSchemaMember = parse.Rule{Code: "schema_member", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The schema of a tool stands under another name than `inputSchema`.",
		Mend:  "Rename the member to `inputSchema`."}
	ruleSchemaType = parse.Rule{Code: "schema_type", Severity: wayfind.SeverityError, Section: secTools,
		Means: "The schema of what goes into or comes out of a tool is not that of an object.",
		Mend:  "Set its `type` to `object`, and describe each value under `properties`."}
	ruleToolName = parse.Rule{Code: "tool_name", Severity: wayfind.SeverityWarning, Section: secTools,
		Means: "The name of a tool is one that many clients refuse.",
		Mend:  "Use 1 to 128 letters, digits, underscores, hyphens and dots."}
	ruleURITemplate = parse.Rule{Code: "uri_template", Severity: wayfind.SeverityError, Section: secResources,
		Means: "The template of a resource is not well-formed, so it was left out.",
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
