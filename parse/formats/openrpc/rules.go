package openrpc

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBareSchema, ruleDuplicateError, ruleDuplicateMethod, ruleEmpty, ruleExampleValue, ruleListedInShort,
		ruleNoMethod, ruleNoServer, ruleOneOf, ruleParamNames, ruleParamOrder, ruleParamStructure, ruleRefLimit,
		ruleReservedName, ruleResponseID, ruleServer, ruleServerAddress, ruleServerDefault,
		ruleServerHost, ruleServerLocal, ruleServerScheme, ruleServerValue, ruleServerVariable, ruleTruncated, ruleUnused,
		ruleVersion,
	}
}

// The rules those of the document as a whole.
var (
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityError, Section: "Info Object",
		Means: "A name or title is an empty text.",
		Mend:  "Write the name."}
	ruleListedInShort = parse.Rule{Code: "listed_in_short", Severity: wayfind.SeverityInfo, Section: "OpenRPC Object",
		Means: "The methods share so many schemas that they are listed without their parameters, which are read method by method.",
		Mend:  "Nothing has to be done; a reader fetches the document once more for each method it wants to call."}
	ruleNoMethod = parse.Rule{Code: "no_method", Severity: wayfind.SeverityWarning, Section: "OpenRPC Object",
		Means: "The document has no method, or none that can be read.",
		Mend:  "Describe the methods in `methods`. Nothing has to be done if there are none yet: the list may be empty."}
	ruleResponseID = parse.Rule{Code: "response_id", Severity: wayfind.SeverityWarning, Section: "Service Discovery Method",
		Means: "The answer to `rpc.discover` has another `id` than the request.",
		Mend:  "Answer with the `id` of the request, as JSON-RPC 2.0 requires."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: methodSection,
		Means: "A list is longer than what is read of it, for example more than 1,000 methods.",
		Mend:  "Split the document into several, one for each part of the API."}
	ruleUnused = parse.Rule{Code: "unused", Severity: wayfind.SeverityInfo, Section: "Components Object",
		Means: "No method leads to a definition in `components`, so it is in no result.",
		Mend:  "Drop the definition, or refer to it."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "OpenRPC Object",
		Means: "The version in `openrpc` is not one of 1.x, or is newer than those that are known.",
		Mend:  "Write the version of the specification that the document follows, such as \"1.4.0\"."}
)

// The rules those of servers.
var (
	ruleNoServer = parse.Rule{Code: "no_server", Severity: wayfind.SeverityWarning, Section: "OpenRPC Object",
		Means: "The document names no server, so nobody knows where to send a call.",
		Mend:  "List the URL of the endpoint in `servers`."}
	ruleServer = parse.Rule{Code: "server", Severity: wayfind.SeverityError, Section: serverSection,
		Means: "The URL of a server cannot be used.",
		Mend:  "Write a full https URL, or a path that begins with a slash."}
	ruleServerAddress = parse.Rule{Code: "server_address", Severity: wayfind.SeverityInfo, Section: serverSection,
		Means: "The URL of a server has a scheme that is not one of the web, such as `ipc` or `tcp`.",
		Mend:  "List an https or wss endpoint too, if there is one."}
	ruleServerDefault = parse.Rule{Code: "server_default", Severity: wayfind.SeverityWarning, Section: "Server Variable Object",
		Means: "The default of a server variable is not among the values in its `enum`.",
		Mend:  "Choose a default from `enum`, or add it there."}
	ruleServerHost = parse.Rule{Code: "server_host", Severity: wayfind.SeverityWarning, Section: serverSection,
		Means: "The host of a server is an IP address or no public name, or the port is not 443.",
		Mend:  "Serve the API under a public host name on port 443, and write that."}
	ruleServerLocal = parse.Rule{Code: "server_local", Severity: wayfind.SeverityWarning, Section: serverSection,
		Means: "A server is on `localhost`, which is another machine for every reader.",
		Mend:  "Write the public URL of the endpoint."}
	ruleServerScheme = parse.Rule{Code: "server_scheme", Severity: wayfind.SeverityWarning, Section: serverSection,
		Means: "A server is reached without TLS.",
		Mend:  "Serve the API over https or wss, and write that."}
	ruleServerValue = parse.Rule{Code: "server_value", Severity: wayfind.SeverityError, Section: "Server Variable Object",
		Means: "A value of a server's variable is no part of a host name, or has a slash or a dot segment in a path; it was dropped.",
		Mend:  "Write the slashes into the URL of the server, and let each variable stand for one segment of it."}
	ruleServerVariable = parse.Rule{Code: "server_variable", Severity: wayfind.SeverityError, Section: serverSection,
		Means: "The URL of a server has a variable that has no default.",
		Mend:  "Describe the variable in `variables`, with a `default`."}
)

// The rules those of methods and what they hold.
var (
	ruleBareSchema = parse.Rule{Code: "bare_schema", Severity: wayfind.SeverityError, Section: contentSection,
		Means: "A schema stands where a Content Descriptor belongs.",
		Mend:  "Write an object with a `name`, and put the schema into its `schema`."}
	ruleDuplicateError = parse.Rule{Code: "duplicate_error", Severity: wayfind.SeverityError, Section: "Error Object",
		Means: "Two errors of one method have the same code.",
		Mend:  "Give each error a code of its own, or describe both in one entry."}
	ruleDuplicateMethod = parse.Rule{Code: "duplicate_method", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "Two methods have the same name, so a call can only mean one of them.",
		Mend:  "Give each method a name of its own, or remove one of the two."}
	ruleExampleValue = parse.Rule{Code: "example_value", Severity: wayfind.SeverityWarning, Section: "Example Object",
		Means: "An example has no `value`, so the call that it shows is not complete.",
		Mend:  "Write the value into the document."}
	ruleOneOf = parse.Rule{Code: "one_of", Severity: wayfind.SeverityWarning, Section: contentSection,
		Means: "A parameter or result is written as a list of alternatives in `oneOf`, which versions since 1.3 do not have.",
		Mend:  "Describe one, and put the alternatives into `oneOf` of its schema."}
	ruleParamNames = parse.Rule{Code: "param_names", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "Two parameters of one method have the same name.",
		Mend:  "Give each parameter a name of its own."}
	ruleParamOrder = parse.Rule{Code: "param_order", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "A required parameter stands behind an optional one, which nobody can leave out by position.",
		Mend:  "Move the required parameters to the front."}
	ruleParamStructure = parse.Rule{Code: "param_structure", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "`paramStructure` has a value that the specification does not know.",
		Mend:  "Write `by-name`, `by-position` or `either`."}
	ruleReservedName = parse.Rule{Code: "reserved_name", Severity: wayfind.SeverityWarning, Section: methodSection,
		Means: "The name of a method begins with `rpc.`, which JSON-RPC keeps for its extensions.",
		Mend:  "Rename the method."}
)

// The rules those of references and schemas.
var (
	ruleRefLimit = parse.Rule{Code: "ref_limit", Severity: wayfind.SeverityWarning, Section: contentSection,
		Means: "Methods or parameters refer to the same ones so often that the document grows beyond what is read.",
		Mend:  "Write each method once, and keep what is referred to short."}
)

// The rules of all formats that are reported here as well.
var (
	ruleMediaType   = parse.ReaderRule("media_type")
	ruleMissing     = parse.ReaderRule("missing")
	ruleLeftOut     = parse.ReaderRule("left_out")
	ruleRefSiblings = parse.ReaderRule("ref_siblings")
	ruleTooLong     = parse.ReaderRule("too_long")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)
