package httpcall

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// The types of nodes (OpenAPI 3.2, XML Object, "XML Node Types"). The text of a CDATA section is
// written as text, which means the same.
const (
	nodeElement   = "element"
	nodeAttribute = "attribute"
	nodeText      = "text"
	nodeCDATA     = "cdata"
	nodeNone      = "none" // the nodes of the parts are in the node around the value
)

// xmlSchema describes the nodes of the values of a schema, with those that apply to the same value:
// the target of a reference, the schemas of allOf, and the only alternative beside null.
type xmlSchema struct {
	node, name, prefix, namespace string // as written; "" if the document does not say
	wrapped                       bool
	types                         []string // those of the first schema that has any
	properties                    []xmlProperty
	index                         map[string]int // into properties
	items, more                   jsonscan.Node  // more is for members without a property
	first                         []jsonscan.Node
	// fault is set if the schema does not say how its values are written, and bare if its values are
	// known to have no attributes.
	fault, bare bool
}

type xmlProperty struct {
	name   string
	schema jsonscan.Node
}

// xmlSchemas reads the schemas of one document. Each is read once.
type xmlSchemas struct {
	whole jsonscan.Node // has the targets of references
	root  jsonscan.Node // the schema of the document
	name  string        // of the root; "" if its schema has it
	known map[jsonscan.Node]*xmlSchema
	steps int
}

// maxXMLSteps is the number of keywords and properties that are read for one body. Schemas that
// extend each other may have the same property many times.
const maxXMLSteps = 1 << 20

// xmlSchemasOf reads the schema of a body. It is nil if the schema does not say how each value is
// written: a name is missing or breaks the grammar of XML, there are alternatives, or the names of members
// are the model's.
func xmlSchemasOf(schema []byte) *xmlSchemas {
	doc, err := jsonscan.Scan(schema)
	if err != nil {
		return nil
	}
	return newXMLSchemas(doc.Root()).described()
}

// xmlPart reads the schema of a part of a form: for an array, that of its items, each of which is a part.
// An object without a name has that of the part, as in properties. It is nil for what could mean two
// things: a reference, whose target has a name too; a text, which could be the document itself; and an
// array with an element of its own.
func (op *Operation) xmlPart(param *wayfind.Param, name string) *xmlSchemas {
	e := encodingOf(op.Invocation.Encodings, name)
	if mediaOf(firstType(e.ContentType)) != mediaXML || e.Explode != nil && !*e.Explode {
		return nil
	}
	doc, err := jsonscan.Scan(param.Schema)
	if err != nil {
		return nil
	}
	x := newXMLSchemas(doc.Root())
	if param.Whole {
		x.root = x.root.Get("properties").Get(name)
	}
	if top := x.of(x.root); top.isArray() {
		if top.nodeOf(true) != nodeNone || slices.ContainsFunc(top.types, func(kind string) bool { return kind != "array" && kind != "null" }) {
			return nil
		}
		x.root = top.items
	}
	if x.of(x.root).hasParts() && x.root.Get("$ref").Kind() == jsonscan.Missing {
		x.name = name
	}
	return x.described()
}

func newXMLSchemas(whole jsonscan.Node) *xmlSchemas {
	return &xmlSchemas{whole: whole, root: whole, known: make(map[jsonscan.Node]*xmlSchema)}
}

// described returns x if the schema of the document says how each value is written; nil otherwise.
func (x *xmlSchemas) described() *xmlSchemas {
	top := x.of(x.root)
	name, prefix := top.named(x.name)
	if top.nodeOf(top.isArray()) != nodeElement || !x.declares(prefix, top.namespace) || !isNCName(name) {
		return nil
	}
	if !x.describes(x.root, x.name, make(map[jsonscan.Node]bool)) || x.steps > maxXMLSteps {
		return nil
	}
	return x
}

// of returns the description of a schema. A missing schema describes nothing.
func (x *xmlSchemas) of(n jsonscan.Node) *xmlSchema {
	if s := x.known[n]; s != nil {
		return s
	}
	s := &xmlSchema{index: make(map[string]int)}
	x.known[n] = s // a schema that extends itself adds nothing
	x.read(s, n)
	return s
}

