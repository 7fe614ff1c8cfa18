package httpcall

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// entry is a name with a value in a form.
type entry struct {
	name, value string
	// raw is the value as JSON; nil if several values are joined.
	raw []byte
	// json is true for an array or an object. It is written as JSON unless the document
	// specifies something else.
	json bool
}

// encodingOf returns the document's description of a member. With a style, its media type is ignored
// (OpenAPI, Encoding Object, "style").
func encodingOf(list []wayfind.Encoding, name string) *wayfind.Encoding {
	e := wayfind.Encoding{Name: name}
	if i := slices.IndexFunc(list, func(e wayfind.Encoding) bool { return e.Name == name }); i >= 0 {
		e = list[i]
	}
	if e.Style != "" {
		e.ContentType = ""
	}
	return &e
}

// entries returns the names and values for a member of a form. A required member has some.
func (p *placer) entries(m field, e *wayfind.Encoding) []entry {
	list := p.written(m, e)
	if len(list) == 0 && m.required {
		refuse(CodeMissing, inBody, m.name)
	}
	return list
}

// written returns the entries of a member. If there is no style, an array
// has one entry for each item, and an object is written as JSON (OpenAPI, Encoding Object).
func (p *placer) written(m field, e *wayfind.Encoding) (list []entry) {
	checked(m.name, inBody, m.name)
	explode := explodes(e.Style, e.Explode)
	if e.Style == "" {
		explode = e.Explode == nil || *e.Explode
	}
	switch {
	case m.value.Kind() == jsonscan.Null:
		return nil
	case e.Style == "" && (m.value.Kind() == jsonscan.Object || !delimited(m.value)):
		return []entry{p.jsonOr(m.name, m.value)}
	case e.Style == "" && explode:
		for i := range m.value.Len() {
			list = append(list, p.jsonOr(m.name, m.value.Child(i)))
		}
		return list
	case e.Style == styleDeep:
		return p.nestedFields(nil, m.name, m.value, inBody, false)
	case !explode || !delimited(m.value):
		return joined(m.name, e.Style, valueOf(m.value, inBody, m.name))
	case e.Style != styleForm && (m.value.Kind() == jsonscan.Object && m.value.Len() > 0 || hasDelimited(m.value)):
		refuse(CodeStyle, inBody, m.name)
	}
	return p.explodedFields(m.name, m.value, inBody, false)
}

// one returns an entry for a value without parts.
func (p *placer) one(name string, v jsonscan.Node, in, of string) entry {
	return p.sized(entry{name: name, value: scalar(v, in, of), raw: v.Raw()}, in, of)
}

// sized refuses more entries than arguments can have without repeated names: each item of a list
// repeats a name, which may be long.
func (p *placer) sized(e entry, in, of string) entry {
	if p.size += len(e.name) + len(e.value); p.size > jsonschema.MaxValue {
		refuse(CodeSize, in, of)
	}
	return e
}

// jsonOr returns an entry for a value: JSON if it has parts.
func (p *placer) jsonOr(name string, v jsonscan.Node) entry {
	if delimited(v) {
		return p.sized(entry{name: name, value: string(v.Raw()), raw: v.Raw(), json: true}, inBody, name)
	}
	return p.one(name, v, inBody, name)
}

// joined returns one entry with all parts of a value.
func joined(name, style string, value uritemplate.Value) []entry {
	if !value.Defined() {
		return nil
	}
	switch style {
	case "", styleForm, styleSimple, styleSpace, stylePipe, styleTab:
	default:
		refuse(CodeStyle, inBody, name)
	}
	s := uritemplate.Style{Comma: delimiter(style), Encode: verbatim}
	return []entry{{name: name, value: string(s.Append(nil, "", value, false))}}
}

