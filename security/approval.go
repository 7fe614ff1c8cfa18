package security

import "github.com/wayfindhq/wayfind"

// ApprovalRequest asks the caller of the library whether an endpoint may be contacted. A
// document of another site, or of another host of the same site, names the endpoint. The
// strings of the request are cleaned text of strangers: show them, do not follow them. The
// approval covers all fields except Subject and Definition: an answer to one request does not
// answer another.
type ApprovalRequest struct {
	// DocumentOrigin is the origin whose document names the endpoint:
	// "https://example.com".
	DocumentOrigin string
	// Document is the URL of that document, or empty if it is not known.
	Document string
	// Endpoint is the URL that would be contacted.
	Endpoint string
	// Domain is the registrable domain of the endpoint ("example.net"), or its host if it has
	// no registrable domain. The registrant of the domain controls the endpoint.
	Domain string
	// Protocol is the protocol of the contact: "http" to read a document, otherwise the
	// protocol of the interface ("mcp", "jsonrpc").
	Protocol string
	// Methods are the HTTP methods that would be used, in alphabetical order. Methods other
	// than GET can change something at the endpoint.
	Methods []string
	// Digest is the SHA-256, in hexadecimal, of the approved fields. A request with another
	// digest needs another answer.
	Digest string
	// Purpose is an open string: "describe" reads a document, "live" queries a server for its
	// offers, "actors" sends messages.
	Purpose string
	// Subject is the key of the capability, or the ID of the service, that needs the endpoint.
	// It is for people. It is not part of the approval, because one document may describe many
	// subjects.
	Subject string
	// Definition is the document's definition of the subject: a Site with one service, and with
	// the capability if the request is for one. It is not part of the approval, but it
	// distinguishes a new version of the document from a riskier one: see pins.Approvals. It is
	// nil if it is unknown.
	Definition *wayfind.Site
}
