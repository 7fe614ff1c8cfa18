package callresult

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// maxCuts is the maximum number of cuts that are reported.
const maxCuts = 50

// level is the amount of each value that is shown.
type level struct{ items, text, depth int }

// levels returns the levels from more to less: first long texts become shorter, then lists,
// then deeply nested values.
func levels(most int) []level {
	const all = 1 << 30
	list := []level{{all, all, all}}
	for _, part := range [...]int{2, 4, 8, 16} {
		list = append(list, level{all, max(most/part, 500), all})
	}
	for _, items := range [...]int{1000, 700, 500, 350, 250, 170, 120, 80, 60, 40, 30, 20, 15, 10, 7, 5} {
		list = append(list, level{items, 500, all})
	}
	for _, depth := range [...]int{8, 5, 4, 3} {
		list = append(list, level{5, 200, depth}, level{3, 100, depth})
	}
	return append(list, level{10, 60, 2}, level{3, 60, 2}, level{1, 40, 2}, level{10, 40, 1}, level{2, 20, 1}, level{1, 20, 1})
}

// shorten writes a value in at most the given number of bytes. It uses the first level whose
// output is short enough, and returns nil if there is no such level.
func shorten(v jsonscan.Node, at string, from, most int) ([]byte, []wayfind.Cut) {
	if from == 0 && len(v.Raw()) <= most {
		return v.Raw(), nil
	}
	for _, l := range levels(most) {
		w := &shortener{level: l, most: most, from: from}
		if w.value(v, at, 0); !w.full {
			return w.out, w.cuts
		}
	}
	return nil, nil
}

// shortener writes a value at one level. It stops when the bytes are used up, so that the cost
// of a level is limited.
type shortener struct {
	level
	most, from int
	out        []byte
	cuts       []wayfind.Cut
	full       bool
}

func (w *shortener) cut(at, kind string, from, shown, total int) {
	if len(w.cuts) < maxCuts {
		w.cuts = append(w.cuts, wayfind.Cut{Pointer: at, Kind: kind, From: from, Shown: shown, Total: total})
	}
}

func (w *shortener) write(text []byte) {
	if len(w.out)+len(text) > w.most {
		w.full = true
		return
	}
	w.out = append(w.out, text...)
}

func (w *shortener) quote(text string) { w.write(jsonscan.AppendQuote(nil, text)) }

func (w *shortener) value(v jsonscan.Node, at string, depth int) {
	from := 0
	if depth == 0 {
		from = w.from
	}
	switch v.Kind() {
	case jsonscan.Array:
		w.array(v, at, depth, from)
	case jsonscan.Object:
		w.object(v, at, depth, from)
	case jsonscan.String:
		w.string(v, at, from)
	default:
		w.write(v.Raw())
	}
}

func (w *shortener) array(v jsonscan.Node, at string, depth, from int) {
	n := v.Len()
	from = min(from, n)
	shown := min(n-from, w.items)
	if depth >= w.depth && n > 0 {
		shown = 0
	}
	w.write([]byte{'['})
	for i := from; i < from+shown && !w.full; i++ {
		if i > from {
			w.write([]byte{','})
		}
		w.value(v.Child(i), at+"/"+strconv.Itoa(i), depth+1)
	}
	if left := n - from - shown; left > 0 {
		if shown > 0 {
			w.write([]byte{','})
		}
		w.quote(fmt.Sprintf("… %d more", left))
	}
	w.write([]byte{']'})
	if shown < n {
		w.cut(at, "array", from, shown, n)
	}
}

// leftOut is the name of the member that contains the number of omitted members.
const leftOut = "…"

func (w *shortener) object(v jsonscan.Node, at string, depth, from int) {
	n := v.Len()
	from = min(from, n)
	shown := min(n-from, max(w.items, 8))
	if w.items <= 2 {
		shown = min(n-from, w.items)
	}
	if depth >= w.depth && n > 0 {
		shown = 0
	}
	w.write([]byte{'{'})
	for i := from; i < from+shown && !w.full; i++ {
		c := v.Child(i)
		if i > from {
			w.write([]byte{','})
		}
		name := c.Name()
		w.quote(name)
		w.write([]byte{':'})
		w.value(c, at+"/"+reftoken.Escape(name), depth+1)
	}
	if left := n - from - shown; left > 0 && !w.full && v.Get(leftOut).Kind() == jsonscan.Missing {
		if shown > 0 {
			w.write([]byte{','})
		}
		w.quote(leftOut)
		w.write([]byte{':'})
		w.quote(fmt.Sprintf("%d more", left))
	}
	w.write([]byte{'}'})
	if shown < n {
		w.cut(at, "object", from, shown, n)
	}
}

func (w *shortener) string(v jsonscan.Node, at string, from int) {
	if from == 0 && len(v.Raw()) <= w.text {
		w.write(v.Raw())
		return
	}
	text, _ := v.Str()
	total := utf8.RuneCountInString(text)
	shown, n := clip(text, from, w.text)
	w.quote(shown)
	if n < total {
		w.cut(at, "string", from, n, total)
	}
}

// clip returns a part of a text of about the given number of bytes, beginning with the
// character at index from. If the text is too long, its middle is left out. clip also returns
// the number of characters that are shown.
func clip(s string, from, most int) (string, int) {
	for ; from > 0 && s != ""; from-- {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	if len(s) <= most {
		return s, utf8.RuneCountInString(s)
	}
	room := max(most-40, most/2)
	head, tail := boundary(s, room*3/4), s[boundary(s, len(s)-room/4):]
	left := utf8.RuneCountInString(s[head:]) - utf8.RuneCountInString(tail)
	return s[:head] + fmt.Sprintf(" … %d characters left out … ", left) + tail, utf8.RuneCountInString(s[:head]) + utf8.RuneCountInString(tail)
}

// boundary returns the last position between characters that is not after the byte at index
// at.
func boundary(s string, at int) int {
	for at = min(max(at, 0), len(s)); at > 0 && at < len(s) && !utf8.RuneStart(s[at]); {
		at--
	}
	return at
}

// walk returns the value that a pointer (RFC 6901) refers to.
func walk(v jsonscan.Node, pointer string) (jsonscan.Node, bool) {
	if pointer == "" {
		return v, true
	}
	if pointer[0] != '/' {
		return v, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = reftoken.Unescape(token)
		if v.Kind() == jsonscan.Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 {
				return v, false
			}
			v = v.Child(i)
		} else {
			v = v.Get(token)
		}
		if v.Kind() == jsonscan.Missing {
			return v, false
		}
	}
	return v, true
}
