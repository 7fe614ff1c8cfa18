// Package integrations reads the declaration of a site's integration surfaces, version 3, at
// /.well-known/integrations.json: its HTTP APIs, MCP servers, GraphQL endpoints, command-line programs and
// skills, with the credentials that each of them takes.
//
//	f := integrations.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// No standard defines the format. The registry that reads it publishes a page for authors and the schema of
// its own records, and diagnostics refer to the members.
//
// # Promises
//
// Each surface is a service, but for skills, whose index is followed. The API description that it names is followed, with the alternatives if the first
// is absent. A command-line program is named as software to install, and never run. A credential is told with
// the page where a person gets it. A URL with variables, written {name} or <name>, is a template.
//
// # Not supported
//
// The records of the registry about a domain ("detected" and "discovered"): another party has written them.
// They are read as documents of the domain that they lie at, which then answers for them.
package integrations

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Path is the path of a declaration.
const Path = "/.well-known/integrations.json"

const name = "integrations"

// version is the version of the format that is read.
const version = "3"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "integrations.json v3", URL: "https://integrations.sh/publishing/"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Title:    "integrations.json: the APIs, MCP servers and command-line programs of a product, with their credentials",
		Rules:    rules(),
		Examples: examples(),
		Marks:    []string{"version", "surfaces"},
		Locations: []parse.Location{{
			Path: Path, Section: "Publishing", Accept: "application/json",
			Note: "the declaration of the owner; registries of integrations read it",
		}},
		// The page for authors recommends an hour.
		Cache: parse.CachePolicy{Default: time.Hour, Section: "Publishing"},
		Match: match,
		Parse: parseDocument,
	}
}

// match recognises a list of surfaces with types, or the version beside credentials.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	surfaces := root.Get("surfaces")
	typed := surfaces.Kind() == parse.Array && surfaces.Sampled(isSurface) > 0
	here := in.URL != nil && in.URL.Path == Path
	_, numbered := root.Get("version").Int()
	switch {
	case typed && numbered:
		return parse.Claim{Level: parse.Exact}
	case typed && root.Get("credentials").Kind() == parse.Object:
		return parse.Claim{Level: parse.Likely}
	case here && numbered && (surfaces.Exists() || root.Get("credentials").Exists()), here && typed:
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// isSurface reports whether an entry of a list is a surface of a type that the format defines.
func isSurface(n parse.Node) bool {
	text, _ := n.Get("type").Str()
	switch text {
	case typeHTTP, typeGraphQL, typeMCP, typeCLI, typeSkills:
		return n.Get("auth").Exists() || n.Get("slug").Exists() || n.Get("basis").Exists()
	}
	return false
}

// reader reads one declaration.
type reader struct {
	*parse.Reader
	in      *parse.Input
	base    *url.URL // nil if it is not known
	reading *parse.Reading
	ids     map[string]bool
	schemes map[string]wayfind.Scheme // of the credentials, by ID
	kept    []rawjson.Member          // members of credentials that a scheme has no place for, by ID
}
