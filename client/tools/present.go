package tools

import (
	"context"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

// present returns the site with the state that the status endpoints of its services tell now. A Watch
// reads the site again when an answer is no longer fresh.
func (l *loader) present(ctx context.Context, site *wayfind.Site) *wayfind.Site {
	services := make([]*wayfind.Service, len(site.Services))
	for i := range site.Services {
		services[i] = &site.Services[i]
	}
	now, until := access.Of(l.client).Statuses(ctx, site.Origin, services)
	l.until(until)
	if !slices.ContainsFunc(now, func(s *wayfind.Status) bool { return s != nil }) {
		return site
	}
	own := *site
	own.Services = slices.Clone(site.Services)
	for i, status := range now {
		if status != nil {
			own.Services[i].Status = status
		}
	}
	return &own
}
