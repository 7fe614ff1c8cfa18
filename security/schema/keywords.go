package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// assertion reads the keywords that restrict a value, except bounds.
func (r *reader) assertion(n *node, keyword string, v jsonscan.Node) bool {
	rank := n.place.dialect.rank()
	switch {
	case keyword == "type":
		r.types(n, v)
	case keyword == "enum":
		r.enumeration(n, v)
	case keyword == "const" && rank >= 6:
		r.value()
		n.konst = v
		n.same = r.keys.of(r.count, v)
	case keyword == "pattern":
		text, ok := v.Str()
		if !ok {
			n.lose(keyword, Wider, "malformed")
			break
		}
		if n.pattern = r.compile(text); n.pattern.re == nil {
			n.lose(keyword, Wider, "pattern")
			n.patternLost = true
		}
	case keyword == "format":
		n.format, _ = v.Str()
	case keyword == "required":
		r.required(n, v)
	case keyword == "dependentRequired" && rank >= 2019:
		for name, list := range v.Members() {
			n.dependentRequired = append(n.dependentRequired, dependency{name, r.texts(n, list, keyword)})
		}
	case keyword == "uniqueItems":
		n.unique, _ = v.Bool()
	default:
		return false
	}
	return true
}

// required reads a list, or a boolean in draft 3, which is handled for the enclosing object.
func (r *reader) required(n *node, v jsonscan.Node) {
	switch v.Kind() {
	case jsonscan.Array:
		n.required = append(n.required, r.texts(n, v, "required")...)
	case jsonscan.Bool:
		n.lose("required", None, "malformed")
	default:
		n.lose("required", Wider, "malformed")
	}
}

// bound reads the keywords whose value is a number.
func (r *reader) bound(n *node, keyword string, v jsonscan.Node) bool {
	rank := n.place.dialect.rank()
	if at := n.counter(keyword); at != nil {
		ok := false
		switch {
		case rank < 4 && (keyword == "minProperties" || keyword == "maxProperties"):
		case rank < 2019 && (keyword == "minContains" || keyword == "maxContains"):
		default:
			if *at, ok = whole(v); !ok {
				n.lose(keyword, Wider, "malformed")
			}
		}
		return true
	}
	switch keyword {
	case "minimum":
		n.minimum = r.limit(n, keyword, v)
	case "maximum":
		n.maximum = r.limit(n, keyword, v)
	case "exclusiveMinimum":
		if v.Kind() != jsonscan.Bool {
			n.above = r.limit(n, keyword, v)
		}
	case "exclusiveMaximum":
		if v.Kind() != jsonscan.Bool {
			n.below = r.limit(n, keyword, v)
		}
	case "multipleOf", "divisibleBy":
		if n.multiple = r.limit(n, keyword, v); n.multiple != nil && !positive(v) {
			n.multiple = nil
			n.lose(keyword, Wider, "malformed")
		}
	default:
		return false
	}
	return true
}

// counter returns the field of a keyword that is a count, or nil for any other keyword.
func (n *node) counter(keyword string) **int64 {
	switch keyword {
	case "minLength":
		return &n.minLength
	case "maxLength":
		return &n.maxLength
	case "minItems":
		return &n.minItems
	case "maxItems":
		return &n.maxItems
	case "minProperties":
		return &n.minProps
	case "maxProperties":
		return &n.maxProps
	case "minContains":
		return &n.minContains
	case "maxContains":
		return &n.maxContains
	}
	return nil
}

func positive(v jsonscan.Node) bool {
	d := decimalOf(v)
	return d.digits != "" && !d.negative
}

// limit reads a number.
func (r *reader) limit(n *node, keyword string, v jsonscan.Node) *jsonscan.Node {
	if v.Kind() != jsonscan.Number {
		n.lose(keyword, Wider, "malformed")
		return nil
	}
	return &v
}

// annotation stores texts for people and models.
func (r *reader) annotation(n *node, keyword string, v jsonscan.Node) bool {
	switch keyword {
	case "title":
		n.title, _ = v.Str()
	case "description":
		n.description, _ = v.Str()
	case "default", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType":
		n.notes = append(n.notes, note{keyword, v})
	case "discriminator": // OpenAPI
		n.discriminator = v
	case "x-wayfind-cut": // parse.CutMark
		n.lose(keyword, Wider, "too_large")
	default:
		return false
	}
	return true
}

