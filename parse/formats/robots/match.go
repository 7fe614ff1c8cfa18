package robots

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// maxStrange is how many more strange lines than known ones a text may have
// before it is given up.
const maxStrange = 100

// match recognises a file by its fields, wherever it lies: a line that begins a
// group and mostly lines with fields of the format make it certain. Without
// groups it is likely where it holds nothing but such fields, one of which no
// other text has.
func match(in *parse.Input) parse.Claim {
	claim := matchBody(in)
	if claim.Level == parse.None && carriesWishes(in.Header) {
		return parse.Claim{Aside: true}
	}
	return claim
}

func matchBody(in *parse.Input) parse.Claim {
	if !atPlace(in.URL) {
		return parse.Claim{}
	}
	body, _ := cut(in.Body)
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(text) == 0 || text[0] == '{' || text[0] == '[' || in.HTML() {
		return parse.Claim{}
	}
	groups, own, known, strange := 0, 0, 0, 0
	for l := range split(text) {
		switch weigh(l.field) {
		case begins:
			if l.value != "" {
				groups++
			}
			known++
		case ours:
			own++
			known++
		case anyones:
			known++
		default:
			if l.text != "" {
				strange++
			}
		}
		if strange > known+maxStrange {
			return parse.Claim{}
		}
	}
	switch {
	case groups > 0 && known >= strange:
		return parse.Claim{Level: parse.Exact}
	case own > 0 && strange == 0:
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// weight is what a field says about the kind of a text.
type weight int

const (
	nothing weight = iota
	// anyones: a field of ours whose name is a word of other texts too.
	anyones
	// ours: a field that only a robots.txt has.
	ours
	// begins a group, and is ours more than any other.
	begins
)

func weigh(field string) weight {
	switch strings.ToLower(field) {
	case "user-agent", "useragent", "user agent":
		return begins
	case "disallow", "disalow", "dissallow", "sitemap", "site-map", "agentmap", "content-signal", "content-usage", "crawl-delay":
		return ours
	case "allow", "host", "clean-param", "noindex", "request-rate", "visit-time":
		return anyones
	}
	return nothing
}

// atPlace reports whether a document may be a robots.txt where it is. A redirect
// may lead anywhere (RFC 9309 §2.3.1.2), but not to files that have the same
// grammar and another meaning.
func atPlace(u *url.URL) bool {
	if u == nil {
		return true
	}
	switch path.Base(u.Path) {
	case "ai.txt", "agents.txt":
		return false
	}
	return true
}
