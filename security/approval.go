package security

import "github.com/wayfindhq/wayfind"

// ApprovalRequest asks the caller of the library whether an endpoint may be
// contacted that a document of another site, or of another host of its site,
// names. Its strings are cleaned text of strangers: show them, do not follow them.
// The approval covers all fields but Subject and Definition: an answer to one
// request does not answer another.
type ApprovalRequest struct {
	// DocumentOrigin is the origin whose document names the endpoint:
	// "https://example.com".
	DocumentOrigin string
	// Document is the URL of that document, "" where it is not known.
	Document string
	// Endpoint is the URL that would be contacted.
	Endpoint string
	// Domain is the registrable domain of the endpoint, or its host where that
	// has none: "example.net". Its registrant controls the endpoint.
	Domain string
	// Protocol is the protocol of the contact: "http" to read a document, else
	// that of the interface ("mcp", "jsonrpc").
	Protocol string
	// Methods are the methods of HTTP that would be used, in alphabetical
	// order. More than GET can change something there.
	Methods []string
	// Digest is the SHA-256, in hexadecimal, of the approved fields: another
	// digest needs another answer.
	Digest string
	// Purpose is an open string: "describe" reads a document, "live" speaks
	// with a server to learn its offers, "actors" sends messages.
	Purpose string
	// Subject is the key of the capability, or the ID of the service, that
	// needs the endpoint. It is for people, and no part of the approval: one
	// document may describe many.
	Subject string
	// Definition is the document's definition of the subject: a Site with one
	// service, and the capability where the request is for one. It is no part
	// of the approval, but tells another version of the document from a riskier
	// one: see pins.Approvals. Nil where it is unknown.
	Definition *wayfind.Site
}
