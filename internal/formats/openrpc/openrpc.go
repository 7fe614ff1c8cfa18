// Package openrpc reads OpenRPC documents, versions 1.0 to 1.4 and later ones within 1.x:
// descriptions of JSON-RPC 2.0 APIs. They have no place of their own ("openrpc.json" is the
// name of a file, not of a place on a site): other documents link to them, and servers return
// theirs as the result of the method rpc.discover, which [Discover] reads.
//
//	f := openrpc.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
//
// Sections in diagnostics are the names of the objects in the specification, which are the
// same in all versions: "Method Object".
//
// # Guarantees
//
// Every method, at most 1,000, is a capability of kind rpc_method with its parameters, and
// with Input and Output as self-contained JSON Schemas. Schemas are written as JSON Schema
// 2020-12 (the schemas of documents follow draft-07). The definitions that they refer to are
// in their $defs, each once, so that a schema may refer to itself. The schemas of one method
// have at most 10,000 subschemas and 512 KiB. Subschemas beyond that accept any value, and a
// diagnostic reports them.
//
// Input is the schema of the params of a request. It is a tuple if the method takes them by
// position, and an object if it takes them by name or either way. The extension
// "paramStructure" contains the structure. If the document does not declare it,
// "paramStructure" is in Defaulted: either way, and by position before 1.3.
//
// Methods may share so much that all of them in full would take more than twice the size of
// the document and 64 KiB. They are then listed in short form and lazy, and the same document
// is the detail of each.
//
// A method is called through the servers of its document (Invocation.Via "jsonrpc", the
// Protocol of the interfaces), or at a URL if it has servers of its own: the first one that can be
// used. A document without
// servers implies one on "localhost", the reader's own machine: it has no interface, and its
// methods have no invocation.
//
// References are followed within the document only. A reference to another document is
// reported, and the result contains no part of it. The format does not define authentication,
// so Auth is nil.
//
// # Limitations
//
// Links between methods are kept as written. References to an $id accept any
// value. Expressions in URLs beyond a name in braces are not evaluated.
package openrpc

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// name is the name of the format.
const name = "openrpc"

// protocol is the protocol of the interfaces.
const protocol = "jsonrpc"

// maxBytes is the largest document, in bytes.
const maxBytes = 4 << 20

// DialectDiscover is the dialect of a document in the response to rpc.discover.
const DialectDiscover = "discover"

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:  name,
		Spec:  spec(),
		Title: "OpenRPC: the methods of a JSON-RPC API, linked from other documents",
		// The specification does not mention caching. An hour is the value in the documents that
		// link here.
		Cache:     parse.CachePolicy{Default: time.Hour},
		Limits:    parse.Limits{Bytes: maxBytes},
		PerSource: true,
		Files:     true,
		Match:     match,
		Parse:     func(in *parse.Input) (*parse.Reading, error) { return parseDocument(in, false) },
		Rules:     rules(),
		Examples:  examples(),
		Detail:    parseDetail,
	}
}

func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "OpenRPC Specification 1.4", URL: "https://spec.open-rpc.org/"}
}
