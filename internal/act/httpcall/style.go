package httpcall

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// The styles (OpenAPI, Parameter Object, "Style Values"), and a style for tsv of OpenAPI 2.0.
const (
	styleSimple = "simple"
	styleLabel  = "label"
	styleMatrix = "matrix"
	styleForm   = "form"
	styleSpace  = "spaceDelimited"
	stylePipe   = "pipeDelimited"
	styleTab    = "tabDelimited"
	styleDeep   = "deepObject"
	styleCookie = "cookie"
)

// delimiter returns the text between values: the delimiter of the style, or a comma.
func delimiter(style string) string {
	switch style {
	case styleSpace:
		return " "
	case stylePipe:
		return "|"
	case styleTab:
		return "\t"
	}
	return ","
}

// explodes reports whether a style explodes. By default form, cookie and deepObject do.
// deepObject does even if the document specifies otherwise (OpenAPI 3.2).
func explodes(style string, explode *bool) bool {
	if style == styleDeep || explode == nil {
		return style == styleForm || style == styleCookie || style == styleDeep
	}
	return *explode
}

// valueOf returns a value in a form that a style can write: text, a list of texts, or members
// that are texts. Null is undefined, and so are a list or an object without members. Control
// characters are refused.
func valueOf(v jsonscan.Node, in, name string) uritemplate.Value {
	switch v.Kind() {
	case jsonscan.Missing, jsonscan.Null:
		return uritemplate.Value{}
	case jsonscan.Array:
		if v.Len()*len(name) > jsonschema.MaxValue { // each item may repeat the name
			refuse(CodeSize, in, name)
		}
		var list []string
		for i := range v.Len() {
			if c := v.Child(i); c.Kind() != jsonscan.Null {
				list = append(list, scalar(c, in, name))
			}
		}
		return uritemplate.List(list)
	case jsonscan.Object:
		var list []uritemplate.Pair
		for key, c := range v.Members() {
			if c.Kind() != jsonscan.Null {
				list = append(list, uritemplate.Pair{Name: checked(key, in, name), Value: scalar(c, in, name)})
			}
		}
		return uritemplate.Pairs(list)
	}
	return uritemplate.Text(scalar(v, in, name))
}

// scalar returns the text of a value that has no parts. A number has the digits that the model
// wrote.
func scalar(v jsonscan.Node, in, name string) string {
	switch v.Kind() {
	case jsonscan.String:
		text, _ := v.Str()
		return checked(text, in, name)
	case jsonscan.Array, jsonscan.Object, jsonscan.Null:
		refuse(CodeNested, in, name)
	}
	return string(v.Raw())
}

// checked refuses control characters: C0, DEL and C1. It allows a tab in a header field (RFC
// 9110 §5.5), and tabs and line breaks in a body.
func checked(text, in, name string) string {
	for _, c := range text {
		if c >= 0x20 && c < 0x7F || c > 0x9F {
			continue
		}
		if c == '\t' && in == inHeader || in == inBody && (c == '\t' || c == '\n' || c == '\r') {
			continue
		}
		refuse(CodeControl, in, name)
	}
	return text
}

// content writes a value in the media type of a parameter (OpenAPI, "content").
func (p *placer) content(param *wayfind.Param, v jsonscan.Node, in string) string {
	switch kind := mediaOf(param.ContentType); {
	case kind == mediaJSON:
		return checked(string(v.Raw()), inBody, param.Name)
	case kind == mediaForm && v.Kind() == jsonscan.Object:
		return string(p.formOf(membersOf(v, param.Schema), nil))
	case kind == mediaText || (kind == mediaXML || kind == mediaUnknown) && !delimited(v):
		return scalar(v, in, param.Name)
	}
	refuse(CodeMedia, in, param.Name)
	return ""
}

// pathText writes a variable of the path.
func (p *placer) pathText(param *wayfind.Param, v jsonscan.Node) []byte {
	name := param.Name
	if v.Kind() == jsonscan.Missing || v.Kind() == jsonscan.Null {
		refuse(CodePathMissing, inPath, name)
	}
	encode := uritemplate.AppendUnreserved
	if param.AllowReserved {
		encode = appendReservedPath
	}
	style := uritemplate.Style{Sep: ",", Comma: ",", Encode: encode}
	var value uritemplate.Value
	if param.ContentType != "" {
		value = uritemplate.Text(p.content(param, v, inPath))
	} else if value = valueOf(v, inPath, name); !value.Defined() {
		refuse(CodePathMissing, inPath, name)
	}
	switch param.Style {
	case "", styleSimple:
	case styleLabel:
		style.First, style.Sep = ".", "."
	case styleMatrix:
		style.First, style.Sep, style.Named = ";", ";", true
	case styleSpace, stylePipe, styleTab: // collectionFormat of OpenAPI 2.0
		style.Comma = string(uritemplate.AppendUnreserved(nil, delimiter(param.Style)))
	default:
		refuse(CodeStyle, inPath, name)
	}
	if style.Named && !identifier(name) {
		name = string(encode(nil, name))
	}
	text := style.Append([]byte(style.First), name, value, explodes(param.Style, param.Explode))
	if len(text) == 0 {
		refuse(CodePathEmpty, inPath, param.Name)
	}
	return text
}

