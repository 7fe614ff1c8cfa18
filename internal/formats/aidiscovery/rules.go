package aidiscovery

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
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

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"aiendpoint":          `"1.0"`,
		"auth":                `{"type": "none"}`,
		"capabilities":        `[{"id": "search_books", "description": "Finds books.", "endpoint": "/api/books", "method": "GET"}]`,
		"description":         `"Finds books by title or author."`,
		"endpoint":            `"/api/books"`,
		"header":              `"X-API-Key"`,
		"id":                  `"search_books"`,
		"method":              `"GET"`,
		"name":                `"Example Shop"`,
		"requests_per_minute": `60`,
		"service":             `{"name": "Example Shop", "description": "Sells books."}`,
		"type":                `"apikey"`,
	}
}

// The rules about the document as a whole and all parts except its capabilities.
var (
	ruleAgentTier = parse.Rule{Code: "agent_tier", Severity: wayfind.SeverityWarning, Section: "§3.6",
		Means: "`rate_limits` promises a tier for agents, but `auth.docs`, which would explain it, is missing.",
		Mend:  "Add `docs` to `auth`, with the URL of a page that says how to get into the tier."}
	ruleAuthHeader = parse.Rule{Code: "auth_header", Severity: wayfind.SeverityWarning, Section: "§3.4",
		Means: "The header field for the key is not named, or a bearer token goes into a field other than `Authorization`.",
		Mend:  "Name the field in `auth.header`. If it is not `Authorization`, the type is `apikey`."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§3.4",
		Means: "The type of `auth` is `none`, but a header is named, or a capability has a method that may change something.",
		Mend:  "Remove the header, if there is one, and require authentication for writing. If nothing is written, use `GET`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityError, Section: "§3.4",
		Means: "The type of `auth` is not one of the four that the specification defines, or it is misspelt.",
		Mend:  "Write `none`, `apikey`, `bearer` or `oauth2`."}
	ruleCategory = parse.Rule{Code: "category", Severity: wayfind.SeverityWarning, Section: "§3.2",
		Means: "A category is not one of those that the specification defines. It was kept.",
		Mend:  "Write the nearest of the defined categories, such as `data` or `developer`."}
	ruleCredential = parse.Rule{Code: "credential", Severity: wayfind.SeverityError, Section: "§6.2",
		Means: "A member of `auth` looks like a credential, which must never be published. It was ignored.",
		Mend:  "Remove the member and revoke the credential. Others may have read it."}
	ruleDescriptionLength = parse.Rule{Code: "description_length", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "The description of the service or of a capability is empty, or it exceeds the allowed or recommended length.",
		Mend:  "Describe the service in 1 to 199 characters (300 are allowed), and each capability in 1 to 200."}
	ruleDuplicateValue = parse.Rule{Code: "duplicate_value", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "A list of categories or languages has the same value twice.",
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
		Means: "The document was served at a URL with a query. The specification does not allow one.",
		Mend:  "Serve the document at `/.well-known/ai`, without redirecting to a URL with a question mark."}
	ruleNameLength = parse.Rule{Code: "name_length", Severity: wayfind.SeverityError, Section: "§3.2",
		Means: "The name of the service is empty or too long.",
		Mend:  "Name the service in 1 to 100 characters."}
	ruleNoCapability = parse.Rule{Code: "no_capability", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The document has no capability that can be used, and at least one is required.",
		Mend:  "List at least one capability with `id`, `description`, `endpoint` and `method`."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityError, Section: "§3.6",
		Means: "The rate limit is zero or negative. It was ignored.",
		Mend:  "Write a number above zero in `requests_per_minute`, or remove it."}
	ruleRelativeURL = parse.Rule{Code: "relative_url", Severity: wayfind.SeverityWarning,
		Means: "A path is written where a full URL is required. It was resolved against the URL of the document.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleSize = parse.Rule{Code: "size", Severity: wayfind.SeverityWarning, Section: "§4.5",
		Means: "The document is larger than the recommended size. Some readers may refuse it.",
		Mend:  "Keep the document below 64 KiB. List the most important capabilities, and shorten descriptions."}
	ruleUnknownField = parse.Rule{Code: "unknown_field", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "A member at the top level is not one that the specification defines.",
		Mend:  "Move private data into `meta`. A document of a later version needs no change: the member is kept."}
	ruleUnknownMember = parse.Rule{Code: "unknown_member", Severity: wayfind.SeverityInfo, Section: "App. B",
		Means: "An object has a member that the specification does not define for it.",
		Mend:  "Remove the member, or move it into `meta`. The member is kept as an extension, and the `name` of a capability as its title."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "`aiendpoint` is not \"1.0\". The document was read as version 1.0.",
		Mend:  "Write \"1.0\", if that is the version you follow. A later version needs no change."}
	ruleWrapped = parse.Rule{Code: "wrapped", Severity: wayfind.SeverityError, Section: "§3.1",
		Means: "All members are inside `aiendpoint`, which is the member for the version.",
		Mend:  "Move `service`, `capabilities` and the other members to the top level, and write \"1.0\" as `aiendpoint`."}
)

