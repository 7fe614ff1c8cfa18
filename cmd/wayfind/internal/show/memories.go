package show

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// memory is an answer that was not asked for in this run.
type memory struct {
	since, until time.Time // zero if not known
	origin       string    // "disk"
}

// memories returns the answers that come from an earlier run, by URL.
func memories(site *wayfind.Site, t *client.Trace) map[string]memory {
	list := map[string]memory{}
	if t == nil {
		return list
	}
	for i := range t.Fetches {
		f := &t.Fetches[i]
		if f.From == "" || f.From == "network" || f.From == "validated" {
			continue
		}
		list[f.URL] = memory{since: site.ResolvedAt.Add(-f.Age), until: f.FreshUntil, origin: humanize.Origin(f.From, f.Stale)}
	}
	for _, p := range site.Probes {
		if _, is := list[p.URL]; is || p.Status != 0 || !p.FreshUntil.After(site.ResolvedAt) {
			continue
		}
		if p.Verdict == wayfind.VerdictAbsent || p.Reason == string(wayfind.CodeNotBefore) { // not asked because of an obligation
			list[p.URL] = memory{until: p.FreshUntil}
		}
	}
	return list
}

// SiteAnswer is a Site as --json prints it.
type SiteAnswer struct {
	*wayfind.Site
	// Remembered are the probes whose answers are of an earlier run.
	Remembered []rememberedProbe `json:"remembered,omitempty"`
}

// rememberedProbe says since when and until when a remembered answer counts.
type rememberedProbe struct {
	// URL of the probe.
	URL string `json:"url"`
	// Since is when the answer was fetched. It is absent for a place that was not asked,
	// because an earlier answer wants a pause.
	Since time.Time `json:"since,omitzero"`
	// Until is when the place is asked again.
	Until time.Time `json:"until,omitzero"`
	// From is where the answer was: "memory", the name of a store such as "disk", or
	// "stale" with the reason for an answer that no longer counts.
	From string `json:"from,omitempty"`
}

// AnswerOf returns a Site as --json prints it, with the probes whose answers are remembered.
func AnswerOf(site *wayfind.Site, t *client.Trace) SiteAnswer {
	a := SiteAnswer{Site: site}
	list := memories(site, t)
	for _, p := range site.Probes {
		if m, is := list[p.URL]; is {
			a.Remembered = append(a.Remembered, rememberedProbe{p.URL, m.since.UTC().Truncate(time.Second), m.until.UTC(), m.origin})
		}
	}
	return a
}
