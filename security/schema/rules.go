package schema

import (
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// tally is a schema's use of a vendor's limits.
type tally struct {
	depth, properties, values, chars, optional, unions int
	longEnum                                           bool
	most                                               limits
}

// tallied returns a schema's use of the limits of a request.
func tallied(p *profile, root jsonscan.Node) (t tally) {
	t.most = p.limits
	t.schema(root, 0)
	return t
}

// exceeded returns the name of a limit that a schema exceeds by itself, or "" if there is none.
func (t *tally) exceeded(p *profile) string {
	over := func(n, most int) bool { return most > 0 && n > most }
	switch {
	case over(t.depth, p.limits.depth):
		return "limit_depth"
	case over(t.properties, p.limits.properties):
		return "limit_properties"
	case over(t.values, p.limits.enumValues):
		return "limit_enum"
	case t.longEnum:
		return "limit_enum_chars"
	case over(t.chars, p.limits.chars):
		return "limit_chars"
	case over(t.optional, p.limits.optional):
		return "limit_optional"
	case over(t.unions, p.limits.unions):
		return "limit_unions"
	}
	return ""
}

func (t *tally) schema(n jsonscan.Node, depth int) {
	t.depth = max(t.depth, depth)
	if n.Get("anyOf").Len() > 0 || n.Get("type").Kind() == jsonscan.Array {
		t.unions++
	}
	if enum := n.Get("enum"); enum.Len() > 0 {
		chars := 0
		for i := range enum.Len() {
			text, _ := enum.Child(i).Str()
			chars += utf8.RuneCountInString(text)
		}
		t.values += enum.Len()
		t.chars += chars
		t.longEnum = t.longEnum || t.most.longEnum > 0 && enum.Len() > t.most.longEnum && chars > t.most.longEnumChars
	}
	properties := n.Get("properties")
	t.properties += properties.Len()
	t.optional += properties.Len() - n.Get("required").Len()
	for name, c := range properties.Members() {
		t.chars += utf8.RuneCountInString(name)
		t.schema(c, depth+1)
	}
	if items := n.Get("items"); items.Kind() == jsonscan.Object {
		t.schema(items, depth+1)
	}
	anyOf := n.Get("anyOf")
	for i := range anyOf.Len() {
		t.schema(anyOf.Child(i), depth)
	}
}