// The rules about a capability and its parameters.
var (
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "Two capabilities have the same id.",
		Mend:  "Give each capability an id of its own."}
	ruleDuplicateParam = parse.Rule{Code: "duplicate_param", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "Two parameters have the same name. The second was ignored.",
		Mend:  "Remove one of the two, or rename it."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "An endpoint cannot be used: it is neither a path that begins with a slash nor a full http or https URL, or it holds a user name, a space or unbalanced braces.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The variables of an endpoint are not written as the specification requires. Their names were guessed.",
		Mend:  "Write each variable as `{name}` or `:name`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§3.3",
		Means: "An endpoint is a path, but the host that served the document is unknown.",
		Mend:  "No change is needed. The path is resolved when the document is read from its URL."}
	ruleID = parse.Rule{Code: "id", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The id of a capability is empty or not 1 to 64 lower-case letters, digits and underscores after a letter.",
		Mend:  "Write the id like `search_products`."}
	ruleMethods = parse.Rule{Code: "methods", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "`methods` lists several methods, but a capability has one. The first was read.",
		Mend:  "Write one method in `method`, and list a separate capability for each other method."}
	ruleParamName = parse.Rule{Code: "param_name", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "A parameter has no name. It was ignored.",
		Mend:  "Write `params` as an object whose member names are the parameter names."}
	ruleParamNotation = parse.Rule{Code: "param_notation", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "Parameters are not written in the notation of the specification. Some details may be lost.",
		Mend:  "Write each as one line: type, `required` or `optional`, constraints, and a description after ` -- `."}
	ruleParamType = parse.Rule{Code: "param_type", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The type of a parameter is not one of the specification.",
		Mend:  "Write `string`, `integer`, `number`, `boolean` or `array`."}
	ruleParamsForm = parse.Rule{Code: "params_form", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The parameters are a list, or the member is called `parameters`. They were read.",
		Mend:  "Write them as an object in `params`."}
	rulePathParam = parse.Rule{Code: "path_param", Severity: wayfind.SeverityWarning, Section: "§3.3",
		Means: "The parameters do not match the variables of the endpoint, or a parameter in the path is marked as optional.",
		Mend:  "List each variable of the endpoint as a required parameter. Let no other parameter go into the path."}
	ruleReturnsLength = parse.Rule{Code: "returns_length", Severity: wayfind.SeverityError, Section: "§3.3",
		Means: "The description of a capability's result is too long.",
		Mend:  "Describe the answer in at most 300 characters."}
	ruleTooManyCapabilities = parse.Rule{Code: "too_many_capabilities", Severity: wayfind.SeverityWarning, Section: "§6.5",
		Means: "The document has more than 100 capabilities. The others are not read.",
		Mend:  "List the 100 capabilities that agents need most."}
	ruleTooManyParams = parse.Rule{Code: "too_many_params", Severity: wayfind.SeverityWarning, Section: "§6.5",
		Means: "A capability has more than 1,000 parameters. The others are not read.",
		Mend:  "List only the parameters that are needed."}
)

// The rules of all formats that this package reports as well.
var (
	ruleBadURL     = parse.ReaderRule("bad_url")
	ruleHeaderName = parse.ReaderRule("header_name")
	ruleMethod     = parse.ReaderRule("method")
	ruleMethodCase = parse.ReaderRule("method_case")
	ruleWrongType  = parse.ReaderRule("wrong_type")
)
