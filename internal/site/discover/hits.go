package discover

import (
	"math/rand/v2"
	"sync/atomic"
)

const (
	// hitStripes is the number of cache lines over which hits are counted, because callers on
	// several processors would wait for a single counter.
	hitStripes = 32
	// touchEvery is the sampling rate of hits: one in touchEvery is reported to the admission policy
	// of the Site cache. Reporting all of them would cost more than the rest of a hit.
	touchEvery = 64
)

// hits is the number of Sites that were answered from memory.
type hits struct {
	stripes [hitStripes]struct {
		n atomic.Uint64
		_ [56]byte // fills the cache line
	}
}

// add counts a hit. told is true for one hit in touchEvery. It is chosen at random, so that no
// pattern of calls is always or never reported.
func (h *hits) add() (told bool) {
	r := rand.Uint32()
	h.stripes[r%hitStripes].n.Add(1)
	return r/hitStripes%touchEvery == 0
}

// Total returns the number of hits so far.
func (h *hits) Total() (n uint64) {
	for i := range h.stripes {
		n += h.stripes[i].n.Load()
	}
	return n
}
