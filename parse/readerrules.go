package parse

import "github.com/wayfindhq/wayfind"

// ReaderRules returns the rules that a [Reader] reports by itself, for every format, in
// alphabetical order of their codes. A format that reports one of them gets it by [ReaderRule]
// and does not list it.
func ReaderRules() []Rule {
	return []Rule{
		ruleBadURL, ruleDotSegments, ruleEndpointHost, ruleEndpointScheme, ruleEndpointSlash, ruleEndpointTemplate,
		ruleHeaderName, ruleLeftOut, ruleMediaType, ruleMethod, ruleMethodCase, ruleMissing, ruleMisspelt, ruleMoreDiagnostics,
		ruleRefCycle, ruleRefDangling, ruleRefExternal, ruleRefKind, ruleRefSiblings, ruleSchemaLimit, ruleSchemaWord,
		ruleServerDefault, ruleServerHost, ruleServerNone, ruleServerPassed, ruleServerQuery, ruleServerRelative, ruleServerScheme, ruleServerValue, ruleServerVariable, ruleTooLong, ruleWrongType,
	}
}

// BodyRules returns the rules about the form of a body, apart from its content, in
// alphabetical order of their codes.
func BodyRules() []Rule {
	return []Rule{
		ruleJSONBOM, ruleJSONCaseVariant, ruleJSONCut, ruleMarkdownBOM, ruleMarkdownCut, ruleMarkdownFrontMatter, ruleMarkdownTooDeep,
		ruleYAMLCaseVariant,
	}
}

// The rules about members of all kinds.
var (
	ruleBadURL = Rule{Code: "bad_url", Severity: wayfind.SeverityError,
		Means: "A value must be an absolute URL and is not.",
		Mend:  "Write a whole URL that begins with `https://` and names a host."}
	ruleHeaderName = Rule{Code: "header_name", Severity: wayfind.SeverityError,
		Means: "The name of a header field is empty, too long or not a token, or the field is one that clients set themselves.",
		Mend:  "Name a field that is free to use, such as `X-API-Key`. Do not list fields that every client sends as parameters."}
	ruleLeftOut = Rule{Code: "left_out", Severity: wayfind.SeverityInfo,
		Means: "A value that the model has no field for is left out: it is too long, has more than eight levels, holds a reference, or comes after too many others.",
		Mend:  "Shorten what agents need to see, and write it out without references."}
	ruleMediaType = Rule{Code: "media_type", Severity: wayfind.SeverityError,
		Means: "The document was served with the wrong media type.",
		Mend:  "Set the Content-Type of the response to the type that the message names."}
	ruleMethod = Rule{Code: "method", Severity: wayfind.SeverityError,
		Means: "A method is not an HTTP method, or it is not allowed here.",
		Mend:  "Write one of the methods that the specification names, such as `GET` or `POST`."}
	ruleMethodCase = Rule{Code: "method_case", Severity: wayfind.SeverityError,
		Means: "A method is not written in upper case. Methods are case-sensitive.",
		Mend:  "Write the method in upper case."}
	ruleMissing = Rule{Code: "missing", Severity: wayfind.SeverityError,
		Means: "A member that the specification requires or recommends is missing.",
		Mend:  "Add the member that the message names."}
	ruleMisspelt = Rule{Code: "misspelt", Severity: wayfind.SeverityError,
		Means: "A member has a name that the format does not know, and one with a similar name is missing. The member is ignored. `wayfind lint` and `client.Parse` with Full report it, in place of `missing`.",
		Mend:  "Rename the member to the name that the message asks about. If another is meant, write it so that it differs more, or begin it with `x-`."}
	ruleMoreDiagnostics = Rule{Code: "more_diagnostics", Severity: wayfind.SeverityInfo,
		Means: "The document has more problems than are listed.",
		Mend:  "Fix the problems that are listed, then check the document again."}
	ruleTooLong = Rule{Code: "too_long", Severity: wayfind.SeverityError,
		Means: "A text, name or URL is longer than the specification allows, or longer than this program reads.",
		Mend:  "Shorten it to the length that the message names."}
	ruleWrongType = Rule{Code: "wrong_type", Severity: wayfind.SeverityError,
		Means: "A value does not have the type that the specification requires.",
		Mend:  "Write the value in the required type: text in quotes, numbers and true or false without quotes, lists in brackets."}
)

