package schemawriter

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// CutMark is the keyword of a schema that a [Writer] did not write as a whole: the
// schema accepts more values than the schema of the publisher.
const CutMark = "x-wayfind-cut"

func cutMark() rawjson.Member { return rawjson.Member{Name: CutMark, Value: parse.Raw("true")} }

// cutSchema replaces a schema beyond the budget. It accepts any value.
func cutSchema() parse.Raw { return rawjson.Obj(cutMark()) }

// cutter removes keywords of a written schema that would refuse more values because a schema
// inside them accepts more: two alternatives of a oneOf match, for example.
type cutter struct {
	bare map[string]bool // definitions that accept any value
	wide map[string]bool // definitions that are cut somewhere
}

// withoutChoices returns a schema without such keywords if parts of them are cut.
func withoutChoices(schema parse.Raw) parse.Raw {
	root, err := (&parse.Input{Body: schema}).JSON()
	if err != nil {
		return schema
	}
	c := &cutter{bare: make(map[string]bool), wide: make(map[string]bool)}
	c.mark(root.Get("$defs"))
	written, _ := c.schema(root)
	return written
}

// mark finds the definitions that are cut, and the definitions that refer to them.
func (c *cutter) mark(defs parse.Node) {
	users := make(map[string][]string)
	var queue []string
	for name, def := range defs.Members() {
		eachSchema(def, func(n parse.Node) {
			if n.Get(CutMark).Exists() {
				queue = append(queue, name)
			}
			if to := definitionOf(n); to != "" {
				users[to] = append(users[to], name)
			}
		})
		c.bare[name] = c.isBare(def)
	}
	for len(queue) > 0 {
		name := queue[0]
		if queue = queue[1:]; !c.wide[name] {
			c.wide[name] = true
			queue = append(queue, users[name]...)
		}
	}
}

// eachSchema visits a schema and the schemas inside it.
func eachSchema(n parse.Node, visit func(parse.Node)) {
	if n.Kind() != parse.Object {
		return
	}
	visit(n)
	for keyword, value := range n.Members() {
		for _, child := range schemasIn(keyword, value) {
			eachSchema(child, visit)
		}
	}
}

// schemasIn returns the schemas that a keyword contains.
func schemasIn(keyword string, value parse.Node) (list []parse.Node) {
	switch keyword {
	case "$defs", "enum", "const", "default", "examples":
	case "properties", "patternProperties", "dependentSchemas":
		for _, child := range value.Members() {
			list = append(list, child)
		}
	default:
		if value.Kind() == parse.Object {
			return []parse.Node{value}
		}
		for _, child := range value.Items() {
			list = append(list, child)
		}
	}
	return list
}

// definitionOf returns the name of the definition that a schema refers to.
func definitionOf(n parse.Node) string {
	ref, _ := n.Get("$ref").Str()
	name, _ := strings.CutPrefix(ref, "#/$defs/")
	return name
}

// isBare reports whether a schema accepts any value because it is cut.
func (c *cutter) isBare(n parse.Node) bool {
	return n.Len() == 1 && (n.Get(CutMark).Exists() || c.bare[definitionOf(n)])
}

// schema writes a schema, and reports whether it is cut somewhere. An unchanged schema is not
// copied: otherwise each level of a deep schema would copy all levels below it.
func (c *cutter) schema(n parse.Node) (written parse.Raw, wide bool) {
	if n.Kind() != parse.Object {
		return n.Raw(), false
	}
	cut, list := n.Get(CutMark).Exists(), make([]rawjson.Member, 0, n.Len())
	wide = c.wide[definitionOf(n)]
	same := true
	for keyword, value := range n.Members() {
		raw, within := c.keyword(keyword, value)
		if within && c.chooses(keyword, value) {
			cut, same = true, false
			continue
		}
		same = same && isRaw(value, raw)
		wide = wide || within
		list = append(list, rawjson.Member{Name: keyword, Value: raw})
	}
	if cut {
		whole := len(list)
		list = append(open(list), cutMark())
		same = same && len(list) == whole
	}
	if same {
		return n.Raw(), wide || cut
	}
	return rawjson.Obj(list...), wide || cut
}

// isRaw reports whether text is the very part of the document that the value was read from.
func isRaw(n parse.Node, text parse.Raw) bool {
	raw := n.Raw()
	return len(raw) == len(text) && len(raw) > 0 && &raw[0] == &text[0]
}

// chooses reports whether a keyword refuses more, or no longer has a meaning, if a schema
// inside it accepts more.
func (c *cutter) chooses(keyword string, value parse.Node) bool {
	switch keyword {
	case "oneOf", "not", "if", "contains":
		return true
	case "anyOf":
		for _, alternative := range value.Items() {
			if c.isBare(alternative) {
				return true
			}
		}
	}
	return false
}

// open removes the keywords that refuse values which the removed keywords accepted.
func open(list []rawjson.Member) (kept []rawjson.Member) {
	for _, m := range list {
		switch m.Name {
		case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items", CutMark:
		default:
			kept = append(kept, m)
		}
	}
	return kept
}

// keyword writes the value of a keyword.
func (c *cutter) keyword(keyword string, value parse.Node) (written parse.Raw, wide bool) {
	children := schemasIn(keyword, value)
	if keyword == "$defs" {
		for _, child := range value.Members() {
			children = append(children, child)
		}
	}
	if len(children) == 0 {
		return value.Raw(), false
	}
	texts, same := make([]parse.Raw, len(children)), true
	for i, child := range children {
		raw, within := c.schema(child)
		texts[i], wide, same = raw, wide || within, same && isRaw(child, raw)
	}
	switch {
	case same:
		return value.Raw(), wide && keyword != "$defs"
	case keyword == "$defs":
		return named(value, texts), false
	case value.Kind() == parse.Array:
		return rawjson.Arr(texts...), wide
	case len(children) == 1 && children[0] == value:
		return texts[0], wide
	}
	return named(value, texts), wide
}

// named writes an object with the same names and other values.
func named(n parse.Node, values []parse.Raw) parse.Raw {
	list := make([]rawjson.Member, 0, len(values))
	for name := range n.Members() {
		list = append(list, rawjson.Member{Name: name, Value: values[len(list)]})
	}
	return rawjson.Obj(list...)
}
