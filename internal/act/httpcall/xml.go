package httpcall

import (
	"bytes"
	"encoding/xml"
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// maxXML is the maximum size of a body in XML, in bytes. Names are written twice for each element.
const maxXML = 4 * jsonschema.MaxValue

// xmlWriter writes a body as the XML Objects of its schema describe it. Everything of an argument is
// text, or a name that the grammar of XML allows: no argument can add a node or a declaration.
type xmlWriter struct {
	schemas *xmlSchemas
	name    string // of the parameter, for errors
	out     bytes.Buffer
	scope   []xmlPrefix // the declarations of the elements that are open
}

// xmlPrefix is a declaration; the prefix is "" for the namespace of names without a prefix.
type xmlPrefix struct{ prefix, namespace string }

// xmlText writes a document. The name is the one of its parameter, for errors.
func xmlText(schemas *xmlSchemas, v jsonscan.Node, name string) []byte {
	if schemas == nil {
		refuse(CodeMedia, inBody, "")
	}
	w := &xmlWriter{schemas: schemas, name: name}
	top := schemas.of(schemas.root)
	if v.Kind() == jsonscan.Null || top.nodeOf(v.Kind() == jsonscan.Array) != nodeElement {
		refuse(CodeBodyValue, inBody, name)
	}
	w.out.WriteString(xml.Header)
	w.node(v, schemas.root, schemas.name)
	return w.out.Bytes()
}

// node writes the nodes of a value, but for an attribute, which is in the tag of its element.
func (w *xmlWriter) node(v, schema jsonscan.Node, inferred string) {
	s := w.schemas.of(schema)
	switch s.nodeOf(v.Kind() == jsonscan.Array || v.Kind() == jsonscan.Null && s.isArray()) {
	case nodeAttribute:
	case nodeText, nodeCDATA:
		if v.Kind() != jsonscan.Null {
			w.text(v)
		}
	case nodeNone:
		w.content(v, s, inferred)
	default:
		w.element(v, s, inferred)
	}
}

// element writes an element.
func (w *xmlWriter) element(v jsonscan.Node, s *xmlSchema, inferred string) {
	open := len(w.scope)
	defer func() { w.scope = w.scope[:open] }()
	name, prefix := s.named(inferred)
	full := w.qualified(name, prefix)
	space := w.schemas.space(prefix, s.namespace)
	w.out.WriteString("<" + full)
	w.declare(open, prefix, space)
	if v.Kind() == jsonscan.Null {
		xsi := xsiPrefix
		if prefix == xsi && space != xsiNamespace { // the publisher's
			xsi = "xsi2"
		}
		w.declare(open, xsi, xsiNamespace)
		w.out.WriteString(" " + xsi + `:nil="true"/>`)
		return
	}
	if v.Kind() == jsonscan.Object {
		w.attributes(v, s, open, make(map[xmlName]bool))
	}
	w.out.WriteByte('>')
	w.content(v, s, name)
	w.out.WriteString("</" + full + ">")
}

// qualified returns the name of a node. A name from a model may break the grammar of XML.
func (w *xmlWriter) qualified(name, prefix string) string {
	if !isNCName(name) || name == "xmlns" {
		refuse(CodeBodyValue, inBody, w.name)
	}
	if w.out.Len() > maxXML {
		refuse(CodeSize, inBody, w.name)
	}
	if prefix != "" {
		return prefix + ":" + name
	}
	return name
}

// declare declares a namespace unless it is declared. open is the number of the declarations around
// the element: a tag has one for each prefix.
func (w *xmlWriter) declare(open int, prefix, namespace string) {
	if namespace == "" || prefix == "xml" {
		return
	}
	for i, known := range slices.Backward(w.scope) {
		switch {
		case known.prefix != prefix:
			continue
		case known.namespace != namespace && i >= open:
			refuse(CodeMedia, inBody, "")
		case known.namespace == namespace:
			return
		}
		break
	}
	w.scope = append(w.scope, xmlPrefix{prefix, namespace})
	w.out.WriteString(" xmlns")
	if prefix != "" {
		w.out.WriteString(":" + prefix)
	}
	w.value(namespace)
}

// attributes writes the members of an object that are attributes.
func (w *xmlWriter) attributes(v jsonscan.Node, s *xmlSchema, open int, written map[xmlName]bool) {
	w.members(v, s, func(name string, c, schema jsonscan.Node) {
		part := w.schemas.of(schema)
		switch part.nodeOf(c.Kind() == jsonscan.Array) {
		case nodeNone:
			if c.Kind() == jsonscan.Object {
				w.attributes(c, part, open, written)
			}
			return
		case nodeAttribute:
		default:
			return
		}
		if c.Kind() == jsonscan.Null {
			return // as OpenAPI recommends
		}
		local, prefix := part.named(name)
		full := w.qualified(local, prefix)
		own := xmlName{w.schemas.space(prefix, part.namespace), local}
		if written[own] {
			refuse(CodeBodyValue, inBody, w.name)
		}
		written[own] = true
		w.declare(open, prefix, own.namespace)
		w.out.WriteString(" " + full)
		w.value(checkedXML(scalar(c, inBody, w.name), w.name))
	})
}

// value writes the value of an attribute.
func (w *xmlWriter) value(text string) {
	w.out.WriteString(`="`)
	w.escape(text)
	w.out.WriteByte('"')
}

// content writes the inside of a node: the members of an object, the items of an array, or a text.
// inferred is the name of items that have none.
func (w *xmlWriter) content(v jsonscan.Node, s *xmlSchema, inferred string) {
	switch v.Kind() {
	case jsonscan.Null: // has no nodes, as a list without items
	case jsonscan.Object:
		w.members(v, s, func(name string, c, schema jsonscan.Node) { w.node(c, schema, name) })
	case jsonscan.Array:
		for i := range v.Len() {
			schema := s.items
			if i < len(s.first) {
				schema = s.first[i]
			}
			item := w.schemas.of(schema)
			if array := v.Child(i).Kind() == jsonscan.Array; array && item.nodeOf(array) == nodeNone {
				refuse(CodeNested, inBody, w.name) // nothing would tell its items from those around it
			}
			w.node(v.Child(i), schema, inferred)
		}
	default:
		w.text(v)
	}
}

// members calls a function for each member of an object: those that the schema describes in its
// order, in which services that check a sequence read them, then the others.
func (w *xmlWriter) members(v jsonscan.Node, s *xmlSchema, each func(name string, c, schema jsonscan.Node)) {
	for _, p := range s.properties {
		if c := v.Find(p.name); c.Kind() != jsonscan.Missing {
			each(p.name, c, p.schema)
		}
	}
	for name, c := range v.Members() {
		if _, described := s.index[name]; !described {
			each(name, c, s.more)
		}
	}
}

// text writes a value without parts.
func (w *xmlWriter) text(v jsonscan.Node) {
	w.escape(checkedXML(scalar(v, inBody, w.name), w.name))
}

// checkedXML refuses characters that no document may have.
func checkedXML(text, name string) string {
	if !isXMLText(text) {
		refuse(CodeControl, inBody, name)
	}
	return text
}

func (w *xmlWriter) escape(text string) {
	if err := xml.EscapeText(&w.out, []byte(text)); err != nil { // a Buffer fails only by its size
		refuse(CodeSize, inBody, w.name)
	}
}
