package cards

import (
	"fmt"
	"unicode/utf16"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The forms in which an Agent Card may be signed (A2A 1.0 §8.4).
const (
	// ProfileRaw: the card as it is, without its signatures, in the canonical form of RFC 8785.
	ProfileRaw = "raw-jcs"
	// ProfileProto: like ProfileRaw, but without members that have the default of their field
	// and are neither REQUIRED nor optional in the protocol buffers of A2A 1.0 (§8.4.1). The
	// signature does not cover those members: they mean the same as their absence.
	ProfileProto = "proto-jcs"
)

// cardForm is one form in which a card may have been signed.
type cardForm struct {
	profile string
	// lossy is true if other cards have the same form, with other words in required members, so
	// a signature over it does not prove enough. Some implementations sign such forms. They are
	// recognised so that the error can give the reason, but they are never accepted.
	lossy bool
	// drop reports whether a member, or an element of a list, is omitted.
	drop func(text string, f field, element bool) bool
	// form returns the bytes to be signed for the remaining members.
	form func([]byte) ([]byte, error)
}

// allForms returns the forms in the order in which they are tried. The last three are the form
// of a2a-js, the literal form of A2A 1.0 §8.4.2, and the form of a2a-python.
func allForms() []cardForm {
	return []cardForm{
		{ProfileRaw, false, keepAll, jsonscan.Canonical},
		{ProfileProto, false, dropUnset, jsonscan.Canonical},
		{"drop-empty-jcs", true, dropEmpty, jsonscan.Canonical},
		{"drop-defaults-jcs", true, dropDefaults, jsonscan.Canonical},
		{"python", true, dropEmpty, asciiForm},
	}
}

func keepAll(string, field, bool) bool { return false }

// dropUnset omits members that no writer of protocol buffers would have written.
func dropUnset(text string, f field, element bool) bool {
	return !element && f.unset != "" && text == f.unset
}

func dropEmpty(text string, _ field, _ bool) bool {
	return text == `""` || text == "[]" || text == "{}" || text == "null"
}

func dropDefaults(text string, f field, element bool) bool {
	return dropEmpty(text, f, element) || !element && (text == "false" || text == "0")
}

// asciiForm returns the output of Python's json.dumps with sorted keys: characters outside
// printable ASCII are escaped.
func asciiForm(raw []byte) ([]byte, error) {
	canonical, err := jsonscan.Canonical(raw)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, r := range string(canonical) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out, nil
}

// payload returns the text that was signed if the card was signed in this form.
func (f cardForm) payload(card jsonscan.Node) ([]byte, error) {
	w := cardWriter{drop: f.drop}
	w.object(card, agentCard(), "signatures")
	return f.form(w.out)
}

// cardWriter writes a card without its dropped members. It recurses as deep as the card is
// nested: at most jsonscan.MaxDepth.
type cardWriter struct {
	out  []byte
	drop func(text string, f field, element bool) bool
}

func (w *cardWriter) value(n jsonscan.Node, of message) {
	switch n.Kind() {
	case jsonscan.Object:
		w.object(n, of, "")
	case jsonscan.Array:
		w.array(n, of)
	default:
		w.out = append(w.out, n.Raw()...)
	}
}

// object writes an object without one of its members.
func (w *cardWriter) object(n jsonscan.Node, of message, without string) {
	w.out = append(w.out, '{')
	first := len(w.out)
	for name, member := range n.Members() {
		if name == without && without != "" {
			continue
		}
		f, known := of[name]
		if !known {
			f = of[anyName]
		}
		before := len(w.out)
		w.separate(first)
		w.out = append(jsonscan.AppendQuote(w.out, name), ':')
		w.kept(member, f, before, false)
	}
	w.out = append(w.out, '}')
}

func (w *cardWriter) array(n jsonscan.Node, of message) {
	w.out = append(w.out, '[')
	first := len(w.out)
	for i := range n.Len() {
		before := len(w.out)
		w.separate(first)
		w.kept(n.Child(i), field{of: of}, before, true)
	}
	w.out = append(w.out, ']')
}

func (w *cardWriter) separate(first int) {
	if len(w.out) > first {
		w.out = append(w.out, ',')
	}
}

// kept writes a value, or removes its member if the value is dropped.
func (w *cardWriter) kept(n jsonscan.Node, f field, before int, element bool) {
	start := len(w.out)
	w.value(n, f.of)
	if w.drop(string(w.out[start:]), f, element) {
		w.out = w.out[:before]
	}
}
