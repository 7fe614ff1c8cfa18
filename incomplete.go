package wayfind

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Incomplete lists the missing places of a [Site]: those that were not asked, or that gave no answer, and
// that can be asked later. Ordinary paths of an application that fail by themselves are not listed.
type Incomplete struct {
	// Missing are the places, by verdict and reason.
	Missing []Missing `json:"missing,omitempty"`
	// NotBefore is the earliest time at which one of them may be asked. It is zero if that is at
	// once.
	NotBefore time.Time `json:"notBefore,omitzero"`
}

// Missing are places that gave no answer for the same reason.
type Missing struct {
	Verdict Verdict `json:"verdict"`
	// Reason is that of the probes.
	Reason string   `json:"reason,omitempty"`
	URLs   []string `json:"urls,omitempty" clean:"url"`
}

// Places returns the number of the places that are missing.
func (in *Incomplete) Places() int {
	n := 0
	for i := range in.Missing {
		n += len(in.Missing[i].URLs)
	}
	return n
}

// String returns the number of missing places and the reasons, for people: "2 places gave no answer (2 throttled), so there
// may be more".
func (in *Incomplete) String() string {
	counts := map[string]int{}
	for _, m := range in.Missing {
		word := string(m.Verdict)
		if m.Verdict == VerdictSkipped && m.Reason != "" {
			word = "not asked: " + m.Reason
		}
		counts[word] += len(m.URLs)
	}
	var words []string
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[word], word))
	}
	places := "1 place"
	if n := in.Places(); n != 1 {
		places = fmt.Sprintf("%d places", n)
	}
	return fmt.Sprintf("%s gave no answer (%s), so there may be more", places, strings.Join(words, ", "))
}