// formOf writes application/x-www-form-urlencoded (WHATWG URL §5.2).
func (p *placer) formOf(members []field, encodings []wayfind.Encoding) []byte {
	var body []byte
	for _, m := range members {
		e := encodingOf(encodings, m.name)
		for _, entry := range p.entries(m, e) {
			if len(body) > 0 {
				body = append(body, '&')
			}
			body = append(appendForm(body, entry.name, false), '=')
			body = appendForm(body, entry.value, e.AllowReserved)
		}
	}
	return body
}

// membersOf returns the members of an object. The schema lists those that are required.
func membersOf(v jsonscan.Node, schema []byte) (members []field) {
	required := make(map[string]bool)
	if doc, err := jsonscan.Scan(schema); err == nil {
		list := doc.Root().Get("required")
		for i := range list.Len() {
			name, _ := list.Child(i).Str()
			required[name] = true
		}
	}
	for name, c := range v.Members() {
		members = append(members, field{name, c, required[name]})
	}
	return members
}

// appendForm writes a text of a form. It encodes all characters except letters, digits and
// "*-._", and writes a blank as "+".
func appendForm(dst []byte, s string, reserved bool) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			dst = append(dst, '+')
		case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("*-._", c) >= 0:
			dst = append(dst, c)
		case reserved && (c == '~' || uritemplate.Reserved(c) && strings.IndexByte("[]#&+", c) < 0 || uritemplate.Escaped(s[i:])):
			dst = append(dst, c)
		default:
			dst = uritemplate.AppendPercent(dst, c)
		}
	}
	return dst
}

// multipart writes multipart/form-data (RFC 7578). The boundary is derived from the parts, so
// that the same arguments result in the same body. It does not occur in the parts.
func (p *placer) multipart(members []field) {
	var parts [][]byte
	for _, m := range members {
		parts = append(parts, p.parts(m)...)
	}
	boundary := p.boundary(parts)
	var body []byte
	for _, part := range parts {
		body = append(append(append(body, "--"+boundary+"\r\n"...), part...), "\r\n"...)
	}
	body = append(body, "--"+boundary+"--\r\n"...)
	p.set("multipart/form-data; boundary="+boundary, body)
}

// boundary returns a boundary that does not occur in the parts.
func (p *placer) boundary(parts [][]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte("\r\n"))
	}
	for {
		h.Write([]byte("boundary"))
		boundary := "wayfind-" + hex.EncodeToString(h.Sum(nil)[:16])
		inside := false
		for _, part := range parts {
			inside = inside || bytes.Contains(part, []byte(boundary))
		}
		if !inside {
			return boundary
		}
	}
}

// parts writes a member with its header fields.
func (p *placer) parts(m field) (list [][]byte) {
	e := encodingOf(p.op.Invocation.Encodings, m.name)
	if p.isFile(m) && !(m.value.Kind() == jsonscan.Array && m.value.Len() == 0) {
		items := []jsonscan.Node{m.value}
		if m.value.Kind() == jsonscan.Array {
			items = nil
			for i := range m.value.Len() {
				items = append(items, m.value.Child(i))
			}
		}
		for _, item := range items {
			kind := firstType(e.ContentType)
			if kind == "" {
				kind = "application/octet-stream"
			}
			list = append(list, part(m.name, "file", kind, e, bytesOf(item, m.name)))
		}
		return list
	}
	kind := firstType(e.ContentType)
	elements := p.elements(m.name, kind)
	for _, entry := range p.entries(m, e) {
		kind := kind
		if kind == "" && entry.json {
			kind = typeJSON
		}
		switch mediaOf(kind) {
		case mediaJSON:
			if entry.raw != nil {
				entry.value = string(entry.raw)
			}
		case mediaText:
		default:
			if elements != nil {
				entry.value = p.xmlEntry(elements, entry, m.name)
			} else if kind != "" && entry.json {
				refuse(CodeMedia, inBody, m.name)
			}
		}
		list = append(list, part(entry.name, "", kind, e, []byte(entry.value)))
	}
	return list
}

