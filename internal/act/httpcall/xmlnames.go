package httpcall

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The namespaces that XML itself has, and the one of xsi:nil, whose prefix documents rarely declare.
const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
	xsiNamespace   = "http://www.w3.org/2001/XMLSchema-instance"
	xsiPrefix      = "xsi"
)

// xmlName is the name of an attribute, by which two of one tag differ (Namespaces in XML 1.0 §6.3).
type xmlName struct{ namespace, local string }

// space returns the namespace of a prefix: its own, that of the root, or that of XML; "" if there is none.
func (x *xmlSchemas) space(prefix, namespace string) string {
	top := x.of(x.root)
	_, own := top.named("")
	switch {
	case namespace != "" || prefix == "":
		return namespace
	case prefix == "xml":
		return xmlNamespace
	case own == prefix && top.namespace != "":
		return top.namespace
	case prefix == xsiPrefix:
		return xsiNamespace
	}
	return ""
}

// declares reports whether a prefix has a namespace that it may have.
func (x *xmlSchemas) declares(prefix, namespace string) bool {
	if !isXMLText(namespace) || namespace == xmlnsNamespace || prefix == "xmlns" {
		return false
	}
	if prefix == "xml" || namespace == xmlNamespace {
		return x.space(prefix, namespace) == xmlNamespace && prefix == "xml"
	}
	return prefix == "" || isNCName(prefix) && x.space(prefix, namespace) != ""
}

// xmlTag is the tag of an element: its prefixes and its attributes.
type xmlTag struct {
	schemas    *xmlSchemas
	prefixes   map[string]string
	attributes map[xmlName]bool
	seen       map[*xmlSchema]bool
}

func (x *xmlSchemas) tagOf(prefix, namespace string) *xmlTag {
	t := &xmlTag{schemas: x, prefixes: make(map[string]string), attributes: make(map[xmlName]bool), seen: make(map[*xmlSchema]bool)}
	t.binds(prefix, x.space(prefix, namespace))
	return t
}

// binds reports whether a tag can have a prefix for a namespace beside its other prefixes.
func (t *xmlTag) binds(prefix, namespace string) bool {
	known, bound := t.prefixes[prefix]
	t.prefixes[prefix] = namespace
	return !bound || known == namespace
}

// has reports whether the tag can have all attributes of a value, with those of its parts that have no
// node. The items of a list have none: each would be an attribute again.
func (t *xmlTag) has(s *xmlSchema, listed bool) bool {
	if s.bare {
		return true
	}
	if t.schemas.steps += 1 + len(s.properties); t.seen[s] || t.schemas.steps > maxXMLSteps {
		return false
	}
	t.seen[s] = true
	before := len(t.attributes)
	for _, item := range append(s.first[:len(s.first):len(s.first)], s.items) {
		if !t.part(item, "", true) {
			return false
		}
	}
	for _, p := range s.properties {
		if !t.part(p.schema, p.name, listed) {
			return false
		}
	}
	s.bare = len(t.attributes) == before
	return true
}

func (t *xmlTag) part(schema jsonscan.Node, inferred string, listed bool) bool {
	if schema.Kind() != jsonscan.Object {
		return true
	}
	part := t.schemas.of(schema)
	switch part.nodeOf(part.isArray()) {
	case nodeNone:
		return t.has(part, listed)
	case nodeAttribute:
		name, prefix := part.named(inferred)
		full := xmlName{t.schemas.space(prefix, part.namespace), name}
		if listed || t.attributes[full] || prefix != "" && !t.binds(prefix, full.namespace) {
			return false
		}
		t.attributes[full] = true
	}
	return true
}

// isNCName reports whether a text is a name without a colon (Namespaces in XML 1.0 §3, XML 1.0 §2.3).
func isNCName(s string) bool {
	for i, c := range s {
		start := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0xC0 && c <= 0x2FF && c != 0xD7 && c != 0xF7 ||
			c >= 0x370 && c <= 0x1FFF && c != 0x37E || c == 0x200C || c == 0x200D || c >= 0x2070 && c <= 0x218F ||
			c >= 0x2C00 && c <= 0x2FEF || c >= 0x3001 && c <= 0xD7FF || c >= 0xF900 && c <= 0xFDCF || c >= 0xFDF0 && c <= 0xFFFC || c >= 0x10000 && c <= 0xEFFFF
		inside := c == '-' || c == '.' || c >= '0' && c <= '9' || c == 0xB7 || c >= 0x300 && c <= 0x36F || c == 0x203F || c == 0x2040
		if !start && (i == 0 || !inside) {
			return false
		}
	}
	return s != ""
}

// isXMLText reports whether all characters of a text may be in a document (XML 1.0 §2.2).
func isXMLText(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
	})
}
