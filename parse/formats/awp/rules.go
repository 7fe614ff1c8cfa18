package awp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules are the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAuthConflict, ruleAuthNone, ruleAuthText, ruleAuthType, ruleConfidence, ruleConfirmation, ruleDependencyCycle,
		ruleDependencyText, ruleDomain, ruleDomainMismatch, ruleDomainSyntax, ruleDomainUnicode, ruleDuplicateID,
		ruleEarlyForm, ruleEndpoint, ruleEndpointNotation, ruleEndpointRelative, ruleEndpointURL, ruleEntitiesCut,
		ruleEntityFields, ruleEntityReference, ruleEnumOptions, ruleErrorText, ruleExecutionModel, ruleID, ruleIdempotency,
		ruleInputName, ruleInputText, ruleJSONSchema, ruleLastVerified, ruleLocation, ruleMethodOther, ruleNoAction,
		ruleOperation, ruleOutputText, rulePagination, rulePathParameter, rulePollEndpoint, ruleProtocolID, ruleRateLimit,
		ruleReversible, ruleSensitivity, ruleSensitivityMissing, ruleTruncated, ruleTypeText, ruleTypeWord,
		ruleUnknownAction, ruleUnknownEntity, ruleVersion, ruleVersionMember, ruleVia,
	}
}

// The rules those of the top level and of what stands beside the actions.
var (
	ruleAuthConflict = parse.Rule{Code: "auth_conflict", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "An action is said to require authentication in one place and not to require it in another; it was read as required.",
		Mend:  "Let `auth_required` of the action agree with `required_for` and `optional_for` of `auth`, and list an action in one of the two."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "Actions require authentication, and the type of `auth` is `none`.",
		Mend:  "Write the type that is meant, or do not require authentication."}
	ruleAuthText = parse.Rule{Code: "auth_text", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "`auth` is a string where an object belongs; it was read as its type.",
		Mend:  "Write `{\"type\": ...}`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "The type of `auth` is none of `oauth2`, `api_key`, `bearer` and `none`.",
		Mend:  "Write one of the four, if one is meant."}
	ruleConfidence = parse.Rule{Code: "confidence", Severity: wayfind.SeverityWarning, Section: "§14",
		Means: "The confidence is not between 0 and 1; it was dropped.",
		Mend:  "Write a number from 0 to 1."}
	ruleDependencyCycle = parse.Rule{Code: "dependency_cycle", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "Actions depend on each other in a circle, so that none of them can run first.",
		Mend:  "Remove one of the dependencies."}
	ruleDependencyText = parse.Rule{Code: "dependency_text", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "The dependencies of an action are a string where an array belongs.",
		Mend:  "Put the id into an array."}
	ruleDomain = parse.Rule{Code: "domain", Severity: wayfind.SeverityError, Section: "§5",
		Means: "`domain` is no name of a host, and was ignored.",
		Mend:  "Write the host name of the site, such as `shop.example.com`."}
	ruleDomainMismatch = parse.Rule{Code: "domain_mismatch", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`domain` is not the host that served the document.",
		Mend:  "Write the host name of the site that serves the document, or serve it at the site that `domain` names."}
	ruleDomainSyntax = parse.Rule{Code: "domain_syntax", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`domain` is more than a host name, such as a URL or a name with a port; the name was read.",
		Mend:  "Write the host name alone, without scheme, port and path."}
	ruleDomainUnicode = parse.Rule{Code: "domain_unicode", Severity: wayfind.SeverityInfo, Section: "§5",
		Means: "`domain` is an internationalised name, which is not compared with the host that served the document.",
		Mend:  "Nothing has to be done. To have it compared, write its ASCII form, which begins with `xn--`."}
	ruleEarlyForm = parse.Rule{Code: "early_form", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The document has an earlier form of the protocol, without `awp_version`, `domain` and `actions`.",
		Mend:  "Write the document anew by version 0.2, with these three members at the top level."}
	ruleErrorText = parse.Rule{Code: "error_text", Severity: wayfind.SeverityWarning, Section: "§10",
		Means: "A string stands where an object with `recovery` belongs; it was read as that.",
		Mend:  "Write `{\"recovery\": ...}`."}
	ruleLastVerified = parse.Rule{Code: "last_verified", Severity: wayfind.SeverityWarning, Section: "§14",
		Means: "`last_verified` of a generated document is no date or time of ISO 8601.",
		Mend:  "Write it like `2026-03-10` or `2026-03-10T09:00:00Z`."}
	ruleLocation = parse.Rule{Code: "location", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "The document was found at `/.well-known/agent.json`, where the specification does not put it.",
		Mend:  "Serve it at `/agent.json`. It may stay at the other place as well."}
	ruleNoAction = parse.Rule{Code: "no_action", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The document has no action that can be used.",
		Mend:  "List at least one action in `actions`."}
	rulePagination = parse.Rule{Code: "pagination", Severity: wayfind.SeverityWarning, Section: "§6",
		Means: "The pagination is none of `cursor`, `offset`, `page` and `none`.",
		Mend:  "Write one of the four."}
	ruleProtocolID = parse.Rule{Code: "protocol_id", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "The identifier of a protocol is empty, stands twice, is not in lower case with hyphens, or is neither registered nor marked as custom.",
		Mend:  "Write a registered identifier such as `mcp`, or one of your own that begins with `x-`."}
	ruleUnknownAction = parse.Rule{Code: "unknown_action", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "A list or a dependency names an action that does not exist.",
		Mend:  "Write the `id` of an action, or remove the entry."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§4",
		Means: "`awp_version` is not one that is known, and the document was read as version 0.2.",
		Mend:  "Write \"0.2\", if that is the version you follow. For a later minor version nothing has to be done."}
	ruleVersionMember = parse.Rule{Code: "version_member", Severity: wayfind.SeverityInfo, Section: "§16",
		Means: "The document says that it is of version 0.1, and has a member of version 0.2; it was read.",
		Mend:  "Write \"0.2\" as `awp_version`."}
)