// The rules about endpoints.
var (
	ruleDotSegments = Rule{Code: "dot_segments", Severity: wayfind.SeverityWarning,
		Means: "A URL or path leads upwards with `..`, and programs disagree about where it ends.",
		Mend:  "Write the path without `.` and `..`."}
	ruleEndpointHost = Rule{Code: "endpoint_host", Severity: wayfind.SeverityWarning,
		Means: "The host of an endpoint is an IP address, is not a public name, contains a variable, or has a port other than 443.",
		Mend:  "Serve the API under a public host name on port 443, and write that name."}
	ruleEndpointScheme = Rule{Code: "endpoint_scheme", Severity: wayfind.SeverityError,
		Means: "An endpoint is a full URL that does not start with `https://`.",
		Mend:  "Serve the API over HTTPS, and write its URL with `https://`."}
	ruleEndpointSlash = Rule{Code: "endpoint_slash", Severity: wayfind.SeverityWarning,
		Means: "An endpoint is neither a full URL nor a path that begins with a slash. A slash was assumed.",
		Mend:  "Write a path that begins with a slash, or the full URL."}
	ruleEndpointTemplate = Rule{Code: "endpoint_template", Severity: wayfind.SeverityWarning,
		Means: "The path of an endpoint has variables that are more than a name in braces.",
		Mend:  "Write each variable as `{name}`. Describe it where the parameters are described."}
)

// The rules about references and JSON Schemas.
var (
	ruleRefSiblings = Rule{Code: "ref_siblings", Severity: wayfind.SeverityWarning,
		Means: "A reference has other members beside it. They are ignored, or programs disagree about whether they count.",
		Mend:  "Write one or the other. In a schema, put the reference and the keywords into `allOf`."}
	ruleRefCycle = Rule{Code: "ref_cycle", Severity: wayfind.SeverityError,
		Means: "A reference leads back to itself, or more than 16 references follow each other.",
		Mend:  "Let the reference point to the value itself."}
	ruleRefDangling = Rule{Code: "ref_dangling", Severity: wayfind.SeverityError,
		Means: "A reference points to a place that does not exist in the document.",
		Mend:  "Define the value, or correct the reference."}
	ruleRefExternal = Rule{Code: "ref_external", Severity: wayfind.SeverityWarning,
		Means: "A reference points to another document that was not read. Those of an OpenAPI description are read with it if they are on the same site.",
		Mend:  "Serve the other document on the same site over https, or copy the referenced value into this one."}
	ruleRefKind = Rule{Code: "ref_kind", Severity: wayfind.SeverityError,
		Means: "A reference in a schema points to a value that is not a schema.",
		Mend:  "Let the reference point to a schema."}
	ruleSchemaLimit = Rule{Code: "schema_limit", Severity: wayfind.SeverityWarning,
		Means: "A schema, together with the schemas it refers to, exceeds 10,000 subschemas, 512 KiB or 48 levels. The parts beyond the limit accept any value.",
		Mend:  "Simplify the schema."}
)

// ruleSchemaWord is about the words for types in schemas.
var ruleSchemaWord = Rule{Code: "schema_word", Severity: wayfind.SeverityError, Section: schemaWordSection,
	Means: "The type in a schema is none that JSON Schema has. Validators and the APIs of models refuse such a schema.",
	Mend:  "Write one of `string`, `number`, `integer`, `boolean`, `object`, `array` and `null`."}

