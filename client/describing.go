package client

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/describe"
)

// Describe completes a Site's definition of one capability or service. key is a
// capability's key or alias, or the ID of a service. Where the Site's document
// is only a summary, the detail document is fetched, under the same guard and
// cache as everything else; site may come from a JSON round trip. The detail
// document of a service may require authentication: then Options.Credentials is
// called. The inputs of a call come from the best of its readings that states
// them, for each of its keys; Detail.Conflicts lists the differences.
//
// A detail document on another site than the one that names it is fetched
// only when Options.Approve agrees; otherwise the error is of kind
// wayfind.ErrRefused with code wayfind.CodeCrossSite. The result belongs to the
// caller and never enters the Site; parts of the Detail are shared with the
// Site, so do not write to it.
//
// Of a capability that is a file, such as a skill, the file itself is asked for:
// Detail.Content has it. Its bytes are compared with the digest that its listing
// gives before any of them is returned. Nothing in a file is run or unpacked.
//
// A definition that differs from its pin in Options.Trust.Pins is refused, both
// before the first request and after the detail document was read: see
// PinPolicy.
//
// Errors are *wayfind.Error: ErrInvalid with CodeUnknownKey, the kinds of
// Resolve for the request, ErrInvalid with CodeSchema when the document is no
// detail document, and with CodeDigest when a file is not the one of its
// listing. The Detail is non-nil when the key is known, and then holds the
// Site's definition.
func (c *Client) Describe(ctx context.Context, site *wayfind.Site, key string) (*wayfind.Detail, error) {
	return describe.One(ctx, c.engine, site, key, traced(ctx))
}

// DescribeAll is Describe for several keys, in their order; without one, for
// all capabilities of the Site. A document that describes many of them is asked
// for and read once. Each key gives the result of Describe: a Detail, an error, or
// both. The work for a key is done when the loop asks for it.
//
// When ctx ends, each remaining key gives the error.
func (c *Client) DescribeAll(ctx context.Context, site *wayfind.Site, keys ...string) iter.Seq2[*wayfind.Detail, error] {
	return describe.All(ctx, c.engine, site, keys, traced(ctx))
}
