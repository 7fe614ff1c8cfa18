package sitecheck

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/web/wall"
)

// Said is an answer that places gave alike.
type Said struct {
	// Verdict on the places.
	Verdict wayfind.Verdict `json:"verdict"`
	// Status is the HTTP status of the answers, or 0 if there was none.
	Status int `json:"status,omitempty"`
	// Why is the cause: the wall that answered, or the code of the error in words.
	Why string `json:"why,omitempty"`
	// Places is their number.
	Places int `json:"places"`
	// First is the URL of the first of them.
	First string `json:"first"`
}

// said returns the answers of all places that were asked, the most frequent first.
func (f *facts) said() (list []Said) {
	for p := range f.asked() {
		s := Said{Verdict: p.Verdict, Status: p.Status, Why: words(p.Reason)}
		if w := wall.Said(p.Error); w.Is() {
			s.Why = w.String()
		}
		i := slices.IndexFunc(list, func(o Said) bool { return o.Verdict == s.Verdict && o.Status == s.Status && o.Why == s.Why })
		if i < 0 {
			s.First = p.URL
			i, list = len(list), append(list, s)
		}
		list[i].Places++
	}
	slices.SortStableFunc(list, func(a, b Said) int { return cmp.Compare(b.Places, a.Places) })
	return list
}

// Text is the answer in words, with the path of the first place. asked is the origin that was asked.
func (s *Said) Text(asked string) string {
	text := humanize.Count(s.Places, "place") + ": " + words(string(s.Verdict))
	if s.Status != 0 {
		text += fmt.Sprintf(", status %d", s.Status)
	}
	if s.Why != "" {
		text += ", " + s.Why
	}
	f := facts{Input: &Input{Site: &wayfind.Site{Origin: asked}}}
	if s.Places > 1 {
		return text + "; first " + f.short(s.First)
	}
	return text + "; " + f.short(s.First)
}