// The rules about Server Objects.
var (
	ruleServerDefault = Rule{Code: "server_default", Severity: wayfind.SeverityWarning,
		Means: "The default of a server variable is not among the values in its `enum`.",
		Mend:  "Choose a default from `enum`, or add it there."}
	ruleServerHost = Rule{Code: "server_host", Severity: wayfind.SeverityWarning,
		Means: "The host of a server is an IP address or is not a public name, or it has a port other than 443.",
		Mend:  "Serve the API under a public host name on port 443, and write that name."}
	ruleServerNone = Rule{Code: "server_none", Severity: wayfind.SeverityInfo,
		Means: "None of the servers can be called. Calls go over https to public host names, so nothing that is called there becomes a tool.",
		Mend:  "Name a server with a full https URL and a public host name. Its variables need defaults."}
	ruleServerPassed = Rule{Code: "server_passed", Severity: wayfind.SeverityInfo,
		Means: "Calls go to the first server that can be called. Those before it cannot: they do not use TLS, have no public host name, or lack a value.",
		Mend:  "Write the server that others should call first. Leave out servers of your own machine and network."}
	ruleServerQuery = Rule{Code: "server_query", Severity: wayfind.SeverityWarning,
		Means: "The URL of a server has a query or a fragment. It was dropped, because paths are appended to the URL.",
		Mend:  "Remove the question mark or number sign and the text after it."}
	ruleServerRelative = Rule{Code: "server_relative", Severity: wayfind.SeverityWarning,
		Means: "The URL of a server begins with the name of a host and has no scheme. It is a path on the host of the document.",
		Mend:  "Write `https://` in front of the name. If a path is meant, begin it with `./`."}
	ruleServerScheme = Rule{Code: "server_scheme", Severity: wayfind.SeverityWarning,
		Means: "A server does not use TLS. If it is on the host that serves the document over https, calls use https.",
		Mend:  "Serve the API over https or wss, and write its URL with that scheme."}
	ruleServerValue = Rule{Code: "server_value", Severity: wayfind.SeverityError,
		Means: "A value of a server variable holds a dot segment, or characters that are neither those of a host nor those of a plain path. It was dropped.",
		Mend:  "Use letters, digits, hyphens, dots and slashes."}
	ruleServerVariable = Rule{Code: "server_variable", Severity: wayfind.SeverityError,
		Means: "The URL of a server has a variable without a default. The address of the calls is therefore unknown.",
		Mend:  "Describe the variable in `variables`, with a `default`."}
)

// The rules about bodies.
var (
	ruleJSONBOM = Rule{Code: "json.bom", Severity: wayfind.SeverityInfo,
		Means: "A byte order mark stands before the JSON text, which some readers refuse.",
		Mend:  "Save the document without a byte order mark."}
	ruleJSONCaseVariant = Rule{Code: "json.case_variant", Severity: wayfind.SeverityWarning,
		Means: "The name of a member differs from a known name in upper and lower case only. The member was ignored.",
		Mend:  "Write the name exactly as the specification does."}
	ruleJSONCut = Rule{Code: "json.cut", Severity: wayfind.SeverityWarning,
		Means: "The document has more than 524,288 values, more than 64 levels, or names of more than 4 KiB. The parts beyond these limits were not read.",
		Mend:  "Divide the document into several, or leave out what only programs of your own read."}
	ruleMarkdownBOM = Rule{Code: "markdown.bom", Severity: wayfind.SeverityInfo,
		Means: "A byte order mark stands before the text.",
		Mend:  "Save the document without a byte order mark."}
	ruleMarkdownCut = Rule{Code: "markdown.cut", Severity: wayfind.SeverityWarning,
		Means: "The text is too long. Everything after the first 256 KiB was left out.",
		Mend:  "Shorten the text, put the most important content first, and link to pages with the rest."}
	ruleMarkdownFrontMatter = Rule{Code: "markdown.front_matter", Severity: wayfind.SeverityWarning,
		Means: "The text begins with `---`, but no other such line ends the front matter. The whole text was read as Markdown.",
		Mend:  "End the front matter with a line `---`, or remove the first one."}
	ruleMarkdownTooDeep = Rule{Code: "markdown.too_deep", Severity: wayfind.SeverityWarning,
		Means: "A line is nested in too many lists and quotes. It was not read.",
		Mend:  "Use fewer levels of lists and quotes."}
	ruleYAMLCaseVariant = Rule{Code: "yaml.case_variant", Severity: wayfind.SeverityWarning,
		Means: "A key differs from a known key in upper and lower case only. The key was ignored.",
		Mend:  "Write the key exactly as the specification does."}
)
