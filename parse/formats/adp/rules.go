package adp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAmbiguousPrefix, ruleAuthName, ruleAuthNone, ruleAuthPlace, ruleAuthScopes, ruleAuthType, ruleBaseFromDocument,
		ruleBaseURL, ruleBaseURLHost, ruleBaseURLPath, ruleBaseURLQuery, ruleBaseURLScheme, ruleBaseURLSlash,
		ruleDescriptionLength, ruleDetailName, ruleDetailURL, ruleDetailURLScheme, ruleDuplicateName,
		ruleDuplicateParameter, ruleEndpoint, ruleEndpointNotation, ruleEndpointRelative, ruleNameSyntax,
		ruleNeedsVariables, ruleNoCapability, ruleOAuthURL, ruleParamName, ruleParameterIn, ruleParameterName,
		ruleParameterType, rulePathParameter, rulePrefix, rulePricingType, ruleRateLimit, ruleTruncated, ruleVersion,
	}
}

// The rules those of the manifest, but for its auth.
var (
	ruleBaseFromDocument = parse.Rule{Code: "base_from_document", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "There is no `base_url`, so relative URLs were resolved against the host that served the manifest.",
		Mend:  "Add `base_url`, which the specification requires."}
	ruleBaseURL = parse.Rule{Code: "base_url", Severity: wayfind.SeverityError, Section: "§2",
		Means: "`base_url` cannot be used: it is not a full http or https URL, or it holds a user name, a blank or braces that do not match.",
		Mend:  "Write a full URL such as `https://api.example.com`, without user name and password."}
	ruleBaseURLHost = parse.Rule{Code: "base_url_host", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "The host of `base_url` is an IP address or no public name, or has a port other than 443.",
		Mend:  "Serve the API under a public host name on port 443."}
	ruleBaseURLPath = parse.Rule{Code: "base_url_path", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "`base_url` has a path, and readers differ on whether a `detail_url` that begins with a slash stands below it.",
		Mend:  "Nothing has to be done: both places are asked, the one below the path first. A full URL in `detail_url` leaves nothing to guess."}
	ruleBaseURLQuery = parse.Rule{Code: "base_url_query", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "`base_url` has a query or a fragment, which were dropped.",
		Mend:  "Drop the question mark or number sign in `base_url` and all that follows."}
	ruleBaseURLScheme = parse.Rule{Code: "base_url_scheme", Severity: wayfind.SeverityError, Section: "§7",
		Means: "`base_url` does not start with `https://`.",
		Mend:  "Serve the API over https, and write its URL that way."}
	ruleBaseURLSlash = parse.Rule{Code: "base_url_slash", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "`base_url` ends in a slash, which was dropped before paths were appended to it.",
		Mend:  "Drop the slash at the end of `base_url`."}
	ruleDescriptionLength = parse.Rule{Code: "description_length", Severity: wayfind.SeverityError, Section: "§7",
		Means: "The description of the service has fewer than 10 or more than 200 characters.",
		Mend:  "Describe the service in 10 to 200 characters."}
	ruleDetailURL = parse.Rule{Code: "detail_url", Severity: wayfind.SeverityError, Section: "§2",
		Means: "A `detail_url` cannot be used: it is neither a path nor a full http or https URL, or it has variables, a user name or a blank.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleDetailURLScheme = parse.Rule{Code: "detail_url_scheme", Severity: wayfind.SeverityError, Section: "§7",
		Means: "A `detail_url` is a full URL that does not start with `https://`.",
		Mend:  "Serve the detail documents over https, and write their URLs that way."}
	ruleDuplicateName = parse.Rule{Code: "duplicate_name", Severity: wayfind.SeverityError, Section: "§7",
		Means: "Two capabilities have the same name.",
		Mend:  "Give each capability a name of its own."}
	ruleNeedsVariables = parse.Rule{Code: "needs_variables", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "`base_url` has variables, so detail documents below it cannot be fetched, or only without its path.",
		Mend:  "Write `base_url` without variables, or each `detail_url` as a full URL."}
	ruleNoCapability = parse.Rule{Code: "no_capability", Severity: wayfind.SeverityError, Section: "§7",
		Means: "The manifest has no capability that can be used, and at least one is required.",
		Mend:  "List at least one capability with `name`, `description` and `detail_url`."}
	rulePricingType = parse.Rule{Code: "pricing_type", Severity: wayfind.SeverityWarning, Section: "§4",
		Means: "The type of `pricing` is none of `free`, `freemium` and `paid`.",
		Mend:  "Write one of the three, and describe the rest in `plans`."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§7",
		Means: "`spec_version` is not \"1.0\", and the document was read as if it were.",
		Mend:  "Write \"1.0\", if that is the version you follow."}
)

