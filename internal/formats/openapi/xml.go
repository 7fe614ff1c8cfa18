package openapi

import (
	"path"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// isXML reports whether a body is written as XML: its schema has the names of elements, which
// the members of a plain object alone would lose.
func isXML(kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	kind = strings.TrimSpace(kind)
	return strings.HasSuffix(kind, "/xml") || strings.HasSuffix(kind, "+xml")
}

// xmlView returns the self-contained schema of a body in XML, with the names that its references
// infer.
func (d *detail) xmlView(schema parse.Node) parse.Raw {
	w := d.writer(inRequest, d.views)
	w.inferring, w.inferAll = true, d.dialect == Dialect32
	return w.Alone(schema)
}

// inferName adds the name that XML infers for the target of a reference without one: that of the
// component (XML Object, "XML Node Names"). Before version 3.2 it is only inferred for the root; the
// others have the name of their property. A string gets none: as a body, it is the document itself.
func (w *writer) inferName(n parse.Node, ref string, written parse.Raw) parse.Raw {
	if !w.inferring {
		return written
	}
	target := w.Target(n, schemaSection)
	at, name := path.Split(ref)
	if at = strings.TrimSuffix(at, "/"); !strings.HasSuffix(at, "#/components/schemas") && !strings.HasSuffix(at, "#/definitions") ||
		n.Get("xml").Exists() && w.by2020() || target.Get("xml").Get("name").Exists() || typeOf(target) == "string" {
		return written
	}
	xml := rawjson.Obj(rawjson.Member{Name: "name", Value: rawjson.Quote(reftoken.Unescape(name))})
	return schemawriter.Extend(written, rawjson.Member{Name: "xml", Value: xml})
}
