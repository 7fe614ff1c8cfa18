package awp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	list := slices.Concat(documentRules(), actionRules(), typeRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are those of the top level and of what stands beside the actions.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "auth_conflict", Means: "An action is said to require authentication in one place and not to require it in another; it was read as required.",
			Mend: "Let `auth_required` of the action agree with `required_for` and `optional_for` of `auth`, and list an action in one of the two."},
		{Code: "auth_none", Means: "Actions require authentication, and the type of `auth` is `none`.",
			Mend: "Write the type that is meant, or do not require authentication."},
		{Code: "auth_text", Means: "`auth` is a string where an object belongs; it was read as its type.",
			Mend: "Write `{\"type\": ...}`."},
		{Code: "auth_type", Means: "The type of `auth` is none of `oauth2`, `api_key`, `bearer` and `none`.",
			Mend: "Write one of the four, if one is meant."},
		{Code: "confidence", Means: "The confidence is not between 0 and 1; it was dropped.",
			Mend: "Write a number from 0 to 1."},
		{Code: "dependency_cycle", Means: "Actions depend on each other in a circle, so that none of them can run first.",
			Mend: "Remove one of the dependencies."},
		{Code: "dependency_text", Means: "The dependencies of an action are a string where an array belongs.",
			Mend: "Put the id into an array."},
		{Code: "domain", Means: "`domain` is no name of a host, and was ignored.",
			Mend: "Write the host name of the site, such as `shop.example.com`."},
		{Code: "domain_mismatch", Means: "`domain` is not the host that served the document.",
			Mend: "Write the host name of the site that serves the document, or serve it at the site that `domain` names."},
		{Code: "domain_syntax", Means: "`domain` is more than a host name, such as a URL or a name with a port; the name was read.",
			Mend: "Write the host name alone, without scheme, port and path."},
		{Code: "domain_unicode", Means: "`domain` is an internationalised name, which is not compared with the host that served the document.",
			Mend: "Nothing has to be done. To have it compared, write its ASCII form, which begins with `xn--`."},
		{Code: "early_form", Means: "The document has an earlier form of the protocol, without `awp_version`, `domain` and `actions`.",
			Mend: "Write the document anew by version 0.2, with these three members at the top level."},
		{Code: "error_text", Means: "A string stands where an object with `recovery` belongs; it was read as that.",
			Mend: "Write `{\"recovery\": ...}`."},
		{Code: "last_verified", Means: "`last_verified` of a generated document is no date or time of ISO 8601.",
			Mend: "Write it like `2026-03-10` or `2026-03-10T09:00:00Z`."},
		{Code: "location", Means: "The document was found at `/.well-known/agent.json`, where the specification does not put it.",
			Mend: "Serve it at `/agent.json`. It may stay at the other place as well."},
		{Code: "no_action", Means: "The document has no action that can be used.",
			Mend: "List at least one action in `actions`."},
		{Code: "pagination", Means: "The pagination is none of `cursor`, `offset`, `page` and `none`.",
			Mend: "Write one of the four."},
		{Code: "protocol_id", Means: "The identifier of a protocol is empty, stands twice, is not in lower case with hyphens, or is neither registered nor marked as custom.",
			Mend: "Write a registered identifier such as `mcp`, or one of your own that begins with `x-`."},
		{Code: "unknown_action", Means: "A list or a dependency names an action that does not exist.",
			Mend: "Write the `id` of an action, or remove the entry."},
		{Code: "version", Means: "`awp_version` is not one that is known, and the document was read as version 0.2.",
			Mend: "Write \"0.2\", if that is the version you follow. For a later minor version nothing has to be done."},
		{Code: "version_member", Means: "The document says that it is of version 0.1, and has a member of version 0.2; it was read.",
			Mend: "Write \"0.2\" as `awp_version`."},
	}
}

