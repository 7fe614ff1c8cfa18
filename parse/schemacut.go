package parse

import "strings"

// CutMark is the keyword of a schema that a [SchemaWriter] did not write as a whole: the
// schema accepts more values than that of the publisher.
const CutMark = "x-wayfind-cut"

func cutMark() Member { return Member{CutMark, Raw("true")} }

// cutSchema stands for a schema beyond the budget. It accepts any value.
func cutSchema() Raw { return Obj(cutMark()) }

// cutter takes keywords out of a written schema that would refuse more values because a
// schema within them accepts more: two alternatives of a oneOf match, for example.
type cutter struct {
	bare map[string]bool // definitions that accept any value
	wide map[string]bool // definitions that are cut somewhere
}

// withoutChoices returns a schema of which parts are cut without such keywords.
func withoutChoices(schema Raw) Raw {
	root, err := (&Input{Body: schema}).JSON()
	if err != nil {
		return schema
	}
	c := &cutter{bare: make(map[string]bool), wide: make(map[string]bool)}
	c.mark(root.Get("$defs"))
	written, _ := c.schema(root)
	return written
}

// mark finds the definitions that are cut, and those that refer to them.
func (c *cutter) mark(defs Node) {
	users := make(map[string][]string)
	var queue []string
	for name, def := range defs.Members() {
		eachSchema(def, func(n Node) {
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

// eachSchema visits a schema and those within it.
func eachSchema(n Node, visit func(Node)) {
	if n.Kind() != Object {
		return
	}
	visit(n)
	for keyword, value := range n.Members() {
		for _, child := range schemasIn(keyword, value) {
			eachSchema(child, visit)
		}
	}
}

// schemasIn are the schemas that a keyword holds.
func schemasIn(keyword string, value Node) (list []Node) {
	switch keyword {
	case "$defs", "enum", "const", "default", "examples":
	case "properties", "patternProperties", "dependentSchemas":
		for _, child := range value.Members() {
			list = append(list, child)
		}
	default:
		if value.Kind() == Object {
			return []Node{value}
		}
		for _, child := range value.Items() {
			list = append(list, child)
		}
	}
	return list
}

// definitionOf is the name of the definition that a schema refers to.
func definitionOf(n Node) string {
	ref, _ := n.Get("$ref").Str()
	name, _ := strings.CutPrefix(ref, "#/$defs/")
	return name
}

// isBare reports a schema that accepts any value because it is cut.
func (c *cutter) isBare(n Node) bool {
	return n.Len() == 1 && (n.Get(CutMark).Exists() || c.bare[definitionOf(n)])
}

// schema writes a schema, and reports whether it is cut somewhere. One that stays as it is
// is not copied: each level of a deep schema would copy all below it.
func (c *cutter) schema(n Node) (written Raw, wide bool) {
	if n.Kind() != Object {
		return n.Raw(), false
	}
	cut, list := n.Get(CutMark).Exists(), make([]Member, 0, n.Len())
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
		list = append(list, Member{keyword, raw})
	}
	if cut {
		whole := len(list)
		list = append(open(list), cutMark())
		same = same && len(list) == whole
	}
	if same {
		return n.Raw(), wide || cut
	}
	return Obj(list...), wide || cut
}

// isRaw reports whether a text is the part of the document that a value is.
func isRaw(n Node, text Raw) bool {
	raw := n.Raw()
	return len(raw) == len(text) && len(raw) > 0 && &raw[0] == &text[0]
}

// chooses reports a keyword that refuses more, or says nothing, if a schema within it
// accepts more.
func (c *cutter) chooses(keyword string, value Node) bool {
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

// open takes out the keywords that refuse what the cut ones do not name.
func open(list []Member) (kept []Member) {
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
func (c *cutter) keyword(keyword string, value Node) (written Raw, wide bool) {
	children := schemasIn(keyword, value)
	if keyword == "$defs" {
		for _, child := range value.Members() {
			children = append(children, child)
		}
	}
	if len(children) == 0 {
		return value.Raw(), false
	}
	texts, same := make([]Raw, len(children)), true
	for i, child := range children {
		raw, within := c.schema(child)
		texts[i], wide, same = raw, wide || within, same && isRaw(child, raw)
	}
	switch {
	case same:
		return value.Raw(), wide && keyword != "$defs"
	case keyword == "$defs":
		return named(value, texts), false
	case value.Kind() == Array:
		return Arr(texts...), wide
	case len(children) == 1 && children[0] == value:
		return texts[0], wide
	}
	return named(value, texts), wide
}

// named writes an object with the same names and other values.
func named(n Node, values []Raw) Raw {
	list := make([]Member, 0, len(values))
	for name := range n.Members() {
		list = append(list, Member{name, values[len(list)]})
	}
	return Obj(list...)
}
