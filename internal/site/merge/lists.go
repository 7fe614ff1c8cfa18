package merge

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// stringSet is a list of strings without duplicates.
type stringSet struct {
	list []string
	has  map[string]bool
}

func newStringSet(w *fuel.Counter, list []string) *stringSet {
	s := &stringSet{list: slices.Clip(list), has: make(map[string]bool, len(list))}
	for _, v := range list {
		w.Add(1)
		s.has[v] = true
	}
	return s
}

func (s *stringSet) add(w *fuel.Counter, more []string) {
	for _, v := range more {
		w.Add(1)
		if !s.has[v] {
			s.has[v] = true
			s.list = append(s.list, v)
		}
	}
}

// joinStrings returns a with the strings of b that a does not have.
func joinStrings(w *fuel.Counter, a, b []string) []string {
	w.Add(1)
	if len(b) == 0 {
		return a
	}
	if a = slices.Clone(a); len(a)+len(b) <= few {
		for _, v := range b {
			if !slices.Contains(a, v) {
				a = append(a, v)
			}
		}
		return a
	}
	set := newStringSet(w, a)
	set.add(w, b)
	return set.list
}

// joinRefs returns a with the references of b that a does not have.
func joinRefs(w *fuel.Counter, a, b []wayfind.Ref) []wayfind.Ref {
	w.Add(1)
	a = slices.Clone(a)
	if len(a)+len(b) <= few {
		for _, r := range b {
			if !slices.Contains(a, r) {
				a = append(a, r)
			}
		}
		return a
	}
	have := make(map[wayfind.Ref]bool, len(a)+len(b))
	for _, r := range a {
		w.Add(1)
		have[r] = true
	}
	for _, r := range b {
		w.Add(1)
		if !have[r] {
			have[r] = true
			a = append(a, r)
		}
	}
	return a
}

// few is the number of elements up to which a list needs no table.
const few = 8
