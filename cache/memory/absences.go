package memory

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Most places of a domain answer "no" with the same content. The "no" answers of an origin (in a
// view and a partition) are one value of the table. Each one has its own times and lifetime.
type absences struct {
	began time.Time
	mu    sync.Mutex
	list  []absence // oldest first

	// cost and ends are what the table knows of the value. They are guarded by Store.saving.
	cost int64
	ends time.Duration
}

// absence is one "no".
type absence struct {
	folded *cache.Folded
	stamp  stamp
	until  time.Duration // since absences.began
}

const (
	// savers is the number of locks of Store.saving. A Save reads the absences of an origin and
	// writes them, so it must be alone.
	savers = 64
	// maxAbsences is the largest number of absences of an origin. The oldest ones are forgotten.
	maxAbsences = 256
	// absencesShare is the divisor for the share of the store that the absences of an origin may
	// take.
	absencesShare = 16
	// maxRetain is the longest time that an absence stays, so that sums of times do not overflow.
	maxRetain = 100 * 365 * 24 * time.Hour
	// absenceCost is the cost of an absence without its Folded, in bytes.
	absenceCost = 32
)

// saveSeed selects the lock of an origin.
var saveSeed = maphash.MakeSeed()

// lock locks the keys of an origin for writing, with the mutex that it returns.
func (s *Store) lock(origin string) *sync.Mutex {
	mu := &s.saving[maphash.String(saveSeed, origin)%savers]
	mu.Lock()
	return mu
}

// folded returns the small form of variants, or nil if they have none.
func folded(v *cache.Variants) *cache.Folded {
	if len(v.Entries) == 1 && v.From == "" {
		return v.Entries[0].Folded()
	}
	return nil
}

// absent returns the absence under a key, or nil.
func (s *Store) absent(key string) *cache.Variants {
	origin, place := cache.CutOrigin(key)
	if place == "" {
		return nil
	}
	k, ok := s.entries.Get(origin)
	if !ok {
		return nil
	}
	a, ok := k.absences.find(place)
	if !ok || a.until <= time.Since(k.absences.began) || s.eras.over(a.stamp, key) {
		return nil
	}
	return &cache.Variants{Entries: []*cache.Entry{a.folded.Entry(key)}}
}

// addAbsence keeps an absence of an origin that is locked.
func (s *Store) addAbsence(origin string, a absence, retain time.Duration) {
	k, _ := s.entries.Get(origin)
	all := k.absences
	if all == nil {
		all = &absences{began: time.Now()}
	}
	now := time.Since(all.began)
	a.until = now + min(retain, maxRetain)
	cost := all.add(a, now, s.entries.max/absencesShare)
	// The value is set again only if its cost or its end grows, because a write of the table costs more
	// than all the rest.
	if cost > all.cost || a.until > all.ends {
		if cost > all.cost {
			all.cost = cost + cost/4
		}
		if a.until > all.ends {
			all.ends = a.until + (a.until-now)/8
		}
		s.entries.Set(strings.Clone(origin), kept{absences: all}, all.cost, all.ends-now)
	}
}

// dropAbsence forgets an absence of an origin that is locked.
func (s *Store) dropAbsence(origin, place string) {
	if place == "" {
		return
	}
	if k, ok := s.entries.Get(origin); ok && k.absences.drop(place) {
		s.entries.Del(origin)
	}
}

// find returns the absence of a place. all may be nil.
func (all *absences) find(place string) (absence, bool) {
	if all == nil {
		return absence{}, false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if i := all.index(place); i >= 0 {
		return all.list[i], true
	}
	return absence{}, false
}

// index returns the index of a place in the list, or -1. all.mu is held.
func (all *absences) index(place string) int {
	return slices.IndexFunc(all.list, func(a absence) bool { return a.folded.Place() == place })
}

// add adds an absence or replaces that of the same place. It forgets those that have ended and,
// beyond most bytes, the oldest ones. It returns the cost of all.
func (all *absences) add(a absence, now time.Duration, most int64) (cost int64) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.list = append(slices.DeleteFunc(all.list, func(b absence) bool { return b.folded.SamePlace(a.folded) || b.until <= now }), a)
	for cost = all.size(); len(all.list) > 1 && (cost > most || len(all.list) > maxAbsences); cost = all.size() {
		all.list = slices.Delete(all.list, 0, 1+len(all.list)/8)
	}
	return cost
}

// drop forgets the absence of a place, and reports whether it was the last one. all may be nil.
func (all *absences) drop(place string) (last bool) {
	if all == nil {
		return false
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	i := all.index(place)
	if i < 0 {
		return false
	}
	all.list = slices.Delete(all.list, i, i+1)
	return len(all.list) == 0
}

// size returns the estimated number of bytes that all occupy. all.mu is held.
func (all *absences) size() int64 {
	n := int64(96 + cap(all.list)*absenceCost)
	var before *cache.Folded
	for _, a := range all.list {
		n += a.folded.Size(before)
		before = a.folded
	}
	return n
}
