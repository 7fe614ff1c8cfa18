package call

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
)

// mayPoll returns an error if a URL at which a service says that its work can be looked at is that of an
// operation that does more than read. The person has not agreed to that one.
func (t *target) mayPoll(u *url.URL) error {
	own, readable := t.operationAt(u)
	if own == nil || readable && t.caller.Effect(own) == Reads {
		return nil
	}
	return fail(Refused, nil, fmt.Sprintf("the service names the address of the tool %s to look at the work, and that tool does more than read, or cannot be read", own.Name))
}

// operationAt returns the tool of the Box that a GET of a URL calls; nil if there is none. Of several, the
// one with the fewest variables in its path is called, as OpenAPI has it, and the most cautious of equals.
// readable is false if its definition cannot be read, so that its effect is unknown.
func (t *target) operationAt(u *url.URL) (found *tools.Tool, readable bool) {
	fewest := 0
	for _, light := range t.box.Tools() {
		c := light.Capability
		if light.Origin != t.tool.Origin || c == nil || c.Invocation == nil || c.Invocation.Method != http.MethodGet {
			continue
		}
		variables, ok := matchesPath(placeOf(c.Invocation), u)
		if !ok || found != nil && variables > fewest {
			continue
		}
		own, err := t.box.Tool(light.Name) // with its extensions
		if err == nil && found != nil && variables == fewest && t.caller.Effect(own) == Reads {
			continue
		}
		if readable = err == nil; !readable {
			own = &light
		}
		found, fewest = own, variables
	}
	return found, readable
}

// matchesPath reports whether a URL is one of a template, whatever its query, and returns the number of
// segments with variables.
func matchesPath(template string, u *url.URL) (variables int, ok bool) {
	path, ok := strings.CutPrefix(template, u.Scheme+"://"+u.Host)
	if !ok {
		return 0, false
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "{?")
	segments, have := segmentsOf(path), segmentsOf(u.EscapedPath())
	if len(segments) != len(have) {
		return 0, false
	}
	for i, segment := range segments {
		switch {
		case strings.Contains(segment, "{"):
			variables++
		case !strings.EqualFold(segment, have[i]):
			return 0, false
		}
	}
	return variables, true
}

// segmentsOf returns the segments of a path as lenient servers read them: without escapes and without
// empty ones.
func segmentsOf(path string) (list []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if plain, err := url.PathUnescape(segment); err == nil {
			segment = plain
		}
		if segment != "" {
			list = append(list, segment)
		}
	}
	return list
}