// actionRules are those of actions, and of the endpoints of all kinds.
func actionRules() []parse.Rule {
	return []parse.Rule{
		{Code: "confirmation", Means: "`requires_human_confirmation` is false, and the sensitivity of the action asks for a confirmation.",
			Mend: "Write true, or lower the sensitivity if nothing can be lost."},
		{Code: "duplicate_id", Means: "Two actions have the same id.",
			Mend: "Give each action an id of its own."},
		{Code: "endpoint", Means: "An endpoint cannot be used: it is neither a path nor a full http or https URL, or it holds a user name, a blank or braces that do not match.",
			Mend: "Write a path that begins with a slash, or a full https URL."},
		{Code: "endpoint_notation", Means: "The variables of an endpoint are not written as `{name}`, so they were guessed.",
			Mend: "Write each variable as `{name}`."},
		{Code: "endpoint_relative", Means: "An endpoint is a path, and it is not known which site served the document.",
			Mend: "Nothing has to be done: the path is resolved when the document is read from its URL."},
		{Code: "endpoint_url", Means: "The endpoint of a protocol is a path where a full URL belongs; it was resolved against the site that served the document.",
			Mend: "Write the whole URL, with `https://` and the host."},
		{Code: "execution_model", Means: "The execution model is neither `sync` nor `async`.",
			Mend: "Write one of the two."},
		{Code: "id", Means: "The id of an action is empty, and the action was ignored.",
			Mend: "Name the action, such as `search_products`."},
		{Code: "idempotency", Means: "`idempotency` names a field for the key without saying that keys are supported, or the other way round.",
			Mend: "Write both `supported`, with the value true, and `key_field`, or remove `idempotency`."},
		{Code: "method_other", Means: "The method is `HEAD` or `OPTIONS`, which the specification does not name; it was taken.",
			Mend: "Nothing has to be done if the method is meant. Others may only know `GET`, `POST`, `PUT`, `PATCH` and `DELETE`."},
		{Code: "operation", Means: "An operation is named without a protocol that it belongs to, or an action goes through a protocol without naming an operation there.",
			Mend: "Write `via` and `operation` together, and declare the protocol in `protocols`."},
		{Code: "poll_endpoint", Means: "An action ends later and does not say where to ask, or says where and is not `async`.",
			Mend: "Write `poll_endpoint` and `execution_model` `async` together, or neither of them."},
		{Code: "rate_limit", Means: "A rate limit is not a number per time, and was kept as text.",
			Mend: "Write it like `30/minute`."},
		{Code: "reversible", Means: "An action is said to be reversible, and its sensitivity is `irreversible`.",
			Mend: "Change one of the two."},
		{Code: "sensitivity", Means: "The sensitivity is none of `standard`, `destructive` and `irreversible`, or the action is said to destroy something and has a method that only reads.",
			Mend: "Write one of the three, and use `POST` or `DELETE` for what changes something."},
		{Code: "sensitivity_missing", Means: "An action is destructive or irreversible and declares no sensitivity.",
			Mend: "Add `sensitivity` with the value `destructive` or `irreversible`."},
		{Code: "truncated", Means: "There are more actions, inputs or protocols than are read, which is 1,000.",
			Mend: "List at most 1,000 of them."},
		{Code: "via", Means: "`via` names a protocol that is not in `protocols`, or writes it in another case.",
			Mend: "Declare the protocol in `protocols`, and write its identifier the same in both."},
	}
}

// typeRules are those of inputs, outputs, entities and the language of their types.
func typeRules() []parse.Rule {
	return []parse.Rule{
		{Code: "entities_cut", Means: "The schemas of all actions together would hold so much of the entities that later ones only name them.",
			Mend: "Make the entities smaller, or refer to them from fewer actions."},
		{Code: "entity_fields", Means: "An entity has no `fields`; its members were read as such.",
			Mend: "Put the fields of the entity below `fields`."},
		{Code: "entity_reference", Means: "An entity is named as a type without `object[...]` around it.",
			Mend: "Write it like `object[flight]`."},
		{Code: "enum_options", Means: "A type is `enum`, and its values are not given.",
			Mend: "List them in `options`, or write them like `enum[small, large]`."},
		{Code: "input_name", Means: "The name of an input is empty, and the input was ignored.",
			Mend: "Name the input, or remove it."},
		{Code: "input_text", Means: "An input is a string where an object belongs; it was read as its type.",
			Mend: "Write `{\"type\": ...}`, with `required` beside it."},
		{Code: "json_schema", Means: "A JSON Schema stands where names and types of the specification belong; it was taken as it is.",
			Mend: "Nothing is lost here. For readers that keep to the specification, write each name with its type."},
		{Code: "output_text", Means: "`outputs` is a string where an object belongs; it was read as one type.",
			Mend: "Write an object with a name and a type for each value."},
		{Code: "path_parameter", Means: "The inputs and the variables of the endpoint do not agree, or an input in the path is not required.",
			Mend: "List each variable of the endpoint as an input with `required` true."},
		{Code: "type_text", Means: "An object stands where a word for a type belongs; its `type` was read.",
			Mend: "Write the word alone, such as `string`."},
		{Code: "type_word", Means: "A type is not a word of the specification; it was read as what it is elsewhere.",
			Mend: "Write `string`, `integer`, `float`, `boolean`, `url`, `ISO8601`, `object` or `array`."},
		{Code: "unknown_entity", Means: "A type refers to an entity that does not exist.",
			Mend: "Define it in `entities`, or mend the name."},
	}
}
