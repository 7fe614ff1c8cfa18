package describe

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

const (
	// statusTime is how long a call or a reading of a site waits for a status endpoint.
	statusTime = 3 * time.Second
	// maxStatus is the maximum size of its answer, in bytes.
	maxStatus = 64 << 10
)

// Status asks the status endpoint of a service of a site for its present state, without a credential,
// unless an earlier answer is still fresh. The endpoint must have the origin of each document about the
// service, within the site. The state is nil if it is not known; it is fresh until a time, which may be zero.
func Status(ctx context.Context, eng *discover.Engine, origin string, service *wayfind.Service) (now *wayfind.Status, until time.Time) {
	if service.Status == nil || service.Status.URL == "" || len(service.Sources) == 0 || len(secret.Find("", service.Status.URL)) > 0 {
		return nil, until
	}
	u, err := eng.Opts.Policy.ParseURL(service.Status.URL, nil)
	if err != nil {
		return nil, until
	}
	if !eng.SameSite(urlref.Host(origin), u.Hostname()) {
		return nil, until
	}
	for _, r := range service.Sources { // each of which may be the one that names the endpoint
		if from, err := eng.Opts.Policy.ParseURL(r.Source, nil); err != nil || security.Origin(u) != security.Origin(from) {
			return nil, until
		}
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	a, end := eng.NewSession(ctx, u.Hostname(), false)
	defer end()
	limits := parse.Limits{Bytes: maxStatus, SameSiteOnly: true}.WithDefaults()
	o := a.Ask(a.Work, &places.Candidate{URL: u.String(), Accept: "application/json", Limits: limits, Depth: 1, Detail: true}, false)
	if o.Probe.Status != 200 || o.Doc == nil || o.Doc.Input() == nil || len(o.Doc.Input().Body) > maxStatus {
		return nil, o.FreshUntil
	}
	root, err := o.Doc.Input().JSON()
	if err != nil {
		return nil, o.FreshUntil
	}
	return awp.StatusOf(root, service), o.FreshUntil
}
