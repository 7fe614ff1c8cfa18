package adp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
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

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"auth":              `{"type": "none"}`,
		"auth.type":         `"api_key"`,
		"authorization_url": `"https://auth.example.com/authorize"`,
		"base_url":          `"https://api.example.com"`,
		"capabilities":      `[{"name": "send_letter", "description": "Sends a letter on paper.", "detail_url": "/agent/send_letter"}]`,
		"description":       `"Sends letters on paper to any address."`,
		"detail_url":        `"/agent/send_letter"`,
		"endpoint":          `"/v1/letters"`,
		"header":            `"X-API-Key"`,
		"method":            `"POST"`,
		"name":              `"Letter service"`,
		"capabilities.name": `"send_letter"`,
		"parameters.name":   `"address"`,
		"param_name":        `"api_key"`,
		"parameters":        `[]`,
		"pricing.type":      `"free"`,
		"request_example":   `{"to": "Jane Doe"}`,
		"response_example":  `{"id": "letter-1"}`,
		"spec_version":      `"1.0"`,
		"token_url":         `"https://auth.example.com/token"`,
		"type":              `"string"`,
	}
}

// The rules about the manifest, except its auth.
var (
	ruleBaseFromDocument = parse.Rule{Code: "base_from_document", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "`base_url` is missing. Relative URLs were resolved against the host that served the manifest.",
		Mend:  "Add `base_url`, which the specification requires."}
	ruleBaseURL = parse.Rule{Code: "base_url", Severity: wayfind.SeverityError, Section: "§2",
		Means: "`base_url` cannot be used: it is not a full http or https URL, or it holds a user name, a space or unbalanced braces.",
		Mend:  "Write a full URL such as `https://api.example.com`, without user name and password."}
	ruleBaseURLHost = parse.Rule{Code: "base_url_host", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "The host of `base_url` is an IP address or is not a public name, or it has a port other than 443.",
		Mend:  "Serve the API under a public host name on port 443."}
	ruleBaseURLPath = parse.Rule{Code: "base_url_path", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "`base_url` has a path. Readers disagree about whether that path comes before a `detail_url` that begins with a slash.",
		Mend:  "No change is needed: both places are asked, the one with the path first. A full URL in `detail_url` is unambiguous."}
	ruleBaseURLQuery = parse.Rule{Code: "base_url_query", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "`base_url` has a query or a fragment. It was dropped.",
		Mend:  "Remove the question mark or number sign in `base_url` and the text after it."}
	ruleBaseURLScheme = parse.Rule{Code: "base_url_scheme", Severity: wayfind.SeverityError, Section: "§7",
		Means: "`base_url` does not start with `https://`.",
		Mend:  "Serve the API over https, and write its URL with `https://`."}
	ruleBaseURLSlash = parse.Rule{Code: "base_url_slash", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "`base_url` ends in a slash. The slash was dropped before paths were appended.",
		Mend:  "Drop the slash at the end of `base_url`."}
	ruleDescriptionLength = parse.Rule{Code: "description_length", Severity: wayfind.SeverityError, Section: "§7",
		Means: "The description of the service has fewer than 10 or more than 200 characters.",
		Mend:  "Describe the service in 10 to 200 characters."}
	ruleDetailURL = parse.Rule{Code: "detail_url", Severity: wayfind.SeverityError, Section: "§2",
		Means: "A `detail_url` cannot be used: it is neither a path nor a full http or https URL, or it has variables, a user name or a space.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleDetailURLScheme = parse.Rule{Code: "detail_url_scheme", Severity: wayfind.SeverityError, Section: "§7",
		Means: "A `detail_url` is a full URL that does not start with `https://`.",
		Mend:  "Serve the detail documents over https, and write their URLs with `https://`."}
	ruleDuplicateName = parse.Rule{Code: "duplicate_name", Severity: wayfind.SeverityError, Section: "§7",
		Means: "Two capabilities have the same name.",
		Mend:  "Give each capability a name of its own."}
	ruleNeedsVariables = parse.Rule{Code: "needs_variables", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "`base_url` has variables. Detail documents below it cannot be fetched, or only without its path.",
		Mend:  "Write `base_url` without variables, or each `detail_url` as a full URL."}
	ruleNoCapability = parse.Rule{Code: "no_capability", Severity: wayfind.SeverityError, Section: "§7",
		Means: "The manifest has no capability that can be used, and at least one is required.",
		Mend:  "List at least one capability with `name`, `description` and `detail_url`."}
	rulePricingType = parse.Rule{Code: "pricing_type", Severity: wayfind.SeverityWarning, Section: "§4",
		Means: "The type of `pricing` is not one of `free`, `freemium` and `paid`.",
		Mend:  "Write one of the three, and describe the rest in `plans`."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§7",
		Means: "`spec_version` is not \"1.0\". The document was read as version 1.0.",
		Mend:  "Write \"1.0\", if that is the version you follow."}
)

