package security

import "github.com/wayfindhq/wayfind"

// ApprovalRequest asks the caller of the library whether an endpoint may be
// contacted that a document of another site, or of another host of its site,
// names. Its strings are cleaned text of strangers: show them, do not follow them.
// All fields but Subject and Definition are what is approved: an answer to one request is none to
// another.
type ApprovalRequest struct {
	// DocumentOrigin is the origin whose document names the endpoint:
	// "https://example.com".
	DocumentOrigin string
	// Document is the URL of that document, "" where it is not known.
	Document string
	// Endpoint is the URL that would be contacted.
	Endpoint string
	// Domain is the registrable domain of the endpoint, or its host where that
	// has none: "example.net". Who has registered it answers there.
	Domain string
	// Protocol is what would be spoken with the endpoint: "http" where a
	// document would be read, else that of the interface ("mcp", "jsonrpc").
	Protocol string
	// Methods are the methods of HTTP that would be used, in alphabetical
	// order. More than GET can change something there.
	Methods []string
	// Digest is the SHA-256, in hexadecimal, of what an answer is good for:
	// another digest needs another answer.
	Digest string
	// Purpose is an open string: "describe" reads a document, "live" speaks
	// with a server to learn what it offers, "actors" sends messages.
	Purpose string
	// Subject is the key of the capability, or the ID of the service, that it
	// is for. It is for people, and no part of what is approved: one document
	// may describe many.
	Subject string
	// Definition is what the document says of the subject: a Site with one
	// service, and the capability where it is for one. It is no part of what is
	// approved, but tells another version of the document from a riskier one:
	// see pins.Approvals. Nil where nothing is known of it.
	Definition *wayfind.Site
}
