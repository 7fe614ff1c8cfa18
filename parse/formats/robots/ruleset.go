package robots

import (
	"math/bits"
	"slices"
	"strings"
)

// ruleset are the Allow and Disallow lines of groups that count together
// (§2.2.2).
type ruleset struct {
	// plain patterns match by being the beginning of a path: most do. They are in
	// order, each once.
	plain []plainRule
	// wild patterns have a star, or the end of the path. stars are those that
	// follow another star.
	wild  []rule
	stars int
	// deepest is how many plain patterns begin one another at most.
	deepest int
}

type rule struct {
	pattern string
	allow   bool
}

type plainRule struct {
	rule
	// shorter is the longest other pattern that this one begins with, -1 for none.
	shorter, depth int
}

func (s *ruleset) add(pattern string, allow bool) {
	switch {
	case pattern == "":
	case strings.Contains(pattern, "*") || strings.HasSuffix(pattern, "$"):
		s.wild = append(s.wild, rule{pattern, allow})
		s.stars += max(0, strings.Count(pattern, "*")-1)
	default:
		s.plain = append(s.plain, plainRule{rule: rule{pattern, allow}})
	}
}

// prepare puts the plain patterns in order, once all are there. Allow wins where
// one pattern has both.
func (s *ruleset) prepare() {
	slices.SortFunc(s.plain, func(a, b plainRule) int { return strings.Compare(a.pattern, b.pattern) })
	kept := s.plain[:0]
	for _, r := range s.plain {
		if n := len(kept); n > 0 && kept[n-1].pattern == r.pattern {
			kept[n-1].allow = kept[n-1].allow || r.allow
			continue
		}
		kept = append(kept, r)
	}
	s.plain = kept
	for i := range s.plain {
		r := &s.plain[i]
		for r.shorter = i - 1; r.shorter >= 0 && !strings.HasPrefix(r.pattern, s.plain[r.shorter].pattern); {
			r.shorter = s.plain[r.shorter].shorter
		}
		if r.shorter >= 0 {
			r.depth = s.plain[r.shorter].depth + 1
		}
		s.deepest = max(s.deepest, r.depth)
	}
}

// allow reports whether the rules let a client go to a path: the longest match
// wins, and Allow where two are of one length.
func (s *ruleset) allow(path string) bool {
	length := [2]int{} // of the longest match: forbidden, allowed
	if r := s.longest(path); r != nil {
		length[index(r.allow)] = len(r.pattern)
	}
	for _, w := range s.wild {
		if at := &length[index(w.allow)]; len(w.pattern) > *at && matches(path, w.pattern) {
			*at = len(w.pattern)
		}
	}
	return length[0] <= length[1]
}

// longest is the longest plain pattern that a path begins with, nil without one.
// The patterns between it and the path, in order, begin with it too: so it is the one
// before the path, or one that this begins with.
func (s *ruleset) longest(path string) *rule {
	i, found := slices.BinarySearchFunc(s.plain, path, func(r plainRule, path string) int { return strings.Compare(r.pattern, path) })
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	last, same := s.plain[i].pattern, 0
	for same < len(last) && same < len(path) && last[same] == path[same] {
		same++
	}
	for i >= 0 && len(s.plain[i].pattern) > same {
		i = s.plain[i].shorter
	}
	if i < 0 {
		return nil
	}
	return &s.plain[i].rule
}

// steps bounds the work of allow for a path of a length.
func (s *ruleset) steps(length int) int {
	pieces := 1 + length/128
	return pieces*(1+len(s.wild)+bits.Len(uint(len(s.plain)))) + s.stars + s.deepest
}

func index(allow bool) int {
	if allow {
		return 1
	}
	return 0
}

// matches reports whether a pattern matches the beginning of a path (§2.2.3):
// "*" is any text, and "$" at the end of the pattern the end of the path. What
// stands between two stars is looked for from the left, so nothing is read
// twice.
func matches(path, pattern string) bool {
	pattern, toEnd := strings.CutSuffix(pattern, "$")
	part, pattern, more := strings.Cut(pattern, "*")
	rest, ok := strings.CutPrefix(path, part)
	for ok && more {
		part, pattern, more = strings.Cut(pattern, "*")
		if !more && toEnd {
			return strings.HasSuffix(rest, part)
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && (!toEnd || rest == "")
}
