package aidiscovery

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAgentTier, ruleAuthHeader, ruleAuthNone, ruleAuthType, ruleCategory, ruleCredential, ruleDescriptionLength,
		ruleDuplicateID, ruleDuplicateParam, ruleDuplicateValue, ruleEmptyList, ruleEndpoint, ruleEndpointNotation,
		ruleEndpointRelative, ruleID, ruleLanguage, ruleLastUpdated, ruleLocation, ruleMethods, ruleNameLength,
		ruleNoCapability, ruleParamName, ruleParamNotation, ruleParamType, ruleParamsForm, rulePathParam, ruleRateLimit,
		ruleRelativeURL, ruleReturnsLength, ruleSize, ruleTooManyCapabilities, ruleTooManyParams, ruleUnknownField,
		ruleUnknownMember, ruleVersion, ruleWrapped,
	}
}

// The rules those of the document as a whole and of all but its capabilities.
var (
	ruleAgentTier = parse.Rule{Code: "agent_tier", Severity: wayfind.SeverityWarning, Section: "§3.6",
		Means: "`rate_limits` promises a tier for agents, and `auth.docs`, which would explain it, is missing.",
		Mend:  "Add `docs` to `auth`, with the URL of a page that says how to get into the tier."}
	ruleAuthHeader = parse.Rule{Code: "auth_header", Severity: wayfind.SeverityWarning, Section: "§3.4",
		Means: "The header field for the key is not named, or a bearer token is said to go into another field than `Authorization`.",
		Mend:  "Name the field in `auth.header`. If it is not `Authorization`, the type is `apikey`."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§3.4",
		Means: "The type of `auth` is `none`, and a header is named or a capability has a method that may change something.",
		Mend:  "Remove the header, if there is one, and require authentication for writing. If nothing is written, use `GET`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityError, Section: "§3.4",
		Means: "The type of `auth` is not written as the specification does, or is none of its four.",
		Mend:  "Write `none`, `apikey`, `bearer` or `oauth2`."}
	ruleCategory = parse.Rule{Code: "category", Severity: wayfind.SeverityWarning, Section: "§3.2",
		Means: "A category is not one of those that the specification defines; it was kept.",
		Mend:  "Write the nearest of the defined categories, such as `data` or `developer`."}
	ruleCredential = parse.Rule{Code: "credential", Severity: wayfind.SeverityError, Section: "§6.2",
		Means: "A member of `auth` looks like a credential, which must never stand in a public document; it was ignored.",
		Mend:  "Remove it and revoke the credential: others may have read it."}
	ruleDescriptionLength = parse.Rule{Code: "description_length", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "The description of the service or of a capability is empty or longer than is allowed or recommended.",
		Mend:  "Describe the service in 1 to 199 characters (300 are allowed), and each capability in 1 to 200."}
	ruleDuplicateValue = parse.Rule{Code: "duplicate_value", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "A list of categories or languages has a value twice.",
		Mend:  "Remove one of the two."}
	ruleEmptyList = parse.Rule{Code: "empty_list", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "A list of categories or languages is empty.",
		Mend:  "Remove the member, or write at least one value."}
	ruleLanguage = parse.Rule{Code: "language", Severity: wayfind.SeverityWarning, Section: "§3.2",
		Means: "A language is not a language tag.",
		Mend:  "Write a tag of BCP 47, such as `en` or `pt-BR`."}
	ruleLastUpdated = parse.Rule{Code: "last_updated", Severity: wayfind.SeverityWarning, Section: "§3.7",
		Means: "`meta.last_updated` is not a date in one of the two forms that the specification has.",
		Mend:  "Write it like `2026-03-10` or `2026-03-10T09:00:00Z`."}
	ruleLocation = parse.Rule{Code: "location", Severity: wayfind.SeverityError, Section: "§2.1",
		Means: "The document was served at a URL with a query, which has no place there.",
		Mend:  "Serve the document at `/.well-known/ai`, without redirecting to a URL with a question mark."}
	ruleNameLength = parse.Rule{Code: "name_length", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "The name of the service is empty or longer than is allowed.",
		Mend:  "Name the service in 1 to 100 characters."}
	ruleNoCapability = parse.Rule{Code: "no_capability", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The document has no capability that can be used, and at least one is required.",
		Mend:  "List at least one capability with `id`, `description`, `endpoint` and `method`."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityError, Section: "§3.6",
		Means: "The rate limit is zero or less, and was ignored.",
		Mend:  "Write a number above zero in `requests_per_minute`, or remove it."}
	ruleRelativeURL = parse.Rule{Code: "relative_url", Severity: wayfind.SeverityWarning,
		Means: "A path stands where a full URL belongs; it was resolved against the document.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleSize = parse.Rule{Code: "size", Severity: wayfind.SeverityWarning, Section: "§4.5",
		Means: "The document is larger than it should be, so some readers may refuse it.",
		Mend:  "Keep the document below 64 KiB: list what agents need most, and shorten descriptions."}
	ruleUnknownField = parse.Rule{Code: "unknown_field", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "A member at the top level is not one that the specification defines.",
		Mend:  "Move private data into `meta`. In a document of a later version nothing has to be done: the member is kept as it is."}
	ruleUnknownMember = parse.Rule{Code: "unknown_member", Severity: wayfind.SeverityInfo, Section: "App. B",
		Means: "An object has a member that the specification does not define for it.",
		Mend:  "Remove the member, or move it into `meta`. Nothing is lost as long as it stays: it is kept as an extension, and the `name` of a capability as its title."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "`aiendpoint` is not \"1.0\", and the document was read as if it were.",
		Mend:  "Write \"1.0\", if that is the version you follow. For a later version nothing has to be done."}
	ruleWrapped = parse.Rule{Code: "wrapped", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "Everything stands below `aiendpoint`, which is the member for the version.",
		Mend:  "Move `service`, `capabilities` and the other members to the top level, and write \"1.0\" as `aiendpoint`."}
)

