package adp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(manifestRules(), authRules(), detailRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// manifestRules are those of the manifest, but for its auth.
func manifestRules() []parse.Rule {
	return []parse.Rule{
		{Code: "base_from_document", Means: "There is no `base_url`, so relative URLs were resolved against the host that served the manifest.",
			Mend: "Add `base_url`, which the specification requires."},
		{Code: "base_url", Means: "`base_url` cannot be used: it is not a full http or https URL, or it holds a user name, a blank or braces that do not match.",
			Mend: "Write a full URL such as `https://api.example.com`, without user name and password."},
		{Code: "base_url_host", Means: "The host of `base_url` is an IP address or no public name, or has a port other than 443.",
			Mend: "Serve the API under a public host name on port 443."},
		{Code: "base_url_path", Means: "`base_url` has a path, and readers differ on whether a `detail_url` that begins with a slash stands below it.",
			Mend: "Nothing has to be done: both places are asked, the one below the path first. A full URL in `detail_url` leaves nothing to guess."},
		{Code: "base_url_query", Means: "`base_url` has a query or a fragment, which were dropped.",
			Mend: "Drop the question mark or number sign in `base_url` and all that follows."},
		{Code: "base_url_scheme", Means: "`base_url` does not start with `https://`.",
			Mend: "Serve the API over https, and write its URL that way."},
		{Code: "base_url_slash", Means: "`base_url` ends in a slash, which was dropped before paths were appended to it.",
			Mend: "Drop the slash at the end of `base_url`."},
		{Code: "description_length", Means: "The description of the service has fewer than 10 or more than 200 characters.",
			Mend: "Describe the service in 10 to 200 characters."},
		{Code: "detail_url", Means: "A `detail_url` cannot be used: it is neither a path nor a full http or https URL, or it has variables, a user name or a blank.",
			Mend: "Write a path that begins with a slash, or a full https URL."},
		{Code: "detail_url_scheme", Means: "A `detail_url` is a full URL that does not start with `https://`.",
			Mend: "Serve the detail documents over https, and write their URLs that way."},
		{Code: "duplicate_name", Means: "Two capabilities have the same name.",
			Mend: "Give each capability a name of its own."},
		{Code: "needs_variables", Means: "`base_url` has variables, so detail documents below it cannot be fetched, or only without its path.",
			Mend: "Write `base_url` without variables, or each `detail_url` as a full URL."},
		{Code: "no_capability", Means: "The manifest has no capability that can be used, and at least one is required.",
			Mend: "List at least one capability with `name`, `description` and `detail_url`."},
		{Code: "pricing_type", Means: "The type of `pricing` is none of `free`, `freemium` and `paid`.",
			Mend: "Write one of the three, and describe the rest in `plans`."},
		{Code: "version", Means: "`spec_version` is not \"1.0\", and the document was read as if it were.",
			Mend: "Write \"1.0\", if that is the version you follow."},
	}
}

// authRules are those of the auth object.
func authRules() []parse.Rule {
	return []parse.Rule{
		{Code: "ambiguous_prefix", Means: "The key goes into a header other than `Authorization` and no prefix is given; the default, `Bearer`, is hardly meant.",
			Mend: "Add `prefix`: the word that stands before the key, or an empty string for the bare key."},
		{Code: "auth_name", Means: "The key goes into the query or a cookie, and its name there is not given.",
			Mend: "Name the query parameter or cookie in `param_name`. Better, accept the key in a header field and name that in `header`."},
		{Code: "auth_none", Means: "The type of `auth` is `none`, and another member says how to authenticate.",
			Mend: "Remove that member, or write the type that is meant, `api_key` or `oauth2`."},
		{Code: "auth_place", Means: "The key goes somewhere else than into a header field, which is all that the specification knows, or `in` names an unknown place.",
			Mend: "Accept the key in a header field, name it in `header`, and remove `in`, `query_param` and `param_name`."},
		{Code: "auth_type", Means: "The type of `auth` is none of `none`, `api_key` and `oauth2`.",
			Mend: "Write one of the three. A token that is sent as a bearer token is an `api_key`, of which that is the default."},
		{Code: "oauth_url", Means: "`authorization_url` or `token_url` does not start with `https://` or holds a user name, and was ignored.",
			Mend: "Write an https URL without user name and password."},
		{Code: "param_name", Means: "The name of the query parameter or cookie for the key has characters that do not belong there or is too long, and was ignored.",
			Mend: "Write a name of letters, digits, hyphens and underscores."},
		{Code: "prefix", Means: "The prefix is too long or has characters that a header field cannot have, and was ignored.",
			Mend: "Write the word that stands before the key in ASCII, such as `Bearer`."},
	}
}

// detailRules are those of detail documents, and what they share with the manifest.
func detailRules() []parse.Rule {
	return []parse.Rule{
		{Code: "auth_scopes", Means: "A detail document requires scopes, and the service needs no authentication.",
			Mend: "Remove `auth_scopes`, or say in the `auth` of the manifest how to get a token."},
		{Code: "detail_name", Means: "A detail document has another name than the capability that links to it.",
			Mend: "Write the same `name` in both, or mend the `detail_url`."},
		{Code: "duplicate_parameter", Means: "A parameter stands twice in the same place, and the second was ignored.",
			Mend: "Remove one of the two, or rename it."},
		{Code: "endpoint", Means: "The `endpoint` cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
			Mend: "Write a path that begins with a slash, which is appended to `base_url`, or a full https URL."},
		{Code: "endpoint_notation", Means: "The variables of the `endpoint` are not written as `{name}`, so they were guessed.",
			Mend: "Write each variable as `{name}`."},
		{Code: "endpoint_relative", Means: "The `endpoint` is a path, and the `base_url` that it belongs to is not known, because the document was read alone or the manifest has no usable one.",
			Mend: "Nothing has to be done if the `base_url` of the manifest is right: it is used when the document is read through its manifest."},
		{Code: "name_syntax", Means: "A name is empty or not in snake_case, which is lower-case letters, digits and underscores after a letter.",
			Mend: "Write the name like `send_letter`."},
		{Code: "parameter_in", Means: "`in` or `location` of a parameter names an unknown place, or the two contradict each other.",
			Mend: "Write `path`, `query`, `header`, `body` or `cookie` in one of the two."},
		{Code: "parameter_name", Means: "The name of a parameter is empty, and the parameter was ignored.",
			Mend: "Name the parameter, or remove it."},
		{Code: "parameter_type", Means: "The type of a parameter is not known, so any value is taken.",
			Mend: "Write `string`, `integer`, `number`, `boolean`, `array` or `object`."},
		{Code: "path_parameter", Means: "The parameters and the variables of the `endpoint` do not agree, or a parameter in the path is said not to be required.",
			Mend: "List each variable of the `endpoint` as a parameter with `required` true, and let no other parameter go into the path."},
		{Code: "rate_limit", Means: "A rate limit is zero or less, and was ignored.",
			Mend: "Write a number above zero, or remove the limit."},
		{Code: "truncated", Means: "There are more capabilities or parameters than are read.",
			Mend: "List at most 1,000 of them."},
	}
}
