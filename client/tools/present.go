package tools

import (
	"context"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

// maxStatuses is the maximum number of status endpoints that are asked for one site.
const maxStatuses = 4

// present returns the site with the state that the status endpoints of its services tell now. A Watch
// reads the site again when an answer is no longer fresh.
func (l *loader) present(ctx context.Context, site *wayfind.Site) *wayfind.Site {
	now, asked := site, 0
	for i := range site.Services {
		s := &site.Services[i]
		if s.Status == nil || s.Status.URL == "" || asked == maxStatuses {
			continue
		}
		asked++
		status, until := access.Of(l.client).Status(ctx, site.Origin, s)
		l.until(until)
		if status == nil {
			continue
		}
		if now == site {
			own := *site
			own.Services = slices.Clone(site.Services)
			now = &own
		}
		now.Services[i].Status = status
	}
	return now
}
