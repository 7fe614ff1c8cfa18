// Package openapi reads OpenAPI descriptions, versions 2.0 (Swagger), 3.0, 3.1 and 3.2, in
// JSON or YAML: documents that list the operations of an HTTP API. Other documents link to them, or
// they lie where publishers put them by convention: see [Path].
//
//	f := openapi.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//	detail, err := f.Detail(input, parse.Subject{Capability: &reading.Services[0].Capabilities[0]})
//
// Sections in diagnostics are the names of the objects in the specification, which are the
// same in all versions: "Server Object".
//
// # Guarantees
//
// Parse returns every operation, at most 5,000, with the fields that a caller needs to choose
// one: ID, method, URL, texts, effects and authentication. The same document is its detail:
// Detail reads it again and returns one operation in full, with its parameters, and with Input
// and Output as self-contained JSON Schemas. Schemas that the document refers to are in their
// $defs, each once, so that a schema may refer to itself. Keywords of older versions
// (nullable, example, a boolean exclusiveMinimum) are translated to JSON Schema 2020-12. One
// schema contains at most 10,000 subschemas and 512 KiB. Subschemas beyond that accept any
// value, and a diagnostic reports them.
//
// An operation that cannot be read is reported, and left out or left without an invocation. It
// does not affect the others. References are followed within the document, which contains the
// other documents of its site if a client has read them (see parse.Format.Files). Any other
// reference is reported, and the result contains no part of it, so that no reader is led
// there. An operation whose arguments need such a reference has the diagnostic "unread_input",
// and one that requires a parameter which no request can have has "unplaced_input". Neither of
// them becomes a tool.
//
// Params are a flat view. The members of a request body that is a plain object are parameters
// in "body". Any other body is one parameter, "body", with "name" in Defaulted because that
// name is not sent. Input has the same names. The serialization of a parameter (style,
// explode, content) is in its fields, with the defaults of the specification in Defaulted.
// "allowEmptyValue" is in the Extensions under "serialization".
//
// A document without servers has one, at the place of the document. Of several servers, calls go
// to the first one that can be used: see parse.Refs.FirstUsable. Variables of a server have
// their defaults in the URL of an invocation, as the specification requires, and remain
// variables in the Template of an Interface.
//
// A document without security declares no authentication, so Auth is Unknown. An empty list,
// or {} as an alternative, means that none is needed. The Auth of an operation names schemes
// without their texts and lists of scopes, which are in the Service.
//
// Members that the model has no field for are in the Extensions. The Extensions of an
// operation are "responses" (texts by status), "responseHeaders", "responseExamples",
// "outputs" (the schemas of the media types of the first success whose schema is not Output,
// {} for one without) and "responseSchemas" (properties named after the status, with one
// $defs) of the responses other than the first success, "responseMembers", "requestBody",
// "parameters" and "examples" for their remaining members, by status, media type or name,
// "servers", "path" and "operation". Values that are too long are left out and reported, and
// so are definitions that no operation refers to.
//
// # Limitations
//
// Callbacks and links are kept as written. The names of callbacks and webhooks are in the
// Extensions of the service, with a note that no capabilities are made of them. A reference to
// an $id accepts any value, and a $dynamicRef is read as a $ref. A body in XML is one parameter, whose schema has the
// XML Objects and, for the root, the name of its component. The mapping of a
// discriminator has the names of definitions. Schemas that only a mapping leads to become
// alternatives of the schema that they extend; more than 32 are left out and reported.
package openapi

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// name is the name of the format.
const name = "openapi"

// accept and acceptYAML are the Accept fields of the places.
const (
	accept     = "application/json, application/yaml;q=0.9, text/plain;q=0.8"
	acceptYAML = "application/yaml, text/plain;q=0.9, application/json;q=0.8"
)

// maxBytes is the largest document, in bytes: GitHub's has 13 MB. The limit for YAML is 8 MiB
// (parse.Input.Tree).
const maxBytes = 16 << 20

// Dialects are the families of versions.
const (
	Dialect20 = "2.0"
	Dialect30 = "3.0"
	Dialect31 = "3.1"
	Dialect32 = "3.2"
)

// The places of convention. No specification names them: Machine Payments Protocol names the first two for
// its own descriptions.
const (
	Path          = "/openapi.json"
	PathWellKnown = "/.well-known/openapi.json"
	PathYAML      = "/openapi.yaml"
)

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     specOf(Dialect32),
		Rules:    rules(),
		Examples: examples(),
		Title:    "OpenAPI: the operations of an HTTP API, linked from other documents or at a place of convention",
		Marks:    []string{"openapi", "paths"},
		Locations: []parse.Location{
			{Path: Path, Accept: accept, Unless: []string{name, "apicatalog"}, Conventional: true, Note: "a convention; robots.txt is obeyed"},
			{Path: PathWellKnown, After: Path, Accept: accept, Conventional: true, Beside: true, Note: "as above, if another document was found"},
			{Path: PathYAML, After: Path, Accept: acceptYAML, Conventional: true, Beside: true, Note: "as above, if another document was found"},
		},
		// The specification does not mention caching. An hour is the value in the documents that
		// link here.
		Cache:     parse.CachePolicy{Default: time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes, Items: maxOperations},
		PerSource: true,
		Files:     true,
		Match:     match,
		Parse:     parseDocument,
		Detail:    parseDetail,
	}
}

// specOf returns the specification that a dialect follows.
func specOf(dialect string) wayfind.SpecRef {
	switch dialect {
	case Dialect20:
		return wayfind.SpecRef{Title: "OpenAPI Specification 2.0", URL: "https://spec.openapis.org/oas/v2.0.html"}
	case Dialect30:
		return wayfind.SpecRef{Title: "OpenAPI Specification 3.0.4", URL: "https://spec.openapis.org/oas/v3.0.4.html"}
	case Dialect31:
		return wayfind.SpecRef{Title: "OpenAPI Specification 3.1.2", URL: "https://spec.openapis.org/oas/v3.1.2.html"}
	}
	return wayfind.SpecRef{Title: "OpenAPI Specification 3.2.0", URL: "https://spec.openapis.org/oas/v3.2.0.html"}
}
