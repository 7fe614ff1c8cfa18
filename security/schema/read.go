package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"math"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// reader converts a document into nodes.
type reader struct {
	doc         *jsonscan.Doc
	count       *fuel.Counter
	s           *Schema
	made        map[jsonscan.Node]*node
	resources   map[string]jsonscan.Node // by absolute URI
	anchors     map[string]jsonscan.Node // by absolute URI, #, name
	dynamic     map[string]bool          // anchors that are dynamic
	recursive   bool                     // there is a $recursiveAnchor
	pending     []reference
	free        []node
	values      int
	members     lookup
	keys        keys
	patternSize int
}

// place is the context that determines, together with its text, the meaning of a schema.
type place struct {
	base    string // URI of the resource
	dialect Dialect
	root    jsonscan.Node // of the resource
}

// schema reads a value as a schema.
func (r *reader) schema(v jsonscan.Node, at place, parent *node, keyword, key string, keyed bool) *node {
	if n, ok := r.made[v]; ok {
		return n
	}
	if len(r.s.nodes) >= jsonschema.MaxSubschemas {
		refuse(CodeSize, v.Pointer(), "it has more subschemas than the limit")
	}
	r.count.Add(1 + v.Len())
	n := r.fresh()
	*n = node{parent: parent, keyword: keyword, key: key, keyed: keyed, source: v, types: kindAny, number: len(r.s.nodes)}
	r.made[v] = n
	r.s.nodes = append(r.s.nodes, n)
	switch v.Kind() {
	case jsonscan.Bool:
		yes, _ := v.Bool()
		n.never = !yes
	case jsonscan.Object:
		n.place = r.enter(v, at)
		r.object(n, v)
	default:
		n.lose(keyword, Wider, "malformed")
	}
	return n
}

// slab is the maximum number of nodes that are allocated at once.
const slab = 64

func (r *reader) fresh() *node {
	if len(r.free) == 0 {
		r.free = make([]node, min(slab, 1+r.doc.Nodes()/4))
	}
	n := &r.free[0]
	r.free = r.free[1:]
	return n
}

// object reads the keywords of a schema.
func (r *reader) object(n *node, v jsonscan.Node) {
	d := n.place.dialect
	ref := v.Get("$ref")
	alone := ref.Kind() == jsonscan.String && d.rank() <= 7
	for keyword, value := range v.Members() {
		switch {
		case keyword == "$defs" || keyword == "definitions":
			n.defs = append(n.defs, r.named(n, value, keyword, "$defs")...)
		case alone && keyword != "$ref" && !(d.openAPI() && keyword == "description"):
			// The siblings of a reference are ignored.
		case r.reference(n, keyword, value), r.applicator(n, keyword, value), r.lists(n, keyword, value),
			r.assertion(n, keyword, value), r.bound(n, keyword, value), r.annotation(n, keyword, value):
		}
	}
	if !alone {
		r.settle(n, v)
	}
}

// child reads a keyword with one schema.
func (r *reader) child(n *node, v jsonscan.Node, keyword string) *node {
	return r.schema(v, n.place, n, keyword, "", false)
}

// named reads a keyword with schemas by name.
func (r *reader) named(n *node, v jsonscan.Node, keyword, lifted string) (list []property) {
	if v.Kind() != jsonscan.Object {
		n.lose(keyword, Wider, "malformed")
		return nil
	}
	for name, schema := range v.Members() {
		list = append(list, property{name, r.schema(schema, n.place, n, lifted, name, true)})
	}
	return list
}

// list reads a keyword with a list of schemas.
func (r *reader) list(n *node, v jsonscan.Node, keyword string) (list []*node) {
	if v.Kind() != jsonscan.Array || v.Len() == 0 {
		n.lose(keyword, Wider, "malformed")
		return nil
	}
	for i := range v.Len() {
		list = append(list, r.schema(v.Child(i), n.place, n, keyword, index(i), true))
	}
	return list
}

// alternatives reads a list of alternatives. No value matches an empty list.
func (r *reader) alternatives(n *node, v jsonscan.Node, keyword string) []*node {
	if v.Kind() == jsonscan.Array && v.Len() == 0 {
		n.never = true
		return nil
	}
	return r.list(n, v, keyword)
}