// The rules those of a capability and its parameters.
var (
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "Two capabilities have the same id.",
		Mend:  "Give each capability an id of its own."}
	ruleDuplicateParam = parse.Rule{Code: "duplicate_param", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "A parameter stands twice, and the second was ignored.",
		Mend:  "Remove one of the two, or rename it."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "An endpoint cannot be used: it is neither a path that begins with a slash nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The variables of an endpoint are not written as the specification does, so they were guessed.",
		Mend:  "Write each variable as `{name}` or `:name`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§3.3",
		Means: "An endpoint is a path, and it is not known which host served the document.",
		Mend:  "Nothing has to be done: the path is resolved when the document is read from its URL."}
	ruleID = parse.Rule{Code: "id", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The id of a capability is empty or not 1 to 64 lower-case letters, digits and underscores after a letter.",
		Mend:  "Write the id like `search_products`."}
	ruleMethods = parse.Rule{Code: "methods", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "A list of methods stands in `methods`, where one method belongs; the first was read.",
		Mend:  "Write one method in `method`, and list a capability for each of the others."}
	ruleParamName = parse.Rule{Code: "param_name", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "A parameter has no name, and was ignored.",
		Mend:  "Write `params` as an object whose members are named like the parameters."}
	ruleParamNotation = parse.Rule{Code: "param_notation", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "Parameters are not written in the notation of the specification, so they were read as well as they could be.",
		Mend:  "Write each as one line: type, `required` or `optional`, constraints, and behind ` -- ` a description."}
	ruleParamType = parse.Rule{Code: "param_type", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The type of a parameter is not one of the specification.",
		Mend:  "Write `string`, `integer`, `number`, `boolean` or `array`."}
	ruleParamsForm = parse.Rule{Code: "params_form", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The parameters are a list, or stand in `parameters`; they were read.",
		Mend:  "Write them as an object in `params`."}
	rulePathParam = parse.Rule{Code: "path_param", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The parameters and the variables of the endpoint do not agree, or a parameter in the path is said to be optional.",
		Mend:  "List each variable of the endpoint as a required parameter, and let no other parameter go into the path."}
	ruleReturnsLength = parse.Rule{Code: "returns_length", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The description of what a capability returns is longer than is allowed.",
		Mend:  "Describe the answer in at most 300 characters."}
	ruleTooManyCapabilities = parse.Rule{Code: "too_many_capabilities", Severity: wayfind.SeverityWarning, Section: "§6.5",
		Means: "There are more capabilities than are read, which is 100.",
		Mend:  "List the 100 that agents need most."}
	ruleTooManyParams = parse.Rule{Code: "too_many_params", Severity: wayfind.SeverityWarning, Section: "§6.5",
		Means: "A capability has more parameters than are read, which is 1,000.",
		Mend:  "List the parameters that are needed."}
)

// The rules of all formats that are reported here as well.
var (
	ruleBadURL     = parse.ReaderRule("bad_url")
	ruleHeaderName = parse.ReaderRule("header_name")
	ruleMethod     = parse.ReaderRule("method")
	ruleMethodCase = parse.ReaderRule("method_case")
	ruleWrongType  = parse.ReaderRule("wrong_type")
)
