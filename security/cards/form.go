package cards

import (
	"fmt"
	"unicode/utf16"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// The forms of an Agent Card in which a signature counts (A2A 1.0 §8.4).
const (
	// ProfileRaw: the card as it is, without its signatures, in the canonical
	// form of RFC 8785.
	ProfileRaw = "raw-jcs"
	// ProfileProto: the same without members that have the default of their
	// field and are neither REQUIRED nor optional in the protocol buffers of
	// A2A 1.0 (§8.4.1). The signature does not cover those members: they mean
	// the same as their absence.
	ProfileProto = "proto-jcs"
)

// cardForm is one form in which a card may have been signed.
type cardForm struct {
	profile string
	// lossy: other cards than this one have the same form, with other words
	// in members that are required, so a signature over it proves too little.
	// Implementations sign such forms; they are recognised to say why a
	// signature cannot count, and never believed.
	lossy bool
	// drop says whether a member, or an element of a list, is left out.
	drop func(text string, f field, element bool) bool
	// form makes the bytes to be signed of the remaining members.
	form func([]byte) ([]byte, error)
}

// allForms are the forms in the order in which they are tried. The last three
// are those of a2a-js, of A2A 1.0 §8.4.2 by its letter, and of a2a-python.
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

// dropUnset leaves out members that no writer of protocol buffers would have
// written.
func dropUnset(text string, f field, element bool) bool {
	return !element && f.unset != "" && text == f.unset
}

func dropEmpty(text string, _ field, _ bool) bool {
	return text == `""` || text == "[]" || text == "{}" || text == "null"
}

func dropDefaults(text string, f field, element bool) bool {
	return dropEmpty(text, f, element) || !element && (text == "false" || text == "0")
}

// asciiForm is the output of Python's json.dumps with sorted keys: characters
// outside printable ASCII are escaped.
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

// payload is the signed text if the card was signed in this form.
func (f cardForm) payload(card jsonscan.Node) ([]byte, error) {
	w := cardWriter{drop: f.drop}
	w.object(card, agentCard(), "signatures")
	return f.form(w.out)
}

// cardWriter writes a card without its dropped members. It nests as the card does:
// at most jsonscan.MaxDepth.
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

// object writes an object without one member.
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

// kept writes a value, or goes back to where its member began.
func (w *cardWriter) kept(n jsonscan.Node, f field, before int, element bool) {
	start := len(w.out)
	w.value(n, f.of)
	if w.drop(string(w.out[start:]), f, element) {
		w.out = w.out[:before]
	}
}
