package client

import (
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// Stats counts the work of a Client since New, and shows its health: Obligations, Crowded,
// LastAnswer, Store.Resting, Store.Failed and Responses.StoreErrors.
type Stats struct {
	// Sites counts whole answers.
	Sites SiteStats
	// Responses counts single documents, through cache.Engine.
	Responses cache.Stats
	// Memory is about the store of responses, and SiteMemory about the store of Sites.
	Memory, SiteMemory memory.Stats
	// Store counts writes to Options.Store.
	Store cache.LayeredStats
	// Obligations is the number of cool-downs and pauses of URLs and origins at present.
	Obligations int
	// ObligationsEvicted counts cool-downs that were dropped because there were too many.
	// Cool-downs are never dropped for another reason, and pauses are never dropped.
	ObligationsEvicted uint64
	// Crowded counts calls that ended early because others waited for Limits.Bytes.
	Crowded uint64
	// LastAnswer is the time at which a site last answered a request, whatever its status; zero if
	// none did.
	LastAnswer time.Time
	// Steps counts the work on documents: cleaning, merging, and comparing them with robots.txt and
	// pins. A step is an element of a list, or up to 128 bytes of text.
	Steps uint64
}

// SiteStats count calls of Resolve, Refresh and Probe.
type SiteStats struct {
	// Hits is the number of calls answered from memory, Misses the number of calls that asked, and
	// Joined the number of calls that shared the work of another call.
	Hits, Misses, Joined uint64
}

// Stats returns the counts so far. It takes no lock for long and may be called at any time, also
// after Close.
func (c *Client) Stats() Stats {
	if c.unmade() {
		return Stats{}
	}
	s := Stats{
		Sites:     SiteStats{Hits: c.engine.Sites.Hits.Total(), Misses: c.counters.misses.Load(), Joined: c.counters.joined.Load()},
		Responses: c.engine.Cache.Stats(), Memory: c.responses.Stats(), SiteMemory: c.engine.Sites.Table.Stats(),
		Obligations: c.engine.Gate.Held(), ObligationsEvicted: c.engine.Gate.Evicted(), Steps: c.engine.Worked.Load(),
		Crowded: c.engine.Crowded.Load(), LastAnswer: c.engine.Answered(),
	}
	if c.engine.Layers != nil {
		s.Store = c.engine.Layers.Stats()
	}
	return s
}
