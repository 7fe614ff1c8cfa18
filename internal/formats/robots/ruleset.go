package robots

import (
	"math/bits"
	"slices"
	"strings"
)

// ruleset has the Allow and Disallow lines of groups that apply together (§2.2.2).
type ruleset struct {
	// plain patterns match if the path begins with them; most patterns are plain. They are in
	// order, each once.
	plain []plainRule
	// wild patterns have a star, or the end of the path. stars is the number of stars after the
	// first one of each pattern.
	wild  []rule
	stars int
	// deepest is the largest number of plain patterns that begin one another.
	deepest int
}

type rule struct {
	pattern string
	allow   bool
}

type plainRule struct {
	rule
	// shorter is the index of the longest other pattern that this one begins with, or -1 if there
	// is none. depth is the number of such patterns.
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

// prepare sorts the plain patterns, after all are added. If a pattern has both rules, Allow is
// kept.
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

// allow reports whether the rules let a client request a path: the longest match decides, and
// Allow if two have the same length.
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

// longest returns the longest plain pattern that a path begins with, or nil if there is none.
// In sorted order, all patterns between this pattern and the path begin with it too. So it is
// the pattern before the path, or one that this pattern begins with.
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

// steps bounds the work of allow for a path of this length.
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

// matches reports whether a pattern matches the beginning of a path (§2.2.3): "*" is any text,
// and "$" at the end of the pattern is the end of the path. The text between two stars is
// searched from the left, so no byte is read twice.
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
