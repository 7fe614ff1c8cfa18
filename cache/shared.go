package cache

import (
	"net/http"
	"slices"
)

// setsCookie reports whether a response sets a cookie, so that it is meant for one user.
func setsCookie(h http.Header) bool { return h["Set-Cookie"] != nil || h["Set-Cookie2"] != nil }

// confined reports whether the answer to a call stays in this process, whatever its header allows.
// A shared cache with Options.Strict confines only answers to calls with a Partition, and answers
// to credentials with Rules or in a session of MCP.
func (c *call) confined(shared bool) bool {
	switch {
	case c.ask.Partition != "":
		return true
	case !shared || !c.header.identifies:
		return false
	}
	return !c.header.identity.open || c.ask.Rules != nil || c.header.has(sessionField)
}

// forOne reports whether a shared cache must not answer others with an entry, because it answers
// credentials and its header does not make it public (RFC 9111 §3.5).
func (e *Entry) forOne() bool {
	return e.Credentialed && (e.memoryOnly || !e.control.forEveryone)
}

// forShared returns the part of a private store's entry that a shared store may have, or nil if it
// may have nothing. It is fresh there as long as the rules of both allow. If the response may not
// be stored but its meaning is remembered, the part is that meaning.
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

// fromShared returns variants of a shared store. The rules of a shared cache apply to them until
// this cache validates them.
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
