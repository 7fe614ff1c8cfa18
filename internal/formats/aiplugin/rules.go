package aiplugin

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAPIHost, ruleAPIPlaceholder, ruleAPIScheme, ruleAPIText, ruleAPIType, ruleAPIURL, ruleAPIURLScheme,
		ruleAuthText, ruleAuthType, ruleAuthorizationType, ruleContactEmail, ruleDeprecated, ruleEmpty, ruleNameSyntax,
		ruleOAuthNames, ruleRelativeAPIURL, ruleVersion,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"api":                   `{"type": "openapi", "url": "https://shop.example.com/openapi.yaml"}`,
		"api.type":              `"openapi"`,
		"auth":                  `{"type": "none"}`,
		"auth.type":             `"none"`,
		"authorization_type":    `"bearer"`,
		"authorization_url":     `"https://auth.example.com/token"`,
		"client_url":            `"https://auth.example.com/authorize"`,
		"contact_email":         `"support@shop.example.com"`,
		"description_for_human": `"Find and order books."`,
		"description_for_model": `"Finds and orders books."`,
		"legal_info_url":        `"https://shop.example.com/legal"`,
		"logo_url":              `"https://shop.example.com/logo.png"`,
		"name_for_human":        `"Book Shop"`,
		"name_for_model":        `"book_shop"`,
		"schema_version":        `"v1"`,
		"url":                   `"https://shop.example.com/openapi.yaml"`,
	}
}

// The rules of the format.
var (
	ruleAPIHost = parse.Rule{Code: "api_host", Severity: wayfind.SeverityWarning, Section: placeSection,
		Means: "The host of `api.url` is an IP address or is not a public name, or it has a port other than 443.",
		Mend:  "Serve the description under a public host name on port 443."}
	ruleAPIPlaceholder = parse.Rule{Code: "api_placeholder", Severity: wayfind.SeverityError, Section: placeSection,
		Means: "`api.url` still contains the placeholder of a template.",
		Mend:  "Put the real host into `api.url`."}
	ruleAPIScheme = parse.Rule{Code: "api_scheme", Severity: wayfind.SeverityWarning, Section: placeSection,
		Means: "`api.url` does not start with `https://`.",
		Mend:  "Serve the description over https, and write its URL with `https://`."}
	ruleAPIText = parse.Rule{Code: "api_text", Severity: wayfind.SeverityError, Section: "api",
		Means: "`api` is a string. An object is required.",
		Mend:  "Write an object with `type` and `url`."}
	ruleAPIType = parse.Rule{Code: "api_type", Severity: wayfind.SeverityError, Section: "api.type",
		Means: "`api.type` is not `openapi`, the only type that the specification defines.",
		Mend:  "Describe the API in OpenAPI and write `openapi`."}
	ruleAPIURL = parse.Rule{Code: "api_url", Severity: wayfind.SeverityError, Section: placeSection,
		Means: "`api.url` cannot be used: it is neither a full http or https URL nor a reference, or it holds a user name or a space.",
		Mend:  "Write a full https URL."}
	ruleAPIURLScheme = parse.Rule{Code: "api_url_scheme", Severity: wayfind.SeverityWarning, Section: placeSection,
		Means: "`api.url` begins with a host name instead of a scheme.",
		Mend:  "Put `https://` in front of it."}
	ruleAuthText = parse.Rule{Code: "auth_text", Severity: wayfind.SeverityError, Section: "auth",
		Means: "`auth` is a string. An object is required.",
		Mend:  "Write an object with `type`."}
	ruleAuthType = parse.Rule{Code: "auth_type", Severity: wayfind.SeverityError, Section: "auth.type",
		Means: "`auth.type` is not one of `none`, `service_http`, `user_http` and `oauth`.",
		Mend:  "Write one of the four types."}
	ruleAuthorizationType = parse.Rule{Code: "authorization_type", Severity: wayfind.SeverityError, Section: "auth.authorization_type",
		Means: "`auth.authorization_type` is neither `bearer` nor `basic`.",
		Mend:  "Write `bearer` or `basic`."}
	ruleContactEmail = parse.Rule{Code: "contact_email", Severity: wayfind.SeverityWarning, Section: "contact_email",
		Means: "`contact_email` is not a bare e-mail address.",
		Mend:  "Write one address, without a name, a scheme or other text."}
	ruleDeprecated = parse.Rule{Code: "deprecated", Severity: wayfind.SeverityInfo, Section: "Plugin manifest",
		Means: "The plugin service that this manifest is for was closed in April 2024.",
		Mend:  "Also publish a format that is still in use, and link the OpenAPI description from there."}
	ruleEmpty = parse.Rule{Code: "empty", Severity: wayfind.SeverityWarning,
		Means: "A URL that the specification requires is an empty string.",
		Mend:  "Fill it in."}
	ruleNameSyntax = parse.Rule{Code: "name_syntax", Severity: wayfind.SeverityError, Section: "name_for_model",
		Means: "`name_for_model` has characters other than letters, digits and underscores.",
		Mend:  "Write a name such as `my_shop`."}
	ruleOAuthNames = parse.Rule{Code: "oauth_names", Severity: wayfind.SeverityWarning, Section: "auth",
		Means: "`client_url` and `authorization_url` seem to be swapped. Users authorize at `client_url`. Tokens come from `authorization_url`.",
		Mend:  "Write the authorization endpoint into `client_url` and the token endpoint into `authorization_url`."}
	ruleRelativeAPIURL = parse.Rule{Code: "relative_api_url", Severity: wayfind.SeverityWarning, Section: placeSection,
		Means: "`api.url` is relative. Readers disagree about its base.",
		Mend:  "Write a full https URL."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "schema_version",
		Means: "`schema_version` is not `v1`.",
		Mend:  "Write `v1`."}
)

// The rules of all formats that this package reports as well.
var (
	ruleMissing = parse.ReaderRule("missing")
	ruleTooLong = parse.ReaderRule("too_long")
)
