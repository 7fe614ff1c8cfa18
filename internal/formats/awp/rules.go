package awp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
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

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"actions":       `[{"id": "search_books", "endpoint": "/api/books", "method": "GET", "auth_required": false, "inputs": {}, "outputs": {}}]`,
		"auth.type":     `"api_key"`,
		"auth_required": `false`,
		"awp_version":   `"0.2"`,
		"confidence":    `0.9`,
		"description":   `"Finds books by title or author."`,
		"domain":        `"shop.example.com"`,
		"endpoint":      `"/api/books"`,
		"fields":        `{"title": "string"}`,
		"generated_by":  `"example-generator"`,
		"id":            `"search_books"`,
		"inputs":        `{"query": {"type": "string", "required": true}}`,
		"intent":        `"Sells books."`,
		"last_verified": `"2026-03-10"`,
		"method":        `"GET"`,
		"outputs":       `{"books": "array"}`,
		"recovery":      `"Log in again and repeat the action."`,
		"supported":     `true`,
		"type":          `"string"`,
		"url":           `"https://shop.example.com/mcp"`,
		"version":       `"1.0"`,
	}
}

// The rules of the top-level members other than the actions.
var (
	ruleAuthConflict = parse.Rule{Code: "auth_conflict", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "One place says that an action requires authentication, another that it does not. It was read as required.",
		Mend:  "Let `auth_required` of the action agree with `required_for` and `optional_for` of `auth`. List an action in only one of the two."}
	ruleAuthNone = parse.Rule{Code: "auth_none", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "Actions require authentication, but the type of `auth` is `none`.",
		Mend:  "Write the correct type, or do not require authentication."}
	ruleAuthText = parse.Rule{Code: "auth_text", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "`auth` is a string. An object is required. The string was read as its type.",
		Mend:  "Write `{\"type\": ...}`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityWarning, Section: "§7",
		Means: "The type of `auth` is not one of `oauth2`, `api_key`, `bearer` and `none`.",
		Mend:  "Write one of the four."}
	ruleConfidence = parse.Rule{Code: "confidence", Severity: wayfind.SeverityWarning, Section: "§14",
		Means: "The confidence is not between 0 and 1. It was dropped.",
		Mend:  "Write a number from 0 to 1."}
	ruleDependencyCycle = parse.Rule{Code: "dependency_cycle", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "Actions depend on each other in a circle. None of them can run first.",
		Mend:  "Remove one of the dependencies."}
	ruleDependencyText = parse.Rule{Code: "dependency_text", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "The dependencies of an action are a string. An array is required.",
		Mend:  "Put the id into an array."}
	ruleDomain = parse.Rule{Code: "domain", Severity: wayfind.SeverityError, Section: "§5",
		Means: "`domain` is not a host name. It was ignored.",
		Mend:  "Write the host name of the site, such as `shop.example.com`."}
	ruleDomainMismatch = parse.Rule{Code: "domain_mismatch", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`domain` is not the host that served the document.",
		Mend:  "Write the host name of the site that serves the document, or serve the document at the site that `domain` names."}
	ruleDomainSyntax = parse.Rule{Code: "domain_syntax", Severity: wayfind.SeverityWarning, Section: "§5",
		Means: "`domain` is more than a host name, such as a URL or a name with a port. Only the host name was read.",
		Mend:  "Write the host name alone, without scheme, port and path."}
	ruleDomainUnicode = parse.Rule{Code: "domain_unicode", Severity: wayfind.SeverityInfo, Section: "§5",
		Means: "`domain` is an internationalised name. Such a name is not compared with the host that served the document.",
		Mend:  "No change is needed. To have the name compared, write its ASCII form, which begins with `xn--`."}
	ruleEarlyForm = parse.Rule{Code: "early_form", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The document follows an early draft of the protocol, without `awp_version`, `domain` and `actions`.",
		Mend:  "Rewrite the document for version 0.2, with these three members at the top level."}
	ruleErrorText = parse.Rule{Code: "error_text", Severity: wayfind.SeverityWarning, Section: "§10",
		Means: "An entry is a string. An object with `recovery` is required. The string was read as `recovery`.",
		Mend:  "Write `{\"recovery\": ...}`."}
	ruleLastVerified = parse.Rule{Code: "last_verified", Severity: wayfind.SeverityWarning, Section: "§14",
		Means: "`last_verified` of a generated document is not an ISO 8601 date or time.",
		Mend:  "Write it like `2026-03-10` or `2026-03-10T09:00:00Z`."}
	ruleLocation = parse.Rule{Code: "location", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "The document was found at `/.well-known/agent.json`. The specification does not name that place.",
		Mend:  "Serve the document at `/agent.json`. It may stay at the other place as well."}
	ruleNoAction = parse.Rule{Code: "no_action", Severity: wayfind.SeverityError, Section: "§5",
		Means: "The document has no action that can be used.",
		Mend:  "List at least one action in `actions`."}
	rulePagination = parse.Rule{Code: "pagination", Severity: wayfind.SeverityWarning, Section: "§6",
		Means: "The pagination is not one of `cursor`, `offset`, `page` and `none`.",
		Mend:  "Write one of the four."}
	ruleProtocolID = parse.Rule{Code: "protocol_id", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "The identifier of a protocol is empty, appears twice, is not in lower case with hyphens, or is neither registered nor marked as custom.",
		Mend:  "Write a registered identifier such as `mcp`, or one of your own that begins with `x-`."}
	ruleUnknownAction = parse.Rule{Code: "unknown_action", Severity: wayfind.SeverityWarning, Section: "§11",
		Means: "A list or a dependency names an action that does not exist.",
		Mend:  "Write the `id` of an action, or remove the entry."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§4",
		Means: "`awp_version` is unknown. The document was read as version 0.2.",
		Mend:  "Write \"0.2\", if that is the version you follow. A later minor version needs no change."}
	ruleVersionMember = parse.Rule{Code: "version_member", Severity: wayfind.SeverityInfo, Section: "§16",
		Means: "The document declares version 0.1 but has a member of version 0.2. The member was read.",
		Mend:  "Write \"0.2\" as `awp_version`."}
)