// The rules those of the auth object.
var (
	ruleAmbiguousPrefix = parse.Rule{Code: "ambiguous_prefix", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key goes into a header other than `Authorization` and no prefix is given; the default, `Bearer`, is hardly meant.",
		Mend:  "Add `prefix`: the word that stands before the key, or an empty string for the bare key."}
	ruleAuthName = parse.Rule{Code: "auth_name", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key goes into the query or a cookie, and its name there is not given.",
		Mend:  "Name the query parameter or cookie in `param_name`. Better, accept the key in a header field and name that in `header`."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The type of `auth` is `none`, and another member says how to authenticate.",
		Mend:  "Remove that member, or write the type that is meant, `api_key` or `oauth2`."}
	ruleAuthPlace = parse.Rule{Code: "auth_place", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key goes somewhere else than into a header field, which is all that the specification knows, or `in` names an unknown place.",
		Mend:  "Accept the key in a header field, name it in `header`, and remove `in`, `query_param` and `param_name`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The type of `auth` is none of `none`, `api_key` and `oauth2`.",
		Mend:  "Write one of the three. A token that is sent as a bearer token is an `api_key`, of which that is the default."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError, Section: "§3",
		Means: "`authorization_url` or `token_url` does not start with `https://` or holds a user name, and was ignored.",
		Mend:  "Write an https URL without user name and password."}
	ruleParamName = parse.Rule{Code: "param_name", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The name of the query parameter or cookie for the key has characters that do not belong there or is too long, and was ignored.",
		Mend:  "Write a name of letters, digits, hyphens and underscores."}
	rulePrefix = parse.Rule{Code: "prefix", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The prefix is too long or has characters that a header field cannot have, and was ignored.",
		Mend:  "Write the word that stands before the key in ASCII, such as `Bearer`."}
)

// The rules those of detail documents, and what they share with the manifest.
var (
	ruleAuthScopes = parse.Rule{Code: "auth_scopes", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A detail document requires scopes, and the service needs no authentication.",
		Mend:  "Remove `auth_scopes`, or say in the `auth` of the manifest how to get a token."}
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A detail document has another name than the capability that links to it.",
		Mend:  "Write the same `name` in both, or mend the `detail_url`."}
	ruleDuplicateParameter = parse.Rule{Code: "duplicate_parameter", Severity: wayfind.SeverityError, Section: "§5",
		Means: "A parameter stands twice in the same place, and the second was ignored.",
		Mend:  "Remove one of the two, or rename it."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The `endpoint` cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
		Mend:  "Write a path that begins with a slash, which is appended to `base_url`, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "The variables of the `endpoint` are not written as `{name}`, so they were guessed.",
		Mend:  "Write each variable as `{name}`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§5",
		Means: "The `endpoint` is a path, and the `base_url` that it belongs to is not known, because the document was read alone or the manifest has no usable one.",
		Mend:  "Nothing has to be done if the `base_url` of the manifest is right: it is used when the document is read through its manifest."}
	ruleNameSyntax = parse.Rule{Code: "name_syntax", Severity: wayfind.SeverityError, Section: "§7",
		Means: "A name is empty or not in snake_case, which is lower-case letters, digits and underscores after a letter.",
		Mend:  "Write the name like `send_letter`."}
	ruleParameterIn = parse.Rule{Code: "parameter_in", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`in` or `location` of a parameter names an unknown place, or the two contradict each other.",
		Mend:  "Write `path`, `query`, `header`, `body` or `cookie` in one of the two."}
	ruleParameterName = parse.Rule{Code: "parameter_name", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The name of a parameter is empty, and the parameter was ignored.",
		Mend:  "Name the parameter, or remove it."}
	ruleParameterType = parse.Rule{Code: "parameter_type", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "The type of a parameter is not known, so any value is taken.",
		Mend:  "Write `string`, `integer`, `number`, `boolean`, `array` or `object`."}
	rulePathParameter = parse.Rule{Code: "path_parameter", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The parameters and the variables of the `endpoint` do not agree, or a parameter in the path is said not to be required.",
		Mend:  "List each variable of the `endpoint` as a parameter with `required` true, and let no other parameter go into the path."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A rate limit is zero or less, and was ignored.",
		Mend:  "Write a number above zero, or remove the limit."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "There are more capabilities or parameters than are read.",
		Mend:  "List at most 1,000 of them."}
)

// The rules of all formats that are reported here as well.
var (
	ruleDotSegments = parse.ReaderRule("dot_segments")
	ruleHeaderName  = parse.ReaderRule("header_name")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)
