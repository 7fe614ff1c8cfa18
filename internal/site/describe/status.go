package describe

import (
	"context"
	"sync"
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
	// maxStatuses is the maximum number of status endpoints that are asked for one site or tool, and
	// statusTime how long a call or a reading of a site waits for all of them.
	maxStatuses = 4
	statusTime  = 3 * time.Second
	// maxStatus is the maximum size of an answer, in bytes.
	maxStatus = 64 << 10
	// statusLifetime is the lifetime of an answer that states none. RFC 9111 §4.2.2 leaves it to the
	// cache: without one, each call would ask, and a file that was changed long ago would be kept for days.
	statusLifetime = time.Minute
)

// Statuses asks the status endpoints of services of a site for their present states, at most 4 of
// them and all at once. Each answer is used as long as it is fresh. The states are in the order of the
// services, and nil where none is known. They are fresh until a time, which may be zero.
func Statuses(ctx context.Context, eng *discover.Engine, origin string, services []*wayfind.Service) (now []*wayfind.Status, until time.Time) {
	now = make([]*wayfind.Status, len(services))
	var asked []int
	for i, s := range services {
		if s != nil && s.Status != nil && s.Status.URL != "" && len(asked) < maxStatuses {
			asked = append(asked, i)
		}
	}
	if asked == nil {
		return now, until
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	ends := make([]time.Time, len(asked))
	var work sync.WaitGroup
	for n, i := range asked {
		work.Go(func() { now[i], ends[n] = status(ctx, eng, origin, services[i]) })
	}
	work.Wait()
	for _, end := range ends {
		if !end.IsZero() && (until.IsZero() || end.Before(until)) {
			until = end
		}
	}
	return now, until
}

// status asks the status endpoint of a service, without a credential. The endpoint must have the
// origin of each document about the service, within the site.
func status(ctx context.Context, eng *discover.Engine, origin string, service *wayfind.Service) (now *wayfind.Status, until time.Time) {
	if len(service.Sources) == 0 || len(secret.Find("", service.Status.URL)) > 0 {
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
	a, end := eng.NewSession(ctx, u.Hostname(), false)
	defer end()
	a.KeepPace(origin, 0)
	limits := parse.Limits{Bytes: maxStatus, SameSiteOnly: true}.WithDefaults()
	o := a.Ask(a.Work, &places.Candidate{URL: u.String(), Accept: "application/json", Limits: limits, Depth: 1, Detail: true, Lifetime: statusLifetime}, false)
	if o.Probe.Status != 200 || o.Doc == nil || o.Doc.Input() == nil || len(o.Doc.Input().Body) > maxStatus {
		return nil, o.FreshUntil
	}
	root, err := o.Doc.Input().JSON()
	if err != nil {
		return nil, o.FreshUntil
	}
	return awp.StatusOf(root, service), o.FreshUntil
}
