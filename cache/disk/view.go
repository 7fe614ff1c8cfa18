package disk

import (
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// view is the content of a directory of generations.
type view struct {
	seen    []uint64  // the generations, in order
	states  []state   // the states in the highest generation that can be read; none if there is none
	pending time.Time // the time until which nothing is taken, because a generation cannot be read
	newest  time.Time // modification time of the highest generation
	skipped []uint64  // generations that could not be read
}

// find returns the state of a key, or nil.
func (v *view) find(key string) *state {
	for i := range v.states {
		if v.states[i].key == key {
			return &v.states[i]
		}
	}
	return nil
}

// change edits the state of a key in v, and returns the answer of the edit. repaired reports
// whether spans of any key were restarted.
func (v *view) change(key string, now time.Time, edit edit) (answer time.Time, changed, repaired bool) {
	for i := range v.states {
		repaired = v.states[i].repair(now) || repaired
	}
	st := state{key: key}
	if old := v.find(key); old != nil {
		st = *old
	}
	if answer, changed = edit(now, &st, v.pending); changed {
		v.put(st, now)
	}
	return answer, changed, repaired
}

// put stores the state of a key unless it was given back, and drops states that ended long ago. If there are too many, it
// drops those that end soonest.
func (v *view) put(st state, now time.Time) {
	limit := now.Add(-afterEnd)
	v.states = slices.DeleteFunc(v.states, func(other state) bool { return other.key == st.key || other.end().Before(limit) })
	if extra := len(v.states) + 1 - maxShared; extra > 0 {
		slices.SortStableFunc(v.states, func(a, b state) int { return a.end().Compare(b.end()) })
		v.states = slices.Delete(v.states, 0, extra)
	}
	if !st.end().IsZero() {
		v.states = append(v.states, st)
	}
}

// end returns the time when the last state ends.
func (v *view) end() (end time.Time) {
	for _, st := range v.states {
		end = latest(end, st.end())
	}
	return end
}

// look reads a directory of generations. Nothing is taken during the grace of a generation that
// cannot be read. The generation before it is used, too, because a writer removes older ones only
// afterwards. A lease without the lock of a running process is not held.
func (s *Store) look(hash string, lease bool) (view, error) {
	var v view
	infos, err := s.generations(hash)
	if err != nil || len(infos) == 0 {
		return v, err
	}
	for _, g := range infos {
		v.seen = append(v.seen, g.number)
	}
	v.newest = infos[len(infos)-1].info.ModTime()
	now := s.clock.Now()
	for _, g := range slices.Backward(infos) {
		states, err := s.readStates(hash, g)
		switch {
		case err == nil:
			v.states = states
			if lease && !s.locked(hash, g) {
				for i := range states {
					states[i].taken, states[i].token = span{}, token{}
				}
			}
			return v, nil
		case errors.Is(err, fs.ErrNotExist):
			return v, errLost // another writer removed the file that was to be read
		case !errors.Is(err, cache.ErrCorrupt) && !errors.Is(err, fs.ErrPermission):
			return v, err
		}
		v.skipped = append(v.skipped, g.number)
		if lease && !s.locked(hash, g) {
			v.pending = latest(v.pending, leaseGraceOf(g.info.ModTime(), now))
			continue
		}
		v.pending = latest(v.pending, graceOf(g.info.ModTime(), now))
	}
	return v, nil
}

// held yields the keys that are held, and the ends of their holds, for a call that changes nothing.
func (v *view) held(now time.Time) iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		for _, st := range v.states {
			st.repair(now)
			if end := st.held(now); !end.IsZero() && !yield(st.key, end) {
				return
			}
		}
	}
}

// graceOf returns the end of the grace of a generation that cannot be read, or zero if it is over.
// A time far in the future was written with another clock and has no grace.
func graceOf(modified, now time.Time) time.Time {
	end := modified.Add(grace)
	switch {
	case !end.After(now), modified.After(now.Add(futureSlack)):
		return time.Time{}
	case end.After(now.Add(grace)):
		return now.Add(grace)
	}
	return end
}
