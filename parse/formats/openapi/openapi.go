// Package openapi reads OpenAPI descriptions, versions 2.0 (Swagger), 3.0, 3.1
// and 3.2, in JSON or YAML: documents that list the operations of an HTTP API.
// They have no place of their own; other documents link to them.
//
//	f := openapi.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//	detail, err := f.Detail(input, parse.Subject{Capability: &reading.Services[0].Capabilities[0]})
//
// Sections in diagnostics are the names of the objects in the specification,
// which are the same in all versions: "Server Object".
//
// # What is promised
//
// Parse gives every operation, at most 1,000, with what it takes to choose one:
// ID, method, URL, texts, effects and authentication. The same document is its
// detail: Detail reads it again and gives one operation in full, with its
// parameters, and with Input and Output as JSON Schemas that stand alone.
// Schemas that the document refers to are in their $defs, each once, so that a
// schema may refer to itself; keywords of older versions (nullable, example, a
// boolean exclusiveMinimum) are written as JSON Schema 2020-12 has them. One
// schema holds at most 1,000 subschemas and 512 KiB; what is beyond is any
// value, and a diagnostic.
//
// An operation that cannot be read is reported and left out or left without an
// invocation; it never costs the others. References are followed within the
// document only. One to anywhere else (a file, another host) is reported, and
// nothing of it is in the result, so that no reader is led there.
//
// Params are a flat view. The members of a request body that is a plain object
// are parameters in "body"; any other body is one parameter, "body", with
// "name" in Defaulted because no such name goes over the wire. Input has the
// same names. How a parameter is written out (style, explode, a content of its
// own) is in its fields, with the defaults of the specification in Defaulted.
// "allowEmptyValue" is in the Extensions under "serialization".
//
// A server that is not named is the place of the document; variables of a
// server have their defaults in the URL of an invocation, as the specification
// says, and stay variables in the Template of an Interface.
//
// No security in a document is no word about it, so Auth is Unknown; an empty
// list, or {} as an alternative, says that nothing is needed. The Auth of an
// operation names schemes without their texts and lists of scopes, which are
// in the Service.
//
// What the model has no field for is in the Extensions. Those of an operation are
// "responses" (texts by status), "responseHeaders", "responseExamples" and
// "responseSchemas" (properties named after the status, with one $defs) of the
// responses that are not the first success, "responseMembers", "requestBody",
// "parameters" and "examples" for what else these say, by status, media type or
// name, "servers", "path" and "operation". Values that are too long are left out
// and reported, and so are definitions that no operation leads to.
//
// # What is not supported
//
// Callbacks and links are kept as they are written, webhooks by their names, with
// a note that the rest of them is not read.
// $dynamicRef and references to an $anchor are any value. XML names, and which
// schema a discriminator means, are not in the result.
package openapi

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// name is the name of the format.
const name = "openapi"

// maxBytes is the largest document: descriptions of more than 1 MiB are common.
// YAML ends at 1 MiB (parse.Input.Tree).
const maxBytes = 4 << 20

// Dialects are the families of versions.
const (
	Dialect20 = "2.0"
	Dialect30 = "3.0"
	Dialect31 = "3.1"
	Dialect32 = "3.2"
)

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     specOf(Dialect32),
		Rules:    rules(),
		Examples: examples(),
		Title:    "OpenAPI: the operations of an HTTP API, linked from other documents",
		// The specification does not speak of caching. An hour is what the
		// documents that link here use.
		Cache:     parse.CachePolicy{Default: time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes},
		PerSource: true,
		Match:     match,
		Parse:     parseDocument,
		Detail:    parseDetail,
	}
}

// specOf names the text that a dialect follows.
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
