package openapi

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(documentRules(), serverRules(), authRules(), operationRules(), referenceRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are those of the document as a whole.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "no_operation", Means: "The document has no operation, or none that can be read.",
			Mend: "Describe the operations below `paths`. Nothing has to be done if there are none: a document may have webhooks or schemas only."},
		{Code: "too_long", Means: "A name or URL is longer than what is read: 256 and 2,048 bytes.",
			Mend: "Shorten it."},
		{Code: "truncated", Means: "A list is longer than what is read of it, for example more than 1,000 operations.",
			Mend: "Split the document into several, one for each part of the API."},
		{Code: "webhook", Means: "The document has a webhook, which the API calls and agents cannot; only its name is kept.",
			Mend: "Nothing has to be done."},
		{Code: "unused", Means: "No operation leads to a definition, so it is in no result.",
			Mend: "Drop the definition, or refer to it. Nothing has to be done if it is for webhooks or for other documents."},
		{Code: "version", Means: "The version in `openapi` or `swagger` is not known, or stands in the wrong one of the two.",
			Mend: "Write `openapi` with a version from 3.0 to 3.2, or `swagger` with \"2.0\"."},
	}
}

// serverRules are those of servers, and of what stood for them in 2.0.
func serverRules() []parse.Rule {
	return []parse.Rule{
		{Code: "base_path", Means: "`basePath` does not begin with a slash.",
			Mend: "Write a slash in front of it."},
		{Code: "host", Means: "`host` has a scheme or a path, which belong into `schemes` and `basePath`.",
			Mend: "Write the name of the host, and the port if it needs one."},
		{Code: "scheme", Means: "`schemes` names a protocol other than http and https, which was left out.",
			Mend: "Nothing has to be done."},
		{Code: "server", Means: "The URL of a server cannot be used: it is neither a full http or https URL nor a reference, or it holds a user name or a blank.",
			Mend: "Write a full https URL, or a path that begins with a slash."},
		{Code: "server_default", Means: "The default of a server's variable is not in its `enum`.",
			Mend: "Use one of the values of `enum`."},
		{Code: "server_host", Means: "The host of a server is an IP address or no public name, or has a port other than 443.",
			Mend: "Serve the API under a public host name on port 443."},
		{Code: "server_query", Means: "The URL of a server has a query or a fragment, which were dropped, because paths are written behind it.",
			Mend: "Drop the question mark or number sign and all that follows."},
		{Code: "server_scheme", Means: "The URL of a server does not start with `https://`.",
			Mend: "Serve the API over https, and write its URL that way."},
		{Code: "server_value", Means: "A value of a server's variable is no part of a host name, or has a slash or a dot segment in a path; it was dropped.",
			Mend: "Write the slashes into the URL of the server, and let each variable stand for one segment of it."},
		{Code: "server_variable", Means: "The URL of a server has a variable without a default, so nobody can tell where calls go.",
			Mend: "Give every variable a `default`."},
	}
}

// authRules are those of security.
func authRules() []parse.Rule {
	return []parse.Rule{
		{Code: "flow", Means: "The `flow` of an OAuth scheme is none of those of version 2.0.",
			Mend: "Write `implicit`, `password`, `application` or `accessCode`."},
		{Code: "scheme_in", Means: "An API key is to be sent in a place that is none of header, query and cookie.",
			Mend: "Write `header`, `query` or `cookie` into `in`."},
		{Code: "scheme_type", Means: "The type of a security scheme is none of the specification.",
			Mend: "Write `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`; in version 2.0 `basic`, `apiKey` or `oauth2`."},
		{Code: "security_undefined", Means: "`security` names a scheme that is not defined.",
			Mend: "Define it below `components.securitySchemes`, in version 2.0 below `securityDefinitions`."},
	}
}

// operationRules are those of paths, operations and parameters.
func operationRules() []parse.Rule {
	return []parse.Rule{
		{Code: "left_out", Means: "A text or an example of a response, or a member that the model has no field for, is not kept: it is too long (4 KiB of a text, 16 KiB of a member, 25 KiB of an example), has more than eight levels, holds a reference, or comes behind too many others.",
			Mend: "Shorten what agents need to see, and write it out."},
		{Code: "duplicate_id", Means: "Two operations have the same `operationId`.",
			Mend: "Give each operation an ID of its own."},
		{Code: "duplicate_param", Means: "A list of parameters has the same name and place twice.",
			Mend: "Drop one of the two."},
		{Code: "param_ignored", Means: "The header fields `Accept`, `Content-Type` and `Authorization` are described by media types and security, and are ignored as parameters.",
			Mend: "Drop the parameter."},
		{Code: "param_in", Means: "A parameter is to be sent in a place that the version does not know.",
			Mend: "Write `path`, `query`, `header` or `cookie`; a body is described by `requestBody`."},
		{Code: "param_names", Means: "Parameters in different places have the same name, so one schema of all parameters can have only the first.",
			Mend: "Give parameters names of their own where you can."},
		{Code: "path", Means: "A path does not begin with a slash, or cannot be a path.",
			Mend: "Write a path that begins with a slash, with variables in single braces."},
		{Code: "path_optional", Means: "A parameter in the path is not required, and without it there is no path.",
			Mend: "Write `required: true`."},
		{Code: "path_param", Means: "A path has a variable that no parameter describes.",
			Mend: "Describe it as a parameter with `in: path`."},
		{Code: "path_query", Means: "A path has a query or a fragment.",
			Mend: "Describe the query as parameters with `in: query`."},
		{Code: "responses", Means: "An operation has no response, and at least one is required before version 3.1.",
			Mend: "Describe the response of a call that goes well."},
	}
}

// referenceRules are those of references and schemas.
func referenceRules() []parse.Rule {
	return []parse.Rule{
		{Code: "ref_cycle", Means: "A reference leads back to itself.",
			Mend: "Let it lead to a value."},
		{Code: "ref_dangling", Means: "A reference leads nowhere in the document.",
			Mend: "Define what it refers to, or correct the pointer."},
		{Code: "ref_external", Means: "A reference leads out of the document, and such references are never followed.",
			Mend: "Bundle what it refers to into the document."},
		{Code: "ref_kind", Means: "A reference leads to a value that is no schema where a schema belongs.",
			Mend: "Let it lead to a schema."},
		{Code: "ref_limit", Means: "Paths refer to the same items so often that the document would become several times as long.",
			Mend: "Write the paths out, or fewer of them."},
		{Code: "ref_siblings", Means: "A reference has other members beside it. They are ignored, and in a path readers differ on which counts.",
			Mend: "Write one or the other."},
		{Code: "schema_limit", Means: "A schema with all it refers to is larger than what is read: 1,000 subschemas, 512 KiB or 48 levels.",
			Mend: "Describe what agents need in a smaller schema."},
	}
}
