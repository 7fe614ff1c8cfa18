package cache

import (
	"cmp"
	"net/http"
	"time"
)

// hasNewer reports whether one of the variants that match a request is newer than the answer to it.
func (v *Variants) hasNewer(e *Entry, request *requestHeader) bool {
	if v == nil {
		return false
	}
	for _, stored := range v.Entries {
		if stored.matches(request) && e.olderThan(stored) {
			return true
		}
	}
	return false
}

// olderThan reports whether an answer is older than a stored one although it came later. This is
// possible only if it was asked for before the stored one arrived. The origin's Date decides (RFC
// 9111 §4), or the order of the requests if the Dates do not. For two events at the same instant of
// the clock, the Engine's own order decides which was first.
func (e *Entry) olderThan(stored *Entry) bool {
	if !before(e.RequestTime.Compare(stored.ResponseTime), e.asked, stored.came) {
		return false
	}
	own, err := http.ParseTime(e.Header.Get("Date"))
	theirs, failed := http.ParseTime(stored.Header.Get("Date"))
	if err == nil && failed == nil && !own.Equal(theirs) {
		return own.Before(theirs)
	}
	return e.hasMono && stored.hasMono && before(cmp.Compare(e.sent(), stored.sent()), e.asked, stored.asked)
}

// before reports whether an event came before another one by the clock or, at the same instant, by
// their places in the order of an Engine.
func before(byClock int, place, other uint64) bool {
	return byClock < 0 || byClock == 0 && place < other
}

// sent returns the monotonic time at which the request of an entry with hasMono was sent.
func (e *Entry) sent() time.Duration { return e.mono - e.ResponseTime.Sub(e.RequestTime) }
