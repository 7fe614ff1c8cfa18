package aiplugin

import "github.com/wayfindhq/wayfind/parse"

// rules explain the diagnostics of the format to publishers, in alphabetical
// order.
func rules() []parse.Rule {
	return []parse.Rule{
		{Code: "api_host", Means: "The host of `api.url` is an IP address or no public name, or has a port other than 443.",
			Mend: "Serve the description under a public host name on port 443."},
		{Code: "api_placeholder", Means: "`api.url` still has the placeholder of a template.",
			Mend: "Put the real host into `api.url`."},
		{Code: "api_scheme", Means: "`api.url` does not start with `https://`.",
			Mend: "Serve the description over https, and write its URL that way."},
		{Code: "api_text", Means: "`api` is a string where an object belongs.",
			Mend: "Write an object with `type` and `url`."},
		{Code: "api_type", Means: "`api.type` is not `openapi`, the only type there is.",
			Mend: "Describe the API in OpenAPI and write `openapi`."},
		{Code: "api_url", Means: "`api.url` cannot be used: it is neither a full http or https URL nor a reference, or it holds a user name or a blank.",
			Mend: "Write a full https URL."},
		{Code: "api_url_scheme", Means: "`api.url` begins with a host name instead of a scheme.",
			Mend: "Put `https://` in front of it."},
		{Code: "auth_text", Means: "`auth` is a string where an object belongs.",
			Mend: "Write an object with `type`."},
		{Code: "auth_type", Means: "`auth.type` is none of `none`, `service_http`, `user_http` and `oauth`.",
			Mend: "Write one of the four types."},
		{Code: "authorization_type", Means: "`auth.authorization_type` is neither `bearer` nor `basic`.",
			Mend: "Write `bearer` or `basic`."},
		{Code: "contact_email", Means: "`contact_email` is no bare mail address.",
			Mend: "Write one address, without a name, a scheme or other text."},
		{Code: "deprecated", Means: "The plugins that this manifest is for were closed in April 2024.",
			Mend: "Publish a format that is still in use beside it, and link the OpenAPI description from there."},
		{Code: "empty", Means: "A URL that the specification requires is an empty string.",
			Mend: "Fill it in."},
		{Code: "name_syntax", Means: "`name_for_model` has characters other than letters, digits and underscores.",
			Mend: "Write a name such as `my_shop`."},
		{Code: "oauth_names", Means: "`client_url` and `authorization_url` seem to have changed places: the former is where people authorize, the latter where tokens come from.",
			Mend: "Write the authorization endpoint into `client_url` and the token endpoint into `authorization_url`."},
		{Code: "relative_api_url", Means: "`api.url` is relative, and readers differ on what it is relative to.",
			Mend: "Write a full https URL."},
		{Code: "too_long", Means: "A text is longer than the specification allows.",
			Mend: "Shorten it: 50 characters for names, 120 for the description for people, 8,000 for the one for models."},
		{Code: "version", Means: "`schema_version` is not `v1`.",
			Mend: "Write `v1`."},
	}
}
