package schema

import (
	"github.com/wayfindhq/wayfind/internal/jsonscan"
	"github.com/wayfindhq/wayfind/internal/text"
)

// lossBlanks is the code of a loss: a value is shown with plain blanks, which Decode undoes.
const lossBlanks = "blanks"

// shownTexts are the values of an enum as a model is shown them. A string with a no-break
// space, or another blank that a model would write as U+0020, has plain ones, unless it would
// then be equal to another value. whole: all values are as the publisher has them.
func shownTexts(list []jsonscan.Node, whole bool) (texts []string, changed bool) {
	var times map[string]int
	for i, v := range list {
		texts = append(texts, v.Text())
		s, ok := v.Str()
		if plain := text.Blanks(s); ok && !whole && plain != s {
			if times == nil {
				times = shownTimes(list)
			}
			if times[plain] == 1 {
				texts[i], changed = quote(plain), true
			}
		}
	}
	return texts, changed
}

// shownTimes is how many strings of a list have a form with plain blanks.
func shownTimes(list []jsonscan.Node) map[string]int {
	times := make(map[string]int, len(list))
	for _, v := range list {
		if s, ok := v.Str(); ok {
			times[text.Blanks(s)]++
		}
	}
	return times
}

// meant is the text of the publisher's value that a model was shown as a string; not ok if
// it was shown as it is.
func (n *node) meant(shown string) (raw string, ok bool) {
	list := n.enum
	if n.same != "" {
		list = []jsonscan.Node{n.konst}
	}
	for _, v := range list {
		s, isText := v.Str()
		switch {
		case !isText || text.Blanks(s) != shown:
		case ok || s == shown:
			return "", false
		default:
			raw, ok = v.Text(), true
		}
	}
	return raw, ok
}
