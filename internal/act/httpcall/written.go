package httpcall

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Written returns the shapes of the values of a parameter that a request can have. why is the
// reason why it cannot have the others; it is zero if it can have all. A value of another shape is
// refused by [Place], so no definition offers it. A parameter for which nothing can be written is
// withheld: see [Operation.Withheld].
func (op *Operation) Written(param *wayfind.Param) (shapes schema.Shapes, why Code) {
	if op.Invocation == nil || op.Invocation.Protocol != "http" {
		return schema.AnyShape, Code{}
	}
	switch in := op.where(param); {
	case in == inBody:
		shapes, why = op.bodyShapes(param)
	case param.ContentType != "":
		shapes, why = contentShapes(param.ContentType)
	case in == inQuery && !op.inTemplate(param.Name):
		shapes, why = queryShapes(param)
	case in == inCookie:
		shapes, why = cookieShapes(param)
	default:
		shapes, why = lineShapes(param, in)
	}
	if shapes == schema.AnyShape {
		why = Code{}
	}
	return shapes, why
}

// Filled reports whether a request needs a value of the parameter that is not empty: an empty segment
// of the path would name another resource, so [Place] refuses it.
func (op *Operation) Filled(param *wayfind.Param) bool {
	if op.Invocation == nil || op.Invocation.Protocol != "http" || param.ContentType != "" || op.where(param) != inPath {
		return false
	}
	return param.Style != styleLabel && param.Style != styleMatrix
}

// inTemplate reports whether the query of the template has a variable.
func (op *Operation) inTemplate(name string) bool {
	_, query, _ := strings.Cut(op.Invocation.Template, "?")
	return strings.Contains(query, "{"+name+"}")
}

// queryShapes returns the shapes for a parameter of the query.
func queryShapes(param *wayfind.Param) (schema.Shapes, Code) {
	explode := explodes(param.Style, param.Explode)
	switch param.Style {
	case styleDeep:
		return schema.AnyShape, Code{}
	case "", styleForm:
		if explode {
			return schema.AnyShape, Code{}
		}
	case styleSpace, stylePipe, styleTab:
		if explode {
			return schema.Text | schema.List, CodeStyle
		}
	default:
		return 0, CodeStyle
	}
	return schema.Flat, CodeNested
}

// lineShapes returns the shapes for a variable of the template or a header field.
func lineShapes(param *wayfind.Param, in string) (schema.Shapes, Code) {
	switch param.Style {
	case "", styleSimple, styleSpace, stylePipe, styleTab:
		return schema.Flat, CodeNested
	case styleLabel, styleMatrix:
		if in == inPath {
			return schema.Flat, CodeNested
		}
	}
	if in == inQuery { // a variable of the template, which has no style
		return schema.Flat, CodeNested
	}
	return 0, CodeStyle
}

func cookieShapes(param *wayfind.Param) (schema.Shapes, Code) {
	switch param.Style {
	case styleCookie:
		return schema.Flat, CodeNested
	case "", styleForm:
		if explodes(param.Style, param.Explode) {
			return schema.Text, CodeCookieMany
		}
		return schema.Flat, CodeNested
	}
	return 0, CodeStyle
}

// contentShapes returns the shapes for a parameter with a media type.
func contentShapes(contentType string) (schema.Shapes, Code) {
	switch mediaOf(contentType) {
	case mediaJSON:
		return schema.AnyShape, Code{}
	case mediaForm:
		return schema.Record | schema.DeepRecord, CodeMedia
	case mediaText, mediaXML, mediaUnknown:
		return schema.Text, CodeMedia
	}
	return 0, CodeMedia
}

// bodyShapes returns the shapes for the whole body, or for a member of it.
func (op *Operation) bodyShapes(param *wayfind.Param) (schema.Shapes, Code) {
	kind := mediaOf(op.contentType())
	switch {
	case kind == mediaJSON:
		return schema.AnyShape, Code{}
	case !param.Whole:
		return op.memberShapes(param, kind)
	case kind == mediaForm, kind == mediaMultipart:
		return schema.Record | schema.DeepRecord, CodeBodyValue
	case kind == mediaLines:
		return schema.List | schema.DeepList, CodeBodyValue
	case kind == mediaText, kind == mediaBytes, isBytes(param.Schema):
		return schema.Text, CodeBodyValue
	case kind == mediaXML && xmlSchemasOf(param.Schema) != nil:
		return schema.AnyShape, Code{}
	}
	return 0, CodeMedia
}

// memberShapes returns the shapes for a member of a form.
func (op *Operation) memberShapes(param *wayfind.Param, kind media) (schema.Shapes, Code) {
	e := encodingOf(op.Invocation.Encodings, param.Name)
	switch {
	case kind != mediaForm && kind != mediaMultipart:
		return 0, CodeMedia
	case kind == mediaMultipart && op.isFilePart(param.Name, param.Schema):
		return schema.Text | schema.List, CodeBase64
	case kind == mediaMultipart && op.xmlPart(param, param.Name) != nil:
		return schema.AnyShape, Code{}
	case kind == mediaMultipart && firstType(e.ContentType) != "" && mediaOf(firstType(e.ContentType)) != mediaJSON && mediaOf(firstType(e.ContentType)) != mediaText:
		return schema.Text | schema.List, CodeMedia // each is the content of a part
	case e.Style == "" && (e.Explode == nil || *e.Explode):
		return schema.AnyShape, Code{}
	}
	return queryShapes(&wayfind.Param{Style: e.Style, Explode: e.Explode})
}

// MayTakeBase64 reports whether the media type of the body is one of those for which Base64 looks at
// the schema of a parameter.
func (op *Operation) MayTakeBase64() bool {
	if op.Invocation == nil || op.Invocation.Protocol != "http" {
		return false
	}
	switch mediaOf(op.contentType()) {
	case mediaMultipart, mediaBytes, mediaXML, mediaUnknown:
		return true
	}
	return false
}

// Base64 reports whether a model writes the value of a parameter in base64, and which members of its
// value if the parameter is a whole body of several parts. The definition has to say so.
func (op *Operation) Base64(param *wayfind.Param) (all bool, members []string) {
	if op.Invocation == nil || op.Invocation.Protocol != "http" || op.where(param) != inBody || !op.Withheld(param).IsZero() {
		return false, nil
	}
	switch kind := mediaOf(op.contentType()); {
	case kind == mediaMultipart && !param.Whole:
		return op.isFilePart(param.Name, param.Schema), nil
	case kind == mediaMultipart:
		doc, err := jsonscan.Scan(param.Schema)
		if err != nil {
			return false, nil
		}
		for name, value := range doc.Root().Get("properties").Members() {
			if op.isFilePart(name, value.Raw()) {
				members = append(members, name)
			}
		}
		return false, members
	case param.Whole && kind != mediaText:
		return kind == mediaBytes || (kind == mediaXML || kind == mediaUnknown) && isBytes(param.Schema), nil
	}
	return false, nil
}

// isFilePart reports whether a member of a multipart body is bytes.
func (op *Operation) isFilePart(name string, schema []byte) bool {
	kind := firstType(encodingOf(op.Invocation.Encodings, name).ContentType)
	return kind != "" && mediaOf(kind) == mediaBytes || isBytes(schema) || isBytes(items(schema))
}
