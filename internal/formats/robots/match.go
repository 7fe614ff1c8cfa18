package robots

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// maxStrange is the number of unknown lines that a text may have in excess of the known ones.
// A text with more is not read further.
const maxStrange = 100

// match recognises a file by its fields, at any place. A file is certain if a line begins a
// group and at least half of the lines have fields of the format. Without groups, it is likely
// if all lines have such fields, and one of the fields is in no other kind of text.
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

// weight is the evidence of a field for the kind of a text.
type weight int

const (
	nothing weight = iota
	// anyones: a field of this format whose name is a word of other texts too.
	anyones
	// ours: a field that only a robots.txt has.
	ours
	// begins: a field that begins a group, the strongest evidence.
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

// atPlace reports whether the place of a document may be the place of a robots.txt. A redirect
// may lead anywhere (RFC 9309 §2.3.1.2), but not to files that have the same grammar and
// another meaning.
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
