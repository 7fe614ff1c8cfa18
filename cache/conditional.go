package cache

import (
	"strings"
)

// conditional reports whether a request has conditions that a cache can judge (RFC 9111 §4.3.2).
func (h *requestHeader) conditional() bool {
	return h.has("If-None-Match") || h.has("If-Modified-Since")
}

// hasTag reports whether an entity tag is in the lists of If-None-Match, by the
// weak comparison (RFC 9110 §13.1.2).
func hasTag(lines []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for line != "" {
			line = strings.TrimLeft(line, " \t,")
			if strings.HasPrefix(line, "*") {
				return true
			}
			_, quoted, _ := strings.Cut(line, `"`)
			own, rest, closed := strings.Cut(quoted, `"`)
			if !closed {
				break
			}
			if tag != "" && `"`+own+`"` == opaque {
				return true
			}
			line = rest
		}
	}
	return false
}

// conditions returns the fields that condition sets.
func conditions() [2]string { return [...]string{"If-None-Match", "If-Modified-Since"} }
