package client

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/describe"
)

// Describe completes a Site's definition of one capability or service. key is the key or alias of a
// capability, or the ID of a service. If the Site's document is only a summary, the detail document
// is fetched, under the same guard and cache as everything else. site may come from a JSON round
// trip. If a detail document requires authentication, Options.Credentials is called, or the
// credential of [WithCredential] is sent.
// For each key of a call, the inputs come from the best reading that states them; Detail.Conflicts
// lists the differences.
//
// A detail document on another site than the document that names it is fetched only if
// Options.Approve agrees; otherwise the error is of kind wayfind.ErrRefused with code
// wayfind.CodeCrossSite. The result belongs to the caller and never enters the Site. Parts of the
// Detail are shared with the Site, so do not write to it.
//
// If a capability is a file, such as a skill, the file itself is requested and Detail.Content holds
// it. Its bytes are compared with the digest in its listing before any of them is returned. Nothing
// in a file is run or unpacked.
//
// A definition that differs from its pin in Options.Trust.Pins is refused, both before the first
// request and after the detail document was read: see PinPolicy.
//
// Errors are *wayfind.Error. Their kinds are ErrInvalid with CodeUnknownKey, the kinds of Resolve
// for the request, ErrInvalid with CodeSchema if the document is no detail document, and ErrInvalid
// with CodeDigest if a file differs from its listing. The Detail is non-nil if the key is known,
// and then holds the Site's definition.
func (c *Client) Describe(ctx context.Context, site *wayfind.Site, key string) (*wayfind.Detail, error) {
	leave, err := c.enter("describe")
	if err != nil {
		return nil, err
	}
	defer leave()
	return describe.One(ctx, c.engine, site, key, traced(ctx))
}

// DescribeAll is Describe for several keys, in their order. Without a key, it describes all
// capabilities of the Site. A document that describes several of them is requested and read once.
// Each key gives the result of Describe: a Detail, an error, or both. The work for a key is done
// when the loop asks for it.
//
// When ctx ends, each remaining key gives the error.
func (c *Client) DescribeAll(ctx context.Context, site *wayfind.Site, keys ...string) iter.Seq2[*wayfind.Detail, error] {
	return func(yield func(*wayfind.Detail, error) bool) {
		leave, err := c.enter("describe")
		if err != nil {
			yield(nil, err)
			return
		}
		defer leave()
		describe.All(ctx, c.engine, site, keys, traced(ctx))(yield)
	}
}
