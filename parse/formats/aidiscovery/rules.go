package aidiscovery

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(documentRules(), capabilityRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are those of the document as a whole and of all but its capabilities.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "agent_tier", Means: "`rate_limits` promises a tier for agents, and `auth.docs`, which would explain it, is missing.",
			Mend: "Add `docs` to `auth`, with the URL of a page that says how to get into the tier."},
		{Code: "auth_header", Means: "The header field for the key is not named, or a bearer token is said to go into another field than `Authorization`.",
			Mend: "Name the field in `auth.header`. If it is not `Authorization`, the type is `apikey`."},
		{Code: "auth_none", Means: "The type of `auth` is `none`, and a header is named or a capability has a method that may change something.",
			Mend: "Remove the header, if there is one, and require authentication for writing. If nothing is written, use `GET`."},
		{Code: "auth_type", Means: "The type of `auth` is not written as the specification does, or is none of its four.",
			Mend: "Write `none`, `apikey`, `bearer` or `oauth2`."},
		{Code: "category", Means: "A category is not one of those that the specification defines; it was kept.",
			Mend: "Write the nearest of the defined categories, such as `data` or `developer`."},
		{Code: "credential", Means: "A member of `auth` looks like a credential, which must never stand in a public document; it was ignored.",
			Mend: "Remove it and revoke the credential: others may have read it."},
		{Code: "description_length", Means: "The description of the service or of a capability is empty or longer than is allowed or recommended.",
			Mend: "Describe the service in 1 to 199 characters (300 are allowed), and each capability in 1 to 200."},
		{Code: "duplicate_value", Means: "A list of categories or languages has a value twice.",
			Mend: "Remove one of the two."},
		{Code: "empty_list", Means: "A list of categories or languages is empty.",
			Mend: "Remove the member, or write at least one value."},
		{Code: "language", Means: "A language is not a language tag.",
			Mend: "Write a tag of BCP 47, such as `en` or `pt-BR`."},
		{Code: "last_updated", Means: "`meta.last_updated` is not a date in one of the two forms that the specification has.",
			Mend: "Write it like `2026-03-10` or `2026-03-10T09:00:00Z`."},
		{Code: "location", Means: "The document was served at a URL with a query, which has no place there.",
			Mend: "Serve the document at `/.well-known/ai`, without redirecting to a URL with a question mark."},
		{Code: "name_length", Means: "The name of the service is empty or longer than is allowed.",
			Mend: "Name the service in 1 to 100 characters."},
		{Code: "no_capability", Means: "The document has no capability that can be used, and at least one is required.",
			Mend: "List at least one capability with `id`, `description`, `endpoint` and `method`."},
		{Code: "rate_limit", Means: "The rate limit is zero or less, and was ignored.",
			Mend: "Write a number above zero in `requests_per_minute`, or remove it."},
		{Code: "relative_url", Means: "A path stands where a full URL belongs; it was resolved against the document.",
			Mend: "Write the whole URL, with `https://` and the host."},
		{Code: "size", Means: "The document is larger than it should be, so some readers may refuse it.",
			Mend: "Keep the document below 64 KiB: list what agents need most, and shorten descriptions."},
		{Code: "unknown_field", Means: "A member at the top level is not one that the specification defines.",
			Mend: "Move private data into `meta`. In a document of a later version nothing has to be done: the member is kept as it is."},
		{Code: "unknown_member", Means: "An object has a member that the specification does not define for it.",
			Mend: "Remove the member, or move it into `meta`. Nothing is lost as long as it stays: it is kept as an extension, and the `name` of a capability as its title."},
		{Code: "version", Means: "`aiendpoint` is not \"1.0\", and the document was read as if it were.",
			Mend: "Write \"1.0\", if that is the version you follow. For a later version nothing has to be done."},
		{Code: "wrapped", Means: "Everything stands below `aiendpoint`, which is the member for the version.",
			Mend: "Move `service`, `capabilities` and the other members to the top level, and write \"1.0\" as `aiendpoint`."},
	}
}

// capabilityRules are those of a capability and its parameters.
func capabilityRules() []parse.Rule {
	return []parse.Rule{
		{Code: "duplicate_id", Means: "Two capabilities have the same id.",
			Mend: "Give each capability an id of its own."},
		{Code: "duplicate_param", Means: "A parameter stands twice, and the second was ignored.",
			Mend: "Remove one of the two, or rename it."},
		{Code: "endpoint", Means: "An endpoint cannot be used: it is neither a path that begins with a slash nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
			Mend: "Write a path that begins with a slash, or a full https URL."},
		{Code: "endpoint_notation", Means: "The variables of an endpoint are not written as the specification does, so they were guessed.",
			Mend: "Write each variable as `{name}` or `:name`."},
		{Code: "endpoint_relative", Means: "An endpoint is a path, and it is not known which host served the document.",
			Mend: "Nothing has to be done: the path is resolved when the document is read from its URL."},
		{Code: "id", Means: "The id of a capability is empty or not 1 to 64 lower-case letters, digits and underscores after a letter.",
			Mend: "Write the id like `search_products`."},
		{Code: "methods", Means: "A list of methods stands in `methods`, where one method belongs; the first was read.",
			Mend: "Write one method in `method`, and list a capability for each of the others."},
		{Code: "param_name", Means: "A parameter has no name, and was ignored.",
			Mend: "Write `params` as an object whose members are named like the parameters."},
		{Code: "param_notation", Means: "Parameters are not written in the notation of the specification, so they were read as well as they could be.",
			Mend: "Write each as one line: type, `required` or `optional`, constraints, and behind ` -- ` a description."},
		{Code: "param_type", Means: "The type of a parameter is not one of the specification.",
			Mend: "Write `string`, `integer`, `number`, `boolean` or `array`."},
		{Code: "params_form", Means: "The parameters are a list, or stand in `parameters`; they were read.",
			Mend: "Write them as an object in `params`."},
		{Code: "path_param", Means: "The parameters and the variables of the endpoint do not agree, or a parameter in the path is said to be optional.",
			Mend: "List each variable of the endpoint as a required parameter, and let no other parameter go into the path."},
		{Code: "returns_length", Means: "The description of what a capability returns is longer than is allowed.",
			Mend: "Describe the answer in at most 300 characters."},
		{Code: "too_many_capabilities", Means: "There are more capabilities than are read, which is 100.",
			Mend: "List the 100 that agents need most."},
		{Code: "too_many_params", Means: "A capability has more parameters than are read, which is 1,000.",
			Mend: "List the parameters that are needed."},
	}
}
