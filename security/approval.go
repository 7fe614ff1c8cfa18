package security

import (
	"context"
	"errors"
	"net/url"

	"github.com/wayfindhq/wayfind"
)

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

// ApproveSameSite is an answer for client.Options.Approve and call.Options.Approve. It approves the
// contact with other hosts of a site, such as mcp.example.com for the documents of example.com, since
// most sites have their MCP server there. It is [SuffixList.ApproveSameSite] with the list that this
// module contains.
//
// It is no default, because the hosts of a site may belong to several owners.
func ApproveSameSite(ctx context.Context, r ApprovalRequest) error {
	return (*SuffixList)(nil).ApproveSameSite(ctx, r)
}

// ApproveSameSite approves a request if the endpoint, the document that names it and the Site that the
// document belongs to have the same registrable domain, by the ICANN and the private rules of the list:
// see [SuffixList.SameSite]. The endpoint must be https on port 443. Addresses, names of one label and
// hosts under a suffix that is not in the list are not approved, and neither is a login (the purpose
// "oauth"), which would send credentials there. The error of a refusal has the code
// wayfind.CodeNotApproved. The context is not used.
func (l *SuffixList) ApproveSameSite(_ context.Context, r ApprovalRequest) error {
	refused := func(why string) error {
		return wayfind.NewError("approve", r.Endpoint, wayfind.CodeNotApproved, errors.New(why))
	}
	endpoint, err := url.Parse(r.Endpoint)
	if err != nil {
		return refused("its URL cannot be read")
	}
	if r.Purpose == "oauth" {
		return refused("only contact with hosts of the same site is approved, and no login there")
	}
	named := []string{r.DocumentOrigin}
	if r.Definition != nil {
		named = append(named, r.Definition.Origin)
	}
	for _, by := range named {
		from, err := url.Parse(by)
		if err != nil || l.TrustOf(from, nil, endpoint) == wayfind.TrustCrossSite {
			return refused("only contact with hosts of the same site is approved")
		}
	}
	return nil
}