// read adds what a schema says itself, then what the schemas that it extends say.
func (x *xmlSchemas) read(s *xmlSchema, n jsonscan.Node) {
	if x.steps += 1 + n.Len(); x.steps > maxXMLSteps {
		s.fault = true
		return
	}
	if s.types = typesOf(n.Get("type")); s.types == nil {
		s.types = kindsOf(n)
	}
	own := n.Get("xml")
	s.node, _ = own.Get("nodeType").Str()
	if attribute, _ := own.Get("attribute").Bool(); attribute && s.node == "" {
		s.node = nodeAttribute
	}
	s.wrapped, _ = own.Get("wrapped").Bool()
	s.name, _ = own.Get("name").Str()
	s.prefix, _ = own.Get("prefix").Str()
	s.namespace, _ = own.Get("namespace").Str()
	for name, member := range n.Get("properties").Members() {
		s.add(xmlProperty{name, member})
	}
	s.items, s.more = n.Get("items"), n.Get("additionalProperties")
	for i := range n.Get("prefixItems").Len() {
		s.first = append(s.first, n.Get("prefixItems").Child(i))
	}
	if ref, ok := n.Get("$ref").Str(); ok {
		target := x.target(ref)
		if s.node == nodeElement && x.of(target).nodeOf(false) == nodeElement {
			s.fault = true // an element in an element, or one: readers differ
		}
		x.merge(s, target)
	}
	for i := range n.Get("allOf").Len() {
		x.merge(s, n.Get("allOf").Child(i))
	}
	for _, word := range [...]string{"anyOf", "oneOf"} {
		x.alternatives(s, n.Get(word))
	}
}

// alternatives adds the only alternative that is not null. Several are fine if no node depends on
// the choice.
func (x *xmlSchemas) alternatives(s *xmlSchema, list jsonscan.Node) {
	var some []jsonscan.Node
	for i := range list.Len() {
		if one := list.Child(i); !slices.Equal(typesOf(one.Get("type")), []string{"null"}) {
			some = append(some, one)
		}
	}
	if len(some) == 1 {
		x.merge(s, some[0])
		return
	}
	for _, one := range some {
		a := x.of(one)
		s.fault = s.fault || a.fault || a.types == nil || a.hasParts() || a.name+a.node+a.prefix+a.namespace != ""
		if s.types == nil {
			s.types = a.types
		}
	}
}

// merge adds what another schema says and s does not.
func (x *xmlSchemas) merge(s *xmlSchema, n jsonscan.Node) {
	other := x.of(n)
	if x.steps += len(other.properties); x.steps > maxXMLSteps {
		s.fault = true
		return
	}
	if s.name == "" && s.prefix == "" {
		s.name, s.prefix = other.name, other.prefix
	} else if s.name == "" {
		s.name = other.name
	}
	if s.node == "" && !s.wrapped {
		s.node, s.wrapped = other.node, other.wrapped
	}
	if s.namespace == "" {
		s.namespace = other.namespace
	}
	if s.types == nil {
		s.types = other.types
	}
	for _, p := range other.properties {
		s.add(p)
	}
	if s.items.Kind() == jsonscan.Missing {
		s.items = other.items
	}
	if s.more.Kind() == jsonscan.Missing {
		s.more = other.more
	}
	if s.first == nil {
		s.first = other.first
	}
	s.fault = s.fault || other.fault
}

func (s *xmlSchema) add(p xmlProperty) {
	if _, known := s.index[p.name]; !known {
		s.index[p.name] = len(s.properties)
		s.properties = append(s.properties, p)
	}
}

// target returns the target of a reference within the schema; a missing node if there is none.
func (x *xmlSchemas) target(ref string) jsonscan.Node {
	rest, local := strings.CutPrefix(ref, "#")
	if !local {
		return jsonscan.Node{}
	}
	at := x.whole
	for token := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		switch {
		case rest == "":
		case at.Kind() == jsonscan.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= at.Len() {
				return jsonscan.Node{}
			}
			at = at.Child(i)
		default:
			at = at.Get(reftoken.Unescape(token))
		}
	}
	return at
}

func typesOf(n jsonscan.Node) (list []string) {
	if text, ok := n.Str(); ok {
		return []string{text}
	}
	for i := range n.Len() {
		if text, ok := n.Child(i).Str(); ok {
			list = append(list, text)
		}
	}
	return list
}