// queryText writes a parameter of the query.
func (p *placer) queryText(param *wayfind.Param, v jsonscan.Node) []byte {
	style := uritemplate.Style{Sep: "&", Comma: ",", Named: true, IfEmpty: "=", Encode: uritemplate.AppendUnreserved}
	encodeName := uritemplate.AppendUnreserved
	if param.AllowReserved {
		style.Encode, encodeName = appendReservedQuery, appendReservedName
	}
	name := param.Name
	if !identifier(name) {
		name = string(encodeName(nil, name))
	}
	if param.ContentType != "" {
		return style.Append(nil, name, uritemplate.Text(p.content(param, v, inQuery)), false)
	}
	explode := explodes(param.Style, param.Explode)
	switch param.Style {
	case styleDeep:
		return p.members(p.nestedFields(nil, param.Name, v, inQuery, indexes(param.Example, param.Name)), encodeName, style.Encode)
	case "", styleForm:
		if explode && delimited(v) {
			return p.members(p.explodedFields(param.Name, v, inQuery, indexes(param.Example, param.Name)), encodeName, style.Encode)
		}
	case styleSpace, stylePipe, styleTab:
		if explode && v.Kind() == jsonscan.Object && v.Len() > 0 {
			refuse(CodeStyle, inQuery, param.Name)
		}
		style.Comma = string(uritemplate.AppendUnreserved(nil, delimiter(param.Style)))
	default:
		refuse(CodeStyle, inQuery, param.Name)
	}
	value := valueOf(v, inQuery, param.Name)
	if !value.Defined() {
		return nil
	}
	return style.Append(nil, name, value, explode)
}

// identifier reports whether a name needs no encoding.
func identifier(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}

// delimited reports whether a value has parts.
func delimited(v jsonscan.Node) bool {
	return v.Kind() == jsonscan.Array || v.Kind() == jsonscan.Object
}

// members writes the fields of a value in the query. It refuses a field with the name of a
// credential.
func (p *placer) members(list []entry, encodeName, encode func([]byte, string) []byte) (dst []byte) {
	for i, e := range list {
		if i > 0 {
			dst = append(dst, '&')
		}
		if p.op.credential(inQuery, e.name) {
			refuse(CodeCredential, inQuery, e.name)
		}
		dst = append(encodeName(dst, e.name), '=')
		dst = encode(dst, e.value)
	}
	return dst
}

// querystring writes a parameter that is the whole query (OpenAPI 3.2).
func (p *placer) querystring(param *wayfind.Param, v jsonscan.Node) []byte {
	if mediaOf(param.ContentType) != mediaForm {
		return uritemplate.AppendUnreserved(nil, p.content(param, v, inQuery))
	}
	for key := range v.Members() {
		if p.op.credential(inQuery, key) {
			refuse(CodeCredential, inQuery, key)
		}
	}
	return []byte(p.content(param, v, inQuery))
}

// appendReservedQuery is reserved expansion for a value in the query. It encodes characters
// that have a meaning in a form or are not allowed in a query (OpenAPI, Parameter Object,
// allowReserved).
func appendReservedQuery(dst []byte, s string) []byte { return appendReserved(dst, s, "[]#&+") }

func appendReservedName(dst []byte, s string) []byte { return appendReserved(dst, s, "[]#&+=") }

// appendReservedPath is reserved expansion for a path segment. It encodes each character that
// would end the segment (OpenAPI, "Path Templating").
func appendReservedPath(dst []byte, s string) []byte { return appendReserved(dst, s, "[]#/?") }

func appendReserved(dst []byte, s, but string) []byte {
	for i := range len(s) {
		if strings.IndexByte(but, s[i]) >= 0 {
			dst = uritemplate.AppendPercent(dst, s[i])
			continue
		}
		if s[i] == '%' && uritemplate.Escaped(s[i:]) {
			dst = append(dst, '%')
			continue
		}
		dst = uritemplate.AppendReserved(dst, s[i:i+1])
	}
	return dst
}
