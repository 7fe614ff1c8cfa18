// Package aiplugin reads the plugin manifest of ChatGPT plugins, version v1:
// /.well-known/ai-plugin.json, with a few texts, the authentication, and the URL of
// the OpenAPI description of the API.
//
//	f := aiplugin.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// Plugins closed in April 2024 and the official text is gone. The rules come from its
// last version, and diagnostics refer to the members of the manifest. Sites still
// publish it more often than any other document of its kind, so it is read, and
// "deprecated" is in the Extensions.
//
// # Promises
//
// A manifest has no capabilities of its own: it has a link to its OpenAPI description,
// which may be anywhere. The caller decides whether it may be fetched from another
// site. Auth is the publisher's statement for all operations of that description.
// ChatGPT followed the manifest if the two disagreed.
//
// The names in auth are misleading: client_url is the authorization endpoint and
// authorization_url the token endpoint, and they are read as such. The name of the
// scheme determines the owner of the credential: the agent's operator for
// service_http, and each user for user_http.
//
// The verification tokens are public proofs of a set-up, not credentials, and no model
// needs them: only their number is kept. description_for_model is a text written for a
// model to obey. It is kept as data in the Extensions, like name_for_model, and is
// never a Description.
//
// # Not supported
//
// Version 2 of the manifest, which declares functions, belongs to another product; it
// is recognised as another format.
package aiplugin

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a manifest.
const Path = "/.well-known/ai-plugin.json"

// name is the name of the format.
const name = "aiplugin"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "ChatGPT plugin manifest v1", URL: "https://platform.openai.com/docs/plugins/getting-started"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Rules:    rules(),
		Examples: examples(),
		Title:    "plugin manifest: the texts and authentication of an API, with a link to its OpenAPI description",
		Marks:    []string{"schema_version", "name_for_model", "description_for_model", "api", "auth"},
		Locations: []parse.Location{{
			Path: Path, Section: "Plugin manifest", Accept: "application/json",
			Note: "the place that the closed plugin system looked at",
		}},
		// The text does not mention caching. One hour is usual for documents of this
		// kind.
		Cache: parse.CachePolicy{Default: time.Hour},
		Match: match,
		Parse: parseDocument,
	}
}

// match recognises a manifest by the members that only a manifest has.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	version, _ := root.Get("schema_version").Str()
	named := root.Get("name_for_model").Exists() || root.Get("name_for_human").Exists()
	api := root.Get("api").Get("url").Exists() && root.Get("auth").Get("type").Exists()
	switch {
	case named && len(version) > 1 && version[:2] == "v2" && (root.Get("runtimes").Exists() || root.Get("functions").Exists()):
		return parse.Claim{Other: true, Dialect: "plugin-v2"}
	case named && (version != "" || api):
		return parse.Claim{Level: parse.Exact}
	case version != "" && api:
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// reader reads one manifest.
type reader struct {
	*parse.Reader
	// base is the URL of the manifest, nil if it is not known.
	base *url.URL
}
