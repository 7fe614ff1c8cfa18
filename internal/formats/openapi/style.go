package openapi

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/parse"
)

// maxEncodings is the number of members of a body whose encoding is read, and maxPartHeaders
// the number of header fields of one of them.
const (
	maxEncodings   = parse.DefaultItems
	maxPartHeaders = 20
)

const encodingSection = "Encoding Object"

// style sets the serialization of a parameter, with the defaults of the specification.
func (d *detail) style(p *wayfind.Param, from parameter) {
	n := from.node
	if d.isSwagger() {
		format, said := n.Get("collectionFormat").Str()
		p.Style, p.Explode = collection(format, from.in)
		if !said {
			p.Defaulted = append(p.Defaulted, "style", "explode")
		}
		return
	}
	if kind, _ := d.media(n.Get("content")); kind != "" {
		p.ContentType = kind
		return
	}
	p.Style, _ = n.Get("style").Str()
	if p.Style == "" || len(p.Style) > maxWord {
		p.Style = "simple"
		if from.in == "query" || from.in == "cookie" {
			p.Style = "form"
		}
		p.Defaulted = append(p.Defaulted, "style")
	}
	if explode, ok := n.Get("explode").Bool(); ok {
		p.Explode = &explode
	} else {
		p.Explode = new(explodes(p.Style))
		p.Defaulted = append(p.Defaulted, "explode")
	}
	p.AllowReserved = d.reserved(n, from.in)
}

// explodes returns the meaning of a missing explode. For deepObject, false is undefined or has
// no effect.
func explodes(style string) bool {
	return style == "form" || style == "cookie" || style == "deepObject"
}

// reserved returns allowReserved. Before 3.2 only parameters of the query can have it.
func (d *detail) reserved(n parse.Node, in string) bool {
	yes, _ := n.Get("allowReserved").Bool()
	return yes && (in == "query" || d.dialect == Dialect32)
}

// collection translates the collectionFormat of version 2.0 into style and explode of version
// 3.
func collection(format, in string) (style string, explode *bool) {
	single := "simple"
	if in == "query" || in == "formData" {
		single = "form"
	}
	switch format {
	case "ssv":
		return "spaceDelimited", new(false)
	case "tsv":
		return "tabDelimited", new(false)
	case "pipes":
		return "pipeDelimited", new(false)
	case "multi":
		return "form", new(true)
	}
	return single, new(false)
}

// readEncodings reads the encodings of the members of the body (3.x).
func (d *detail) readEncodings(media parse.Node) {
	for name, n := range d.Object(media, "encoding", parse.Optional, "Media Type Object").Members() {
		if len(d.encodings) == maxEncodings {
			d.Report(ruleTruncated.At(encodingSection).AsInfo(), n, "there are more than %d encodings; the others are not read", maxEncodings)
			return
		}
		if n.Kind() != parse.Object {
			d.Report(ruleWrongType.At(encodingSection).AsWarning(), n, "the encoding is %v where object belongs; it is ignored", n.Kind())
			continue
		}
		e := wayfind.Encoding{Name: name, ContentType: d.word(n, "contentType"), Style: d.word(n, "style"), Headers: d.partHeaders(n)}
		if explode, ok := n.Get("explode").Bool(); ok {
			e.Explode = &explode
		}
		e.AllowReserved, _ = n.Get("allowReserved").Bool()
		d.encodings = append(d.encodings, e)
	}
}

// word reads a short text.
func (d *detail) word(n parse.Node, member string) string {
	text := d.String(n, member, parse.Optional, encodingSection)
	if len(text) > maxWord {
		return ""
	}
	return text
}

// partHeaders reads the header fields of a part.
func (d *detail) partHeaders(n parse.Node) (list []wayfind.Param) {
	for name, header := range d.Object(n, "headers", parse.Optional, encodingSection).Members() {
		header = d.Deref(header, "Header Object")
		if header.Kind() != parse.Object || len(list) == maxPartHeaders || fieldname.CheckField(name) != nil {
			continue
		}
		p := d.param(header, header.Get("schema"))
		p.Name, p.In = name, "header"
		d.style(&p, parameter{header, name, "header"})
		list = append(list, p)
	}
	return list
}

// formEncoding keeps the serialization of an array in a form of version 2.0, and of other
// fields if the document declares it.
func (d *detail) formEncoding(p parameter) {
	format, said := p.node.Get("collectionFormat").Str()
	if !said && typeOf(p.node) != "array" || len(d.encodings) == maxEncodings {
		return
	}
	style, explode := collection(format, p.in)
	d.encodings = append(d.encodings, wayfind.Encoding{Name: p.name, Style: style, Explode: explode})
}
