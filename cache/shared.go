package cache

import (
	"net/http"
	"slices"
)

// setsCookie reports whether a response sets a cookie, and so is meant for one
// user.
func setsCookie(h http.Header) bool { return h["Set-Cookie"] != nil || h["Set-Cookie2"] != nil }

// forShared returns the part of a private store's entry that a shared store may
// have; nil is nothing. It is fresh there for as long as both allow. Where the
// response may not be stored but its meaning is remembered, the part is that
// meaning.
func (e *Entry) forShared() *Entry {
	s := e.copied()
	s.Shared = true
	s.derive()
	switch {
	case e.memoryOnly || e.Credentialed:
		return nil
	case s.Storable():
		if !s.Lifetime.remembered() && s.control.hasSharedMaxAge {
			s.Lifetime.For = min(s.Lifetime.For, s.control.sharedMaxAge)
		}
		return s
	case s.Lifetime.remembered() && s.Lifetime.For > 0:
		if h := s.withoutBody(); !h.memoryOnly {
			return h
		}
	}
	return nil
}

// forShared returns the part of the variants that a shared store may have.
func (v *Variants) forShared() *Variants {
	out := &Variants{From: v.From, Generation: v.Generation}
	for _, e := range v.Entries {
		if s := e.forShared(); s != nil {
			out.Entries = append(out.Entries, s)
		}
	}
	return out
}

// fromShared returns variants of a shared store, judged by its rules until a
// validation of our own replaces them.
func (v *Variants) fromShared() *Variants {
	if !slices.ContainsFunc(v.Entries, func(e *Entry) bool { return !e.Shared }) {
		return v
	}
	out := &Variants{Entries: make([]*Entry, len(v.Entries)), From: v.From, Generation: v.Generation}
	for i, e := range v.Entries {
		s := e.copied()
		s.Shared = true
		s.derive()
		out.Entries[i] = s
	}
	return out
}
