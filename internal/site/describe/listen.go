package describe

import (
	"context"
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
)

// Listen calls changed whenever the server of a service says that its lists have changed. It needs
// the same approval and credentials as a description of the service, and returns when the server
// ends the conversation, or when ctx ends. The error is errors.ErrUnsupported if the server does
// not say so.
func Listen(ctx context.Context, eng *discover.Engine, site *wayfind.Site, key string, changed func()) error {
	if err := describable(eng, site, key); err != nil {
		return err
	}
	s := newBatch(ctx, eng, site, nil)
	detail, err := s.known(key)
	if err == nil {
		err = eng.Opts.Trust.Refuse("listen", key, s.report.Of(site, key))
	}
	if err != nil {
		return err
	}
	d := &describer{Engine: eng, batch: s, detail: detail, key: key}
	d.from = d.sourcePlace(detail.Service.Sources)
	for l, err := range d.endpoints(ctx) {
		if err != nil {
			return err
		}
		return l.listen(ctx, changed)
	}
	return errors.ErrUnsupported
}