// elements returns the schemas of a part in XML; nil if the part is none, or its text is its content.
func (p *placer) elements(name, kind string) *xmlSchemas {
	if mediaOf(kind) != mediaXML {
		return nil
	}
	for i := range p.op.Params {
		if param := &p.op.Params[i]; p.op.where(param) == inBody && (param.Whole || param.Name == name) {
			return p.op.xmlPart(param, name)
		}
	}
	return nil
}

// xmlEntry returns a part in XML. All parts together are not larger than a body.
func (p *placer) xmlEntry(elements *xmlSchemas, e entry, name string) string {
	doc, err := jsonscan.Scan(e.raw)
	if err != nil {
		refuse(CodeBodyValue, inBody, name)
	}
	text := xmlText(elements, doc.Root(), name)
	if p.size += len(text); p.size > maxXML {
		refuse(CodeSize, inBody, name)
	}
	return string(text)
}

// firstType returns the first valid media type without wildcards in a list.
func firstType(list string) string {
	for kind := range strings.SplitSeq(list, ",") {
		kind = general(strings.TrimSpace(kind))
		if _, _, err := mime.ParseMediaType(kind); err == nil && !strings.Contains(kind, "*") {
			return kind
		}
	}
	return ""
}

// isFile reports whether the value of a member is bytes in base64.
func (p *placer) isFile(m field) bool {
	if m.value.Kind() == jsonscan.Null {
		return false
	}
	var schema []byte
	for i := range p.op.Params {
		param := &p.op.Params[i]
		switch {
		case p.op.where(param) != inBody:
		case param.Whole:
			schema = property(param.Schema, m.name)
		case param.Name == m.name:
			schema = param.Schema
		}
	}
	return p.op.isFilePart(m.name, schema)
}

// property returns the schema of a member if "properties" contains it directly.
func property(schema []byte, name string) []byte {
	if doc, err := jsonscan.Scan(schema); err == nil {
		return doc.Root().Get("properties").Get(name).Raw()
	}
	return nil
}

// items returns the schema of the items of an array.
func items(schema []byte) []byte {
	if doc, err := jsonscan.Scan(schema); err == nil {
		return doc.Root().Get("items").Raw()
	}
	return nil
}

// partNames escapes names in header fields of parts.
var partNames = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")

// part writes a part (RFC 7578 §4.2). Names are escaped as in browsers (WHATWG HTML,
// "multipart/form-data"). The name of a file comes from this package.
func part(name, file, contentType string, e *wayfind.Encoding, body []byte) []byte {
	var text strings.Builder
	text.WriteString(`Content-Disposition: form-data; name="` + partNames.Replace(name) + `"`)
	if file != "" {
		text.WriteString(`; filename="` + file + `"`)
	}
	if contentType != "" {
		checkFieldValue(contentType, inBody, name)
		text.WriteString("\r\nContent-Type: " + contentType)
	}
	text.WriteString("\r\n")
	for i := range e.Headers {
		text.WriteString(partField(&e.Headers[i]))
	}
	return append([]byte(text.String()+"\r\n"), body...)
}

// partField writes a header field of a part if the document defines its only value.
func partField(h *wayfind.Param) string {
	raw := h.Default
	if len(h.Enum) == 1 {
		raw = h.Enum[0]
	}
	if len(raw) == 0 || strings.HasPrefix(strings.ToLower(h.Name), "content-") || !token(h.Name) {
		return ""
	}
	doc, err := jsonscan.Scan(raw)
	if err != nil {
		return ""
	}
	value := valueOf(doc.Root(), inHeader, h.Name)
	style := uritemplate.Style{Sep: ",", Comma: ",", Encode: verbatim}
	text := string(style.Append(nil, "", value, explodes(h.Style, h.Explode)))
	checkFieldValue(text, inHeader, h.Name)
	return h.Name + ": " + strings.Trim(text, " \t") + "\r\n"
}