// applicator reads the keywords with one schema, or with several by name. It reports whether it
// knows the keyword.
func (r *reader) applicator(n *node, keyword string, v jsonscan.Node) bool {
	rank := n.place.dialect.rank()
	switch {
	case keyword == "properties":
		n.properties = r.named(n, v, keyword, keyword)
		n.indexed()
	case keyword == "patternProperties":
		r.patternProperties(n, v)
	case keyword == "additionalProperties":
		n.additional = r.child(n, v, keyword)
	case keyword == "propertyNames" && rank >= 6:
		n.names = r.child(n, v, keyword)
	case keyword == "contains" && rank >= 6:
		n.contains = r.child(n, v, keyword)
	case keyword == "not":
		n.not = r.child(n, v, keyword)
	case keyword == "if" && rank >= 7:
		n.condition = r.child(n, v, keyword)
	case keyword == "then" && rank >= 7:
		n.consequence = r.child(n, v, keyword)
	case keyword == "else" && rank >= 7:
		n.otherwise = r.child(n, v, keyword)
	case keyword == "dependentSchemas" && rank >= 2019:
		n.dependentSchemas = append(n.dependentSchemas, r.named(n, v, keyword, keyword)...)
	case keyword == "unevaluatedProperties" && rank >= 2019:
		n.unevaluated, r.s.tracks = r.child(n, v, keyword), true
	case keyword == "unevaluatedItems" && rank >= 2019:
		n.unevaluatedItems, r.s.tracks = r.child(n, v, keyword), true
	default:
		return false
	}
	return true
}

// lists reads the keywords with lists of schemas, and the keywords of arrays that lifting
// changes.
func (r *reader) lists(n *node, keyword string, v jsonscan.Node) bool {
	rank := n.place.dialect.rank()
	switch {
	case keyword == "allOf":
		n.allOf = append(n.allOf, r.list(n, v, keyword)...)
	case keyword == "anyOf":
		n.anyOf = r.alternatives(n, v, keyword)
	case keyword == "oneOf":
		n.oneOf = r.alternatives(n, v, keyword)
	case keyword == "prefixItems" && rank >= 2020:
		n.prefix = r.list(n, v, keyword)
	case keyword == "items" && v.Kind() == jsonscan.Array:
		for i := range v.Len() {
			n.prefix = append(n.prefix, r.schema(v.Child(i), n.place, n, "prefixItems", index(i), true))
		}
	case keyword == "items":
		n.items = r.child(n, v, keyword)
	case keyword == "additionalItems":
		if n.source.Get("items").Kind() == jsonscan.Array {
			n.items = r.child(n, v, "items")
		}
	case keyword == "dependencies": // later drafts allow readers to support it
		r.dependencies(n, v)
	case keyword == "extends" && rank == 3:
		r.extends(n, v)
	case keyword == "disallow" && rank == 3:
		r.disallow(n, v)
	default:
		return false
	}
	return true
}

// patternProperties reads schemas by pattern. If a pattern cannot be matched here, it is not
// known which names it matches.
func (r *reader) patternProperties(n *node, v jsonscan.Node) {
	for _, p := range r.named(n, v, "patternProperties", "patternProperties") {
		compiled := r.compile(p.name)
		if compiled.re == nil {
			n.lose("patternProperties", Wider, "pattern")
			n.patternLost = true
		}
		n.patterns = append(n.patterns, patterned{compiled, p.name, p.schema})
	}
}

// dependencies (draft 7 §6.5.7) is lifted to two keywords.
func (r *reader) dependencies(n *node, v jsonscan.Node) {
	if v.Kind() != jsonscan.Object {
		n.lose("dependencies", Wider, "malformed")
	}
	for name, value := range v.Members() {
		switch one, isText := value.Str(); {
		case isText:
			n.dependentRequired = append(n.dependentRequired, dependency{name, []string{one}})
		case value.Kind() == jsonscan.Array:
			n.dependentRequired = append(n.dependentRequired, dependency{name, r.texts(n, value, "dependencies")})
		default:
			n.dependentSchemas = append(n.dependentSchemas, property{name, r.schema(value, n.place, n, "dependentSchemas", name, true)})
		}
	}
}

// extends (draft 3 §5.26) is lifted to allOf with one or several schemas.
func (r *reader) extends(n *node, v jsonscan.Node) {
	if v.Kind() == jsonscan.Array {
		n.allOf = append(n.allOf, r.list(n, v, "allOf")...)
		return
	}
	n.allOf = append(n.allOf, r.schema(v, n.place, n, "allOf", index(len(n.allOf)), true))
}

// disallow (draft 3 §5.25) lists the types that a value must not have.
func (r *reader) disallow(n *node, v jsonscan.Node) {
	not := &node{parent: n, keyword: "not", source: v, place: n.place, types: kindAny, number: len(r.s.nodes)}
	r.s.nodes = append(r.s.nodes, not)
	r.types(not, v)
	n.not = not
}

// texts reads a list of strings.
func (r *reader) texts(n *node, v jsonscan.Node, keyword string) (list []string) {
	r.count.Add(v.Len())
	seen := make(map[string]bool, v.Len())
	for i := range v.Len() {
		text, ok := v.Child(i).Str()
		if !ok {
			n.lose(keyword, Wider, "malformed")
			continue
		}
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}

// whole reads a number that is a count.
func whole(v jsonscan.Node) (*int64, bool) {
	if v.Kind() != jsonscan.Number {
		return nil, false
	}
	d := decimalOf(v)
	if !d.integer() || d.negative {
		return nil, false
	}
	i, ok := v.Int()
	if !ok {
		i = math.MaxInt64
	}
	return &i, true
}