// The rules about the auth object.
var (
	ruleAmbiguousPrefix = parse.Rule{Code: "ambiguous_prefix", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key goes into a header other than `Authorization`, and no prefix is given. The default prefix `Bearer` is probably wrong.",
		Mend:  "Add `prefix`: the word before the key, or an empty string for the bare key."}
	ruleAuthName = parse.Rule{Code: "auth_name", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key goes into the query or a cookie, but its name there is missing.",
		Mend:  "Name the query parameter or cookie in `param_name`. It is better to accept the key in a header field and to name that in `header`."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The type of `auth` is `none`, but another member says how to authenticate.",
		Mend:  "Remove that member, or correct the type to `api_key` or `oauth2`."}
	ruleAuthPlace = parse.Rule{Code: "auth_place", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The key does not go into a header field, which is the only place that the specification defines, or `in` names an unknown place.",
		Mend:  "Accept the key in a header field, name it in `header`, and remove `in`, `query_param` and `param_name`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The type of `auth` is not one of `none`, `api_key` and `oauth2`.",
		Mend:  "Write one of the three. Use `api_key` for a bearer token, which is its default."}
	ruleOAuthURL = parse.Rule{Code: "oauth_url", Severity: wayfind.SeverityError, Section: "§3",
		Means: "`authorization_url` or `token_url` does not start with `https://` or contains a user name. It was ignored.",
		Mend:  "Write an https URL without user name and password."}
	ruleParamName = parse.Rule{Code: "param_name", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The name of the query parameter or cookie for the key is too long or has invalid characters. It was ignored.",
		Mend:  "Write a name of letters, digits, hyphens and underscores."}
	rulePrefix = parse.Rule{Code: "prefix", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The prefix is too long or has characters that are invalid in a header field. It was ignored.",
		Mend:  "Write the word before the key in ASCII, such as `Bearer`."}
)

// The rules about detail documents, including the rules that also apply to the
// manifest.
var (
	ruleAuthScopes = parse.Rule{Code: "auth_scopes", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A detail document requires scopes, but the service requires no authentication.",
		Mend:  "Remove `auth_scopes`, or say in the `auth` of the manifest how to get a token."}
	ruleDetailName = parse.Rule{Code: "detail_name", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A detail document has another name than the capability that links to it.",
		Mend:  "Write the same `name` in both, or correct the `detail_url`."}
	ruleDuplicateParameter = parse.Rule{Code: "duplicate_parameter", Severity: wayfind.SeverityError, Section: "§5",
		Means: "Two parameters have the same name and place. The second was ignored.",
		Mend:  "Remove one of the two, or rename it."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The `endpoint` cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a space or unbalanced braces.",
		Mend:  "Write a path that begins with a slash, which is appended to `base_url`, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "The variables of the `endpoint` are not written as `{name}`. Their names were guessed.",
		Mend:  "Write each variable as `{name}`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§5",
		Means: "The `endpoint` is a path, but its `base_url` is unknown. The document was read alone, or the manifest has no usable `base_url`.",
		Mend:  "No change is needed if the `base_url` of the manifest is right. It is used when the document is read through its manifest."}
	ruleNameSyntax = parse.Rule{Code: "name_syntax", Severity: wayfind.SeverityError, Section: "§7",
		Means: "A name is empty or not in snake_case: lower-case letters, digits and underscores, beginning with a letter.",
		Mend:  "Write the name like `send_letter`."}
	ruleParameterIn = parse.Rule{Code: "parameter_in", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`in` or `location` of a parameter names an unknown place, or the two contradict each other.",
		Mend:  "Write `path`, `query`, `header`, `body` or `cookie` in one of the two."}
	ruleParameterName = parse.Rule{Code: "parameter_name", Severity: wayfind.SeverityError, Section: "§5",
		Means: "A parameter has an empty name. It was ignored.",
		Mend:  "Name the parameter, or remove it."}
	ruleParameterType = parse.Rule{Code: "parameter_type", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "The type of a parameter is unknown. Any value is accepted.",
		Mend:  "Write `string`, `integer`, `number`, `boolean`, `array` or `object`."}
	rulePathParameter = parse.Rule{Code: "path_parameter", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The parameters do not match the variables of the `endpoint`, or a parameter in the path is marked as not required.",
		Mend:  "List each variable of the `endpoint` as a parameter with `required` true. Let no other parameter go into the path."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "A rate limit is zero or negative. It was ignored.",
		Mend:  "Write a number above zero, or remove the limit."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "The document has more capabilities or parameters than this program reads.",
		Mend:  "List at most 1,000 of them."}
)

// The rules of all formats that this package reports as well.
var (
	ruleDotSegments = parse.ReaderRule("dot_segments")
	ruleHeaderName  = parse.ReaderRule("header_name")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)