// The rules those of actions, and of the endpoints of all kinds.
var (
	ruleConfirmation = parse.Rule{Code: "confirmation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`requires_human_confirmation` is false, and the sensitivity of the action asks for a confirmation.",
		Mend:  "Write true, or lower the sensitivity if nothing can be lost."}
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityError, Section: "§9",
		Means: "Two actions have the same id.",
		Mend:  "Give each action an id of its own."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "An endpoint cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The variables of an endpoint are not written as `{name}`, so they were guessed.",
		Mend:  "Write each variable as `{name}`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§5.5",
		Means: "An endpoint is a path, and it is not known which site served the document.",
		Mend:  "Nothing has to be done: the path is resolved when the document is read from its URL."}
	ruleEndpointURL = parse.Rule{Code: "endpoint_url", Severity: wayfind.SeverityWarning, Section: "§5.5",
		Means: "The endpoint of a protocol is a path where a full URL belongs; it was resolved against the site that served the document.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleExecutionModel = parse.Rule{Code: "execution_model", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The execution model is neither `sync` nor `async`.",
		Mend:  "Write one of the two."}
	ruleID = parse.Rule{Code: "id", Severity: wayfind.SeverityError, Section: "§9",
		Means: "The id of an action is empty, and the action was ignored.",
		Mend:  "Name the action, such as `search_products`."}
	ruleIdempotency = parse.Rule{Code: "idempotency", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`idempotency` names a field for the key without saying that keys are supported, or the other way round.",
		Mend:  "Write both `supported`, with the value true, and `key_field`, or remove `idempotency`."}
	ruleMethodOther = parse.Rule{Code: "method_other", Severity: wayfind.SeverityInfo, Section: "§9",
		Means: "The method is `HEAD` or `OPTIONS`, which the specification does not name; it was taken.",
		Mend:  "Nothing has to be done if the method is meant. Others may only know `GET`, `POST`, `PUT`, `PATCH` and `DELETE`."}
	ruleOperation = parse.Rule{Code: "operation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An operation is named without a protocol that it belongs to, or an action goes through a protocol without naming an operation there.",
		Mend:  "Write `via` and `operation` together, and declare the protocol in `protocols`."}
	rulePollEndpoint = parse.Rule{Code: "poll_endpoint", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An action ends later and does not say where to ask, or says where and is not `async`.",
		Mend:  "Write `poll_endpoint` and `execution_model` `async` together, or neither of them."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "A rate limit is not a number per time, and was kept as text.",
		Mend:  "Write it like `30/minute`."}
	ruleReversible = parse.Rule{Code: "reversible", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An action is said to be reversible, and its sensitivity is `irreversible`.",
		Mend:  "Change one of the two."}
	ruleSensitivity = parse.Rule{Code: "sensitivity", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The sensitivity is none of `standard`, `destructive` and `irreversible`, or the action is said to destroy something and has a method that only reads.",
		Mend:  "Write one of the three, and use `POST` or `DELETE` for what changes something."}
	ruleSensitivityMissing = parse.Rule{Code: "sensitivity_missing", Severity: wayfind.SeverityWarning, Section: "§15",
		Means: "An action is destructive or irreversible and declares no sensitivity.",
		Mend:  "Add `sensitivity` with the value `destructive` or `irreversible`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "There are more actions, inputs or protocols than are read, which is 1,000.",
		Mend:  "List at most 1,000 of them."}
	ruleVia = parse.Rule{Code: "via", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "`via` names a protocol that is not in `protocols`, or writes it in another case.",
		Mend:  "Declare the protocol in `protocols`, and write its identifier the same in both."}
)