// settle applies the rules that need several keywords at once.
func (r *reader) settle(n *node, v jsonscan.Node) {
	if yes, _ := v.Get("exclusiveMinimum").Bool(); yes {
		n.minimum, n.above = nil, n.minimum
	}
	if yes, _ := v.Get("exclusiveMaximum").Bool(); yes {
		n.maximum, n.below = nil, n.maximum
	}
	if n.place.dialect.rank() == 3 {
		r.settleDraft3(n)
	}
	r.nullable(n, v)
	if len(n.prefix) == 0 && v.Get("items").Kind() == jsonscan.Array {
		// An empty list of items makes no statement about the first ones.
		n.lose("items", None, "tuple")
	}
}

// settleDraft3 moves "required" from properties to their object (draft 3 §5.7).
func (r *reader) settleDraft3(n *node) {
	for _, p := range n.properties {
		if yes, _ := p.schema.source.Get("required").Bool(); yes {
			n.required = append(n.required, p.name)
		}
	}
}

// nullable adds null as a type (OpenAPI 3.0.3, Schema Object). An enum was intended to contain
// it too.
func (r *reader) nullable(n *node, v jsonscan.Node) {
	if !n.place.dialect.openAPI() {
		return
	}
	yes, _ := v.Get("nullable").Bool()
	if other, _ := v.Get("x-nullable").Bool(); !yes && !other {
		return
	}
	if n.typed {
		n.types |= kindNull
	}
	if n.hasSet {
		n.set["n"] = struct{}{}
		n.nullToo = !slices.ContainsFunc(n.enum, func(v jsonscan.Node) bool { return v.Kind() == jsonscan.Null })
	}
}

// enumeration reads a list of values.
func (r *reader) enumeration(n *node, v jsonscan.Node) {
	if v.Kind() != jsonscan.Array {
		n.lose("enum", Wider, "malformed")
		return
	}
	n.hasSet = true
	n.set = make(map[string]struct{}, v.Len())
	for i := range v.Len() {
		r.value()
		value := v.Child(i)
		key := r.keys.of(r.count, value)
		if _, again := n.set[key]; !again {
			n.set[key] = struct{}{}
			n.enum = append(n.enum, value)
		}
	}
}

// value counts one value of an enum.
func (r *reader) value() {
	if r.values++; r.values > maxValues {
		refuse(CodeSize, "", "its enums have more values than the limit")
	}
}

// types reads a type, or a list of types, by the words of JSON Schema and by other words that
// publishers use for them. In draft 3 a type may be a schema.
func (r *reader) types(n *node, v jsonscan.Node) {
	words := []jsonscan.Node{v}
	if v.Kind() == jsonscan.Array {
		words = words[:0]
		for i := range v.Len() {
			words = append(words, v.Child(i))
		}
	}
	var set kinds
	var schemas []*node
	known := len(words) > 0
	for i, w := range words {
		word, isText := w.Str()
		switch {
		case isText:
			kind, ok := r.word(n, word)
			set, known = set|kind, known && ok
		case w.Kind() == jsonscan.Object && n.place.dialect.rank() == 3:
			schemas = append(schemas, r.schema(w, n.place, n, "anyOf", index(i), true))
		default:
			n.lose("type", Wider, "malformed")
			known = false
		}
	}
	switch {
	case !known:
	case schemas != nil:
		if set != 0 {
			plain := &node{parent: n, keyword: "anyOf", key: index(len(words)), keyed: true, source: v, place: n.place, types: set, typed: true, number: len(r.s.nodes)}
			r.s.nodes = append(r.s.nodes, plain)
			schemas = append(schemas, plain)
		}
		n.anyOf = schemas
	default:
		n.types, n.typed = set, set != kindAny
	}
}

// word returns the type for a word.
func (r *reader) word(n *node, word string) (kinds, bool) {
	switch word {
	case "null":
		return kindNull, true
	case "boolean":
		return kindBool, true
	case "integer":
		return kindInteger, true
	case "number":
		return kindNumber, true
	case "string":
		return kindString, true
	case "array":
		return kindArray, true
	case "object":
		return kindObject, true
	case "any":
		if n.place.dialect.rank() > 3 {
			n.lose("type", None, "type_any")
		}
		return kindAny, true
	case "file":
		n.format = "binary"
		return kindString, true
	}
	kind, ok := alias(word)
	if !ok {
		n.lose("type", Wider, "type_unknown")
		return 0, false
	}
	n.lose("type", None, "type_alias")
	return kind, true
}

// alias returns the type that publishers mean by a word of programming languages.
func alias(word string) (kinds, bool) {
	switch word {
	case "int", "long", "int32", "int64":
		return kindInteger, true
	case "float", "double", "decimal":
		return kindNumber, true
	case "str", "text":
		return kindString, true
	case "bool":
		return kindBool, true
	case "dict", "map":
		return kindObject, true
	case "list":
		return kindArray, true
	case "none", "nil":
		return kindNull, true
	}
	return 0, false
}
