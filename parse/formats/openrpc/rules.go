package openrpc

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(documentRules(), serverRules(), methodRules(), referenceRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are those of the document as a whole.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "empty", Means: "A name or title is an empty text.",
			Mend: "Write the name."},
		{Code: "left_out", Means: "A member that the model has no field for is not kept: it is longer than 4 KiB, has more than eight levels, or holds a reference.",
			Mend: "Shorten what agents need to see, and write it out."},
		{Code: "listed_in_short", Means: "The methods share so many schemas that they are listed without their parameters, which are read method by method.",
			Mend: "Nothing has to be done; a reader fetches the document once more for each method it wants to call."},
		{Code: "no_method", Means: "The document has no method, or none that can be read.",
			Mend: "Describe the methods in `methods`. Nothing has to be done if there are none yet: the list may be empty."},
		{Code: "response_id", Means: "The answer to `rpc.discover` has another `id` than the request.",
			Mend: "Answer with the `id` of the request, as JSON-RPC 2.0 requires."},
		{Code: "too_long", Means: "A URL or the name of a tag is longer than what is read: 2,048 and 256 bytes.",
			Mend: "Shorten it."},
		{Code: "truncated", Means: "A list is longer than what is read of it, for example more than 1,000 methods.",
			Mend: "Split the document into several, one for each part of the API."},
		{Code: "unused", Means: "No method leads to a definition in `components`, so it is in no result.",
			Mend: "Drop the definition, or refer to it."},
		{Code: "version", Means: "The version in `openrpc` is not one of 1.x, or is newer than those that are known.",
			Mend: "Write the version of the specification that the document follows, such as \"1.4.0\"."},
	}
}

// serverRules are those of servers.
func serverRules() []parse.Rule {
	return []parse.Rule{
		{Code: "no_server", Means: "The document names no server, so nobody knows where to send a call.",
			Mend: "List the URL of the endpoint in `servers`."},
		{Code: "server", Means: "The URL of a server cannot be used.",
			Mend: "Write a full https URL, or a path that begins with a slash."},
		{Code: "server_address", Means: "The URL of a server has a scheme that is not one of the web, such as `ipc` or `tcp`.",
			Mend: "List an https or wss endpoint too, if there is one."},
		{Code: "server_default", Means: "The default of a server variable is not among the values in its `enum`.",
			Mend: "Choose a default from `enum`, or add it there."},
		{Code: "server_host", Means: "The host of a server is an IP address or no public name, or the port is not 443.",
			Mend: "Serve the API under a public host name on port 443, and write that."},
		{Code: "server_local", Means: "A server is on `localhost`, which is another machine for every reader.",
			Mend: "Write the public URL of the endpoint."},
		{Code: "server_scheme", Means: "A server is reached without TLS.",
			Mend: "Serve the API over https or wss, and write that."},
		{Code: "server_value", Means: "A value of a server's variable is no part of a host name, or has a slash or a dot segment in a path; it was dropped.",
			Mend: "Write the slashes into the URL of the server, and let each variable stand for one segment of it."},
		{Code: "server_variable", Means: "The URL of a server has a variable that has no default.",
			Mend: "Describe the variable in `variables`, with a `default`."},
	}
}

// methodRules are those of methods and what they hold.
func methodRules() []parse.Rule {
	return []parse.Rule{
		{Code: "bare_schema", Means: "A schema stands where a Content Descriptor belongs.",
			Mend: "Write an object with a `name`, and put the schema into its `schema`."},
		{Code: "duplicate_error", Means: "Two errors of one method have the same code.",
			Mend: "Give each error a code of its own, or describe both in one entry."},
		{Code: "duplicate_method", Means: "Two methods have the same name, so a call can only mean one of them.",
			Mend: "Give each method a name of its own, or remove one of the two."},
		{Code: "example_value", Means: "An example has no `value`, so the call that it shows is not complete.",
			Mend: "Write the value into the document."},
		{Code: "one_of", Means: "A parameter or result is written as a list of alternatives in `oneOf`, which versions since 1.3 do not have.",
			Mend: "Describe one, and put the alternatives into `oneOf` of its schema."},
		{Code: "param_names", Means: "Two parameters of one method have the same name.",
			Mend: "Give each parameter a name of its own."},
		{Code: "param_order", Means: "A required parameter stands behind an optional one, which nobody can leave out by position.",
			Mend: "Move the required parameters to the front."},
		{Code: "param_structure", Means: "`paramStructure` has a value that the specification does not know.",
			Mend: "Write `by-name`, `by-position` or `either`."},
		{Code: "reserved_name", Means: "The name of a method begins with `rpc.`, which JSON-RPC keeps for its extensions.",
			Mend: "Rename the method."},
	}
}

// referenceRules are those of references and schemas.
func referenceRules() []parse.Rule {
	return []parse.Rule{
		{Code: "ref_cycle", Means: "A reference leads to itself, or is one of more than 16 that follow each other.",
			Mend: "Let the reference lead to the value itself."},
		{Code: "ref_dangling", Means: "A reference leads to nothing in the document.",
			Mend: "Define what it means, below `components`, or correct the reference."},
		{Code: "ref_external", Means: "A reference leads out of the document; such references are never followed.",
			Mend: "Copy what it means into the document, below `components`."},
		{Code: "ref_kind", Means: "A reference leads to something that is no schema, where a schema belongs.",
			Mend: "Let it lead to a schema."},
		{Code: "ref_limit", Means: "Methods or parameters refer to the same ones so often that the document grows beyond what is read.",
			Mend: "Write each method once, and keep what is referred to short."},
		{Code: "ref_siblings", Means: "A member stands beside `$ref`, where it is ignored, as draft-07 of JSON Schema says of schemas.",
			Mend: "Put the reference and the keyword into `allOf`."},
		{Code: "schema_limit", Means: "The schemas of a method have more than 1,000 subschemas, 512 KiB or 48 levels; what is beyond counts as any value.",
			Mend: "Simplify the schemas."},
	}
}
