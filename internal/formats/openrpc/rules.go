package openrpc

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleBareSchema, ruleDuplicateError, ruleDuplicateMethod, ruleEmpty, ruleExampleValue, ruleListedInShort,
		ruleNoMethod, ruleNoServer, ruleOneOf, ruleParamNames, ruleParamOrder, ruleParamStructure, ruleRefLimit,
		ruleReservedName, ruleResponseID, ruleServer, ruleServerAddress, ruleServerLocal, ruleTruncated, ruleUnused,
		ruleVersion,
	}
}

// examples returns values of members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"code":    `-32001`,
		"default": `"v1"`,
		"info":    `{"title": "Book shop", "version": "1.0.0"}`,
		"message": `"The book is out of print."`,
		"methods": `[]`,
		"name":    `"find_books"`,
		"openrpc": `"1.4.0"`,
		"params":  `[]`,
		"result":  `{"name": "books", "schema": {"type": "array"}}`,
		"schema":  `{"type": "string"}`,
		"title":   `"Book shop"`,
		"url":     `"https://rpc.example.com"`,
		"version": `"1.0.0"`,
	}
}

// The rules of the document as a whole.
var (
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityError, Section: "Info Object",
		Means: "A name or title is empty.",
		Mend:  "Write the name."}
	ruleListedInShort = parse.Rule{Code: "listed_in_short", Severity: wayfind.SeverityInfo, Section: "OpenRPC Object",
		Means: "The methods share too many schemas. They are listed without their parameters, and each is read on its own.",
		Mend:  "No change is needed. A reader fetches the document once more for each method."}
	ruleNoMethod = parse.Rule{Code: "no_method", Severity: wayfind.SeverityWarning, Section: "OpenRPC Object",
		Means: "The document has no readable method.",
		Mend:  "Describe the methods in `methods`. If there are none yet, the empty list needs no change."}
	ruleResponseID = parse.Rule{Code: "response_id", Severity: wayfind.SeverityWarning, Section: "Service Discovery Method",
		Means: "The answer to `rpc.discover` has a different `id` from the request.",
		Mend:  "Answer with the `id` of the request, as JSON-RPC 2.0 requires."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: methodSection,
		Means: "A list is longer than this program reads, for example more than 1,000 methods.",
		Mend:  "Split the document into several, one for each part of the API."}
	ruleUnused = parse.Rule{Code: "unused", Severity: wayfind.SeverityInfo, Section: "Components Object",
		Means: "No method leads to a definition in `components`, so it is in no result.",
		Mend:  "Drop the definition, or refer to it."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "OpenRPC Object",
		Means: "The version in `openrpc` is not one of 1.x, or it is newer than the known versions.",
		Mend:  "Write the version of the specification that the document follows, such as \"1.4.0\"."}
)

// The rules of servers.
var (
	ruleNoServer = parse.Rule{Code: "no_server", Severity: wayfind.SeverityWarning, Section: "OpenRPC Object",
		Means: "The document names no server. The address of the calls is therefore unknown.",
		Mend:  "List the URL of the endpoint in `servers`."}
	ruleServer = parse.Rule{Code: "server", Severity: wayfind.SeverityError, Section: serverSection,
		Means: "The URL of a server cannot be used.",
		Mend:  "Write a full https URL, or a path that begins with a slash."}
	ruleServerAddress = parse.Rule{Code: "server_address", Severity: wayfind.SeverityInfo, Section: serverSection,
		Means: "The URL of a server has a scheme that is not used on the web, such as `ipc` or `tcp`.",
		Mend:  "Also list an https or wss endpoint, if there is one."}
	ruleServerLocal = parse.Rule{Code: "server_local", Severity: wayfind.SeverityWarning, Section: serverSection,
		Means: "A server is on `localhost`. That name is a different machine for every reader.",
		Mend:  "Write the public URL of the endpoint."}
)

// The rules of methods and their parts.
var (
	ruleBareSchema = parse.Rule{Code: "bare_schema", Severity: wayfind.SeverityError, Section: contentSection,
		Means: "A schema is written in place of a Content Descriptor.",
		Mend:  "Write an object with a `name`, and put the schema into its `schema`."}
	ruleDuplicateError = parse.Rule{Code: "duplicate_error", Severity: wayfind.SeverityError, Section: "Error Object",
		Means: "Two errors of one method have the same code.",
		Mend:  "Give each error a code of its own, or describe both in one entry."}
	ruleDuplicateMethod = parse.Rule{Code: "duplicate_method", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "Two methods have the same name. A call can only mean one of them.",
		Mend:  "Give each method a name of its own, or remove one of the two."}
	ruleExampleValue = parse.Rule{Code: "example_value", Severity: wayfind.SeverityWarning, Section: "Example Object",
		Means: "An example has no `value`. The call that it shows is incomplete.",
		Mend:  "Write the value into the document."}
	ruleOneOf = parse.Rule{Code: "one_of", Severity: wayfind.SeverityWarning, Section: contentSection,
		Means: "A parameter or result is a list of alternatives in `oneOf`. Versions since 1.3 do not allow this.",
		Mend:  "Describe one parameter or result, and put the alternatives into `oneOf` of its schema."}
	ruleParamNames = parse.Rule{Code: "param_names", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "Two parameters of one method have the same name.",
		Mend:  "Give each parameter a name of its own."}
	ruleParamOrder = parse.Rule{Code: "param_order", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "A required parameter comes after an optional one. A caller cannot leave out the optional one by position.",
		Mend:  "Move the required parameters to the front."}
	ruleParamStructure = parse.Rule{Code: "param_structure", Severity: wayfind.SeverityError, Section: methodSection,
		Means: "`paramStructure` has an unknown value.",
		Mend:  "Write `by-name`, `by-position` or `either`."}
	ruleReservedName = parse.Rule{Code: "reserved_name", Severity: wayfind.SeverityWarning, Section: methodSection,
		Means: "The name of a method begins with `rpc.`. JSON-RPC reserves such names for its extensions.",
		Mend:  "Rename the method."}
)

// The rules of references and schemas.
var (
	ruleRefLimit = parse.Rule{Code: "ref_limit", Severity: wayfind.SeverityWarning, Section: contentSection,
		Means: "Methods or parameters refer to the same values too often. The document would grow beyond the limits.",
		Mend:  "Write each method once, and keep referenced values short."}
)

// The rules of all formats that are reported here as well.
var (
	ruleMediaType   = parse.ReaderRule("media_type")
	ruleLeftOut     = parse.ReaderRule("left_out")
	ruleRefSiblings = parse.ReaderRule("ref_siblings")
	ruleTooLong     = parse.ReaderRule("too_long")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)
