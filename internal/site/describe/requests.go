package describe

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
)

// Contract is a definition, or the part of it that its request needs.
type Contract struct {
	// Detail has neither schemas nor examples if Request is set. It has the names and places of the
	// parameters outside the body.
	Detail *wayfind.Detail
	// Request contains the schema of the arguments.
	Request *contract.Request
	// Described is true if the definition comes from a detail document, and not from the Site.
	Described bool

	describer *describer
}

// Requests describes keys of a Site for a caller that only needs their requests. If a document does
// not share schemas between its requests, the definition is described in full.
func Requests(ctx context.Context, eng *discover.Engine, site *wayfind.Site, keys []string, told func(discover.Fact)) iter.Seq2[*Contract, error] {
	return several(ctx, eng, site, keys, told, true)
}

// requestOnly reports whether the request is enough. It is not if there are pins, which cover the
// whole definition, if another reading of the call completes it, or if the definition is searched for
// a credential.
func (d *describer) requestOnly() bool {
	c := d.detail.Capability
	return d.requests && !d.full && len(d.carried) == 0 && d.Opts.Trust.Pins == nil && len(c.Alternatives) == 0 && c.Artifact == nil
}

// contract returns the result of the describer.
func (d *describer) contract() *Contract {
	made := &Contract{Detail: d.detail, Request: d.request, Described: d.detail.Source != nil}
	if d.request != nil {
		made.describer = d
	}
	return made
}

// whole returns the Detail, or nil if there is none.
func (c *Contract) whole() *wayfind.Detail {
	if c == nil {
		return nil
	}
	return c.Detail
}

// Whole reads the definition in full, from the document of the request, which is not requested
// again.
func (c *Contract) Whole(ctx context.Context) (*wayfind.Detail, error) {
	if c.describer == nil {
		return c.Detail, nil
	}
	detail, err := c.describer.batch.known(c.describer.key)
	if err != nil {
		return nil, err
	}
	full := &describer{Engine: c.describer.Engine, batch: c.describer.batch, detail: detail, key: c.describer.key, from: c.describer.from, format: c.describer.format, full: true}
	if err := full.readDetail(ctx, c.describer.outcome); err != nil {
		return nil, err
	}
	detail.Capability.RobotsDisallowed = detail.Capability.RobotsDisallowed || c.Detail.Capability.RobotsDisallowed
	return detail, nil
}