// kindsOf returns the types of the values that a schema lists.
func kindsOf(n jsonscan.Node) (list []string) {
	kinds := map[jsonscan.Kind]string{jsonscan.String: "string", jsonscan.Number: "number", jsonscan.Bool: "boolean", jsonscan.Null: "null", jsonscan.Array: "array", jsonscan.Object: "object"}
	if kind := kinds[n.Get("const").Kind()]; kind != "" {
		return []string{kind}
	}
	for i := range n.Get("enum").Len() {
		if kind := kinds[n.Get("enum").Child(i).Kind()]; !slices.Contains(list, kind) {
			list = append(list, kind)
		}
	}
	return list
}

// isOpen reports whether the schema leaves open what a value has inside, so that a model could write
// names and lists for which XML has no form.
func (s *xmlSchema) isOpen() bool {
	object := len(s.properties) > 0 || slices.Contains(s.types, "object")
	if closed, isBool := s.more.Bool(); object && len(s.properties) == 0 && (closed || !isBool) {
		return true
	}
	if s.isArray() && s.first == nil && s.items.Kind() != jsonscan.Object {
		return true
	}
	return s.types == nil && !object && !s.isArray()
}

// isArray reports whether values are arrays, as far as the schema says.
func (s *xmlSchema) isArray() bool {
	return slices.Contains(s.types, "array") || s.types == nil && (s.items.Kind() != jsonscan.Missing || s.first != nil)
}

// hasParts reports whether a value may be an array or an object, as far as the schema says.
func (s *xmlSchema) hasParts() bool {
	return s.isArray() || len(s.properties) > 0 || slices.Contains(s.types, "object")
}

// nodeOf returns the type of the node of a value.
func (s *xmlSchema) nodeOf(array bool) string {
	switch {
	case s.node != "":
		return s.node
	case array && !s.wrapped:
		return nodeNone
	}
	return nodeElement
}

// named returns the name and the prefix of the node. Publishers also write both as the name.
func (s *xmlSchema) named(inferred string) (name, prefix string) {
	if s.name == "" {
		return inferred, s.prefix
	}
	if before, after, found := strings.Cut(s.name, ":"); found && s.prefix == "" {
		return after, before
	}
	return s.name, s.prefix
}

// describes reports whether each value of a schema can be written: each node has a name, and each
// attribute and each text is a value without parts. inferred is the name if the document has none;
// "" for a root whose schema has its name.
func (x *xmlSchemas) describes(n jsonscan.Node, inferred string, seen map[jsonscan.Node]bool) bool {
	s := x.of(n)
	if s.fault || s.isOpen() {
		return false
	}
	array := s.isArray()
	name, prefix := s.named(inferred)
	switch kind := s.nodeOf(array); kind {
	case nodeElement, nodeAttribute:
		if n != x.root && (!isNCName(name) || !x.declares(prefix, s.namespace)) {
			return false
		}
		if kind == nodeAttribute && (s.hasParts() || prefix == "" && (s.namespace != "" || name == "xmlns")) {
			return false
		}
	case nodeText, nodeCDATA:
		if s.hasParts() {
			return false
		}
	case nodeNone:
		name = inferred
	default:
		return false
	}
	if seen[n] {
		return true
	}
	seen[n] = true
	if kind := s.nodeOf(array); kind == nodeElement && !x.tagOf(prefix, s.namespace).has(s, false) {
		return false
	}
	for _, p := range s.properties {
		if !x.describes(p.schema, p.name, seen) {
			return false
		}
	}
	if s.more.Kind() == jsonscan.Object && (x.of(s.more).name != "" || !x.describes(s.more, "member", seen)) {
		return false // the name of a member is the model's, and is checked when it is known
	}
	for _, item := range append(slices.Clip(s.first), s.items) {
		part := x.of(item)
		if part.isArray() && part.nodeOf(true) == nodeNone || part.nodeOf(false) == nodeAttribute {
			return false // nothing would tell its items from those around it
		}
		if array && item.Kind() == jsonscan.Object && !x.describes(item, name, seen) {
			return false
		}
	}
	return true
}