// The rules those of inputs, outputs, entities and the language of their types.
var (
	ruleEntitiesCut = parse.Rule{Code: "entities_cut", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "The schemas of all actions together would hold so much of the entities that later ones only name them.",
		Mend:  "Make the entities smaller, or refer to them from fewer actions."}
	ruleEntityFields = parse.Rule{Code: "entity_fields", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "An entity has no `fields`; its members were read as such.",
		Mend:  "Put the fields of the entity below `fields`."}
	ruleEntityReference = parse.Rule{Code: "entity_reference", Severity: wayfind.SeverityInfo, Section: "§8",
		Means: "An entity is named as a type without `object[...]` around it.",
		Mend:  "Write it like `object[flight]`."}
	ruleEnumOptions = parse.Rule{Code: "enum_options", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "A type is `enum`, and its values are not given.",
		Mend:  "List them in `options`, or write them like `enum[small, large]`."}
	ruleInputName = parse.Rule{Code: "input_name", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The name of an input is empty, and the input was ignored.",
		Mend:  "Name the input, or remove it."}
	ruleInputText = parse.Rule{Code: "input_text", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An input is a string where an object belongs; it was read as its type.",
		Mend:  "Write `{\"type\": ...}`, with `required` beside it."}
	ruleJSONSchema = parse.Rule{Code: "json_schema", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "A JSON Schema stands where names and types of the specification belong; it was taken as it is.",
		Mend:  "Nothing is lost here. For readers that keep to the specification, write each name with its type."}
	ruleOutputText = parse.Rule{Code: "output_text", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`outputs` is a string where an object belongs; it was read as one type.",
		Mend:  "Write an object with a name and a type for each value."}
	rulePathParameter = parse.Rule{Code: "path_parameter", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The inputs and the variables of the endpoint do not agree, or an input in the path is not required.",
		Mend:  "List each variable of the endpoint as an input with `required` true."}
	ruleTypeText = parse.Rule{Code: "type_text", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "An object stands where a word for a type belongs; its `type` was read.",
		Mend:  "Write the word alone, such as `string`."}
	ruleTypeWord = parse.Rule{Code: "type_word", Severity: wayfind.SeverityInfo, Section: "§8",
		Means: "A type is not a word of the specification; it was read as what it is elsewhere.",
		Mend:  "Write `string`, `integer`, `float`, `boolean`, `url`, `ISO8601`, `object` or `array`."}
	ruleUnknownEntity = parse.Rule{Code: "unknown_entity", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "A type refers to an entity that does not exist.",
		Mend:  "Define it in `entities`, or mend the name."}
)

// The rules of all formats that are reported here as well.
var (
	ruleMissing   = parse.ReaderRule("missing")
	ruleWrongType = parse.ReaderRule("wrong_type")
)