// The rules of actions, and of endpoints of all kinds.
var (
	ruleConfirmation = parse.Rule{Code: "confirmation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`requires_human_confirmation` is false, but the sensitivity of the action calls for a confirmation.",
		Mend:  "Write true, or lower the sensitivity if nothing can be lost."}
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityError, Section: "§9",
		Means: "Two actions have the same id.",
		Mend:  "Give each action an id of its own."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "An endpoint cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a space or unbalanced braces.",
		Mend:  "Write a path that begins with a slash, or a full https URL."}
	ruleEndpointNotation = parse.Rule{Code: "endpoint_notation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The variables of an endpoint are not written as `{name}`. Their names were guessed.",
		Mend:  "Write each variable as `{name}`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityInfo, Section: "§5.5",
		Means: "An endpoint is a path, but the site that served the document is unknown.",
		Mend:  "No change is needed. The path is resolved when the document is read from its URL."}
	ruleEndpointURL = parse.Rule{Code: "endpoint_url", Severity: wayfind.SeverityWarning, Section: "§5.5",
		Means: "The endpoint of a protocol is a path, but a full URL is required. It was resolved against the site that served the document.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleExecutionModel = parse.Rule{Code: "execution_model", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The execution model is neither `sync` nor `async`.",
		Mend:  "Write one of the two."}
	ruleID = parse.Rule{Code: "id", Severity: wayfind.SeverityError, Section: "§9",
		Means: "An action has an empty id. It was ignored.",
		Mend:  "Give the action an id, such as `search_products`."}
	ruleIdempotency = parse.Rule{Code: "idempotency", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`idempotency` names a field for the key but does not declare that keys are supported, or the other way round.",
		Mend:  "Write both `supported`, with the value true, and `key_field`, or remove `idempotency`."}
	ruleMethodOther = parse.Rule{Code: "method_other", Severity: wayfind.SeverityInfo, Section: "§9",
		Means: "The method is `HEAD` or `OPTIONS`. The specification does not name it, but it was accepted.",
		Mend:  "No change is needed if the method is right. Other readers may know only `GET`, `POST`, `PUT`, `PATCH` and `DELETE`."}
	ruleOperation = parse.Rule{Code: "operation", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An operation is named without its protocol, or an action uses a protocol without naming an operation.",
		Mend:  "Write `via` and `operation` together, and declare the protocol in `protocols`."}
	rulePollEndpoint = parse.Rule{Code: "poll_endpoint", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An asynchronous action has no `poll_endpoint`, or an action with a `poll_endpoint` is not `async`.",
		Mend:  "Write `poll_endpoint` and the `execution_model` `async` together, or neither of them."}
	ruleRateLimit = parse.Rule{Code: "rate_limit", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "A rate limit is not a number per time. It was kept as text.",
		Mend:  "Write it like `30/minute`."}
	ruleReversible = parse.Rule{Code: "reversible", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An action is marked as reversible, but its sensitivity is `irreversible`.",
		Mend:  "Change one of the two."}
	ruleSensitivity = parse.Rule{Code: "sensitivity", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The sensitivity is not one of `standard`, `destructive` and `irreversible`, or a destructive action has a method that only reads.",
		Mend:  "Write one of the three. Use `POST` or `DELETE` for an action that changes something."}
	ruleSensitivityMissing = parse.Rule{Code: "sensitivity_missing", Severity: wayfind.SeverityWarning, Section: "§15",
		Means: "A destructive or irreversible action declares no sensitivity.",
		Mend:  "Add `sensitivity` with the value `destructive` or `irreversible`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The document has more than 1,000 actions, inputs or protocols. The others are not read.",
		Mend:  "List at most 1,000 of them."}
	ruleVia = parse.Rule{Code: "via", Severity: wayfind.SeverityError, Section: "§5.5",
		Means: "`via` names a protocol that is not in `protocols`, or writes its name in another case.",
		Mend:  "Declare the protocol in `protocols`, and write its identifier the same in both."}
)

