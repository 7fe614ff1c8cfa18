package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// lossBlanks is the code of a loss: a value is shown with plain blanks. Decode reverses this.
const lossBlanks = "blanks"

// shownTexts returns the values of an enum in the form in which a model is shown them. If a
// string contains a no-break space, or another blank that a model would write as U+0020, it is
// shown with plain blanks, unless it would then be equal to another value. If whole is true,
// all values are unchanged.
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

// shownTimes returns the number of strings of a list for each form with plain blanks.
func shownTimes(list []jsonscan.Node) map[string]int {
	times := make(map[string]int, len(list))
	for _, v := range list {
		if s, ok := v.Str(); ok {
			times[text.Blanks(s)]++
		}
	}
	return times
}

// meant returns the JSON text of the publisher's value for a string that a model was shown. ok
// is false if the string was shown unchanged.
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