// The rules of inputs, outputs, entities and the language of their types.
var (
	ruleEntitiesCut = parse.Rule{Code: "entities_cut", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "The schemas of all actions together contain too many entities. Later schemas only name them.",
		Mend:  "Make the entities smaller, or refer to them from fewer actions."}
	ruleEntityFields = parse.Rule{Code: "entity_fields", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "An entity has no `fields`. Its members were read as fields.",
		Mend:  "Put the fields of the entity below `fields`."}
	ruleEntityReference = parse.Rule{Code: "entity_reference", Severity: wayfind.SeverityInfo, Section: "§8",
		Means: "A type names an entity without `object[...]` around it.",
		Mend:  "Write it like `object[flight]`."}
	ruleEnumOptions = parse.Rule{Code: "enum_options", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "A type is `enum`, but its values are missing.",
		Mend:  "List them in `options`, or write them like `enum[small, large]`."}
	ruleInputName = parse.Rule{Code: "input_name", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An input has an empty name. It was ignored.",
		Mend:  "Name the input, or remove it."}
	ruleInputText = parse.Rule{Code: "input_text", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "An input is a string. An object is required. The string was read as its type.",
		Mend:  "Write `{\"type\": ...}`, with `required` beside it."}
	ruleJSONSchema = parse.Rule{Code: "json_schema", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "A JSON Schema is written in place of the names and types of the specification. It was accepted.",
		Mend:  "No change is needed for this program. For stricter readers, write each name with its type."}
	ruleOutputText = parse.Rule{Code: "output_text", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "`outputs` is a string, but an object is required. It was read as one type.",
		Mend:  "Write an object with a name and a type for each value."}
	rulePathParameter = parse.Rule{Code: "path_parameter", Severity: wayfind.SeverityWarning, Section: "§9",
		Means: "The inputs do not match the variables of the endpoint, or an input in the path is not required.",
		Mend:  "List each variable of the endpoint as an input with `required` true."}
	ruleTypeText = parse.Rule{Code: "type_text", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "An object is written in place of a type. Its `type` was read.",
		Mend:  "Write the word alone, such as `string`."}
	ruleTypeWord = parse.Rule{Code: "type_word", Severity: wayfind.SeverityInfo, Section: "§8",
		Means: "The specification does not define a type. It was read with its usual meaning.",
		Mend:  "Write `string`, `integer`, `float`, `boolean`, `url`, `ISO8601`, `object` or `array`."}
	ruleUnknownEntity = parse.Rule{Code: "unknown_entity", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "A type refers to an entity that does not exist.",
		Mend:  "Define it in `entities`, or correct the name."}
)

// The rules of all formats that this package reports as well.
var (
	ruleMissing   = parse.ReaderRule("missing")
	ruleWrongType = parse.ReaderRule("wrong_type")
)
