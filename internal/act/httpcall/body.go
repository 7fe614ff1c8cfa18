package httpcall

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// media is a family of media types that are written in the same way.
type media int

const (
	mediaUnknown media = iota
	mediaJSON
	mediaLines // a JSON value on each line
	mediaForm
	mediaMultipart
	mediaText
	mediaBytes
	mediaXML
)

// typeJSON is the media type of a body if the document does not specify one.
const typeJSON = "application/json"

// mediaOf returns the family of a media type. Text in a character set other than UTF-8 is
// unknown.
func mediaOf(contentType string) media {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return mediaUnknown
	}
	switch kind {
	case "*/*", "application/*", typeJSON:
		return mediaJSON
	case "application/x-www-form-urlencoded":
		return mediaForm
	case "multipart/form-data":
		return mediaMultipart
	case "application/jsonl", "application/x-ndjson", "application/x-jsonlines":
		return mediaLines
	case "application/octet-stream", "application/pdf", "application/zip", "application/gzip":
		return mediaBytes
	case "application/sdp": // RFC 8866 §8.1: UTF-8
		return mediaText
	}
	family, sub, _ := strings.Cut(kind, "/")
	switch {
	case strings.HasSuffix(sub, "+json") || sub == "json":
		return mediaJSON
	case strings.HasSuffix(sub, "+xml") || sub == "xml":
		if set := params["charset"]; set != "" && !strings.EqualFold(set, "utf-8") {
			return mediaUnknown
		}
		return mediaXML
	case family == "text":
		if set := params["charset"]; set != "" && !strings.EqualFold(set, "utf-8") && !strings.EqualFold(set, "us-ascii") {
			return mediaUnknown
		}
		return mediaText
	case family == "image" || family == "audio" || family == "video" || family == "font":
		return mediaBytes
	}
	return mediaUnknown
}

// body writes the body, if there is one.
func (p *placer) body() {
	if p.op.needsBody() && !p.op.writesBody() {
		refuse(CodeMedia, inBody, "")
	}
	var few [fewArguments]*wayfind.Param
	declared := few[:0]
	for i := range p.op.Params {
		param := &p.op.Params[i]
		if p.isFilled(param) || p.op.where(param) != inBody || !p.judged(param) {
			continue
		}
		if param.Whole {
			p.whole(param)
			return
		}
		declared = append(declared, param)
		if p.given(argumentOf(param)) == nil && isRequired(param) {
			refuse(CodeMissing, inBody, param.Name)
		}
	}
	var byName map[string]*wayfind.Param
	if len(declared) > fewArguments {
		byName = make(map[string]*wayfind.Param, len(declared))
		for _, param := range declared {
			byName[argumentOf(param)] = param
		}
	}
	var members []field
	for i := range p.args {
		a := &p.args[i]
		param := taking(declared, byName, a.name)
		if param == nil {
			continue
		}
		if v, _ := p.take(param); v.Kind() != jsonscan.Missing {
			members = append(members, field{param.Name, v, isRequired(param)})
		}
	}
	if members != nil || p.op.needsBody() || len(declared) > 0 && p.op.hasBody() && p.op.Invocation.BodyRequired == nil {
		p.fields(members)
	}
}

// taking returns the parameter that takes an argument; nil if there is no such parameter.
// byName is not nil if there are many parameters.
func taking(list []*wayfind.Param, byName map[string]*wayfind.Param, name string) *wayfind.Param {
	if byName != nil {
		return byName[name]
	}
	for _, param := range list {
		if argumentOf(param) == name {
			return param
		}
	}
	return nil
}

// field is a member of a body.
type field struct {
	name     string
	value    jsonscan.Node
	required bool
}

// contentType returns the media type of the body.
func (op *Operation) contentType() string {
	kind := op.Invocation.ContentType
	if kind == "" || kind == "*/*" || kind == "application/*" {
		return typeJSON
	}
	return general(kind)
}

// general returns the media type that stands for all with a suffix: ASP.NET writes
// "application/*+json", and a request has one media type.
func general(kind string) string {
	if rest, found := strings.CutPrefix(kind, "application/*+"); found {
		return "application/" + rest
	}
	return kind
}

// set sets the body and its media type.
func (p *placer) set(contentType string, body []byte) {
	if body == nil {
		body = []byte{}
	}
	checkFieldValue(contentType, inBody, "")
	p.request.Body = body
	p.request.Header["Content-Type"] = []string{contentType}
}

// whole writes a body that consists of one parameter.
func (p *placer) whole(param *wayfind.Param) {
	v, ok := p.take(param)
	contentType := p.op.contentType()
	if !ok && (v.Kind() == jsonscan.Missing || mediaOf(contentType) != mediaJSON) {
		if p.op.needsBody() || isRequired(param) {
			refuse(CodeMissing, inBody, param.Name)
		}
		return
	}
	switch kind := mediaOf(contentType); kind {
	case mediaJSON:
		p.set(contentType, v.Raw())
	case mediaLines:
		p.lines(contentType, v, param.Name)
	case mediaForm, mediaMultipart:
		if v.Kind() != jsonscan.Object {
			refuse(CodeBodyValue, inBody, param.Name)
		}
		p.fields(membersOf(v, param.Schema))
	case mediaText:
		if delimited(v) {
			refuse(CodeBodyValue, inBody, param.Name)
		}
		p.set(strings.Replace(contentType, "text/*", "text/plain", 1), []byte(scalar(v, inBody, param.Name)))
	default:
		switch {
		case kind == mediaBytes || isBytes(param.Schema):
		case kind == mediaXML:
			p.set(contentType, xmlText(xmlSchemasOf(param.Schema), v, param.Name))
			return
		default:
			refuse(CodeMedia, inBody, "")
		}
		data := bytesOf(v, param.Name)
		contentType = concrete(contentType, data)
		if format, _ := wireOf(param.Schema); format == "byte" {
			data = []byte(scalar(v, inBody, param.Name)) // the body is base64 on the wire
		}
		p.set(contentType, data)
	}
}

// concrete returns the media type of data for a family such as "image/*", of which a request has
// one member (RFC 9110 §8.3.1). Data of a type that is not known are of "application/octet-stream".
func concrete(contentType string, data []byte) string {
	family, wild := strings.CutSuffix(contentType, "*")
	if !wild {
		return contentType
	}
	if kind := http.DetectContentType(data); strings.HasPrefix(kind, family) {
		return kind
	}
	return "application/octet-stream"
}

// oneLine joins the lines of a JSON value.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// lines writes each item of an array as JSON on a line of its own.
func (p *placer) lines(contentType string, v jsonscan.Node, name string) {
	if v.Kind() != jsonscan.Array {
		refuse(CodeBodyValue, inBody, name)
	}
	var body []byte
	for i := range v.Len() {
		line := oneLine.Replace(string(v.Child(i).Raw()))
		body = append(append(body, line...), '\n')
	}
	p.set(contentType, body)
}

// fields writes a body of members.
func (p *placer) fields(members []field) {
	contentType := p.op.contentType()
	switch mediaOf(contentType) {
	case mediaJSON:
		p.set(contentType, object(members))
	case mediaForm:
		p.set(contentType, p.formOf(members, p.op.Invocation.Encodings))
	case mediaMultipart:
		p.multipart(members)
	default:
		refuse(CodeMedia, inBody, "")
	}
}

// object writes members as a JSON object, with the values as the model wrote them.
func object(members []field) []byte {
	body := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(append(jsonscan.AppendQuote(body, m.name), ':'), m.value.Raw()...)
	}
	return append(body, '}')
}

// isBytes reports whether a schema is of binary data (OpenAPI 3.0, "format"; JSON Schema
// 2020-12, "contentEncoding").
func isBytes(schema []byte) bool {
	format, encoding := wireOf(schema)
	return format == "binary" || encoding == "base64"
}

// wireOf returns the format and the content encoding of a string in a schema. The format
// "byte" of OpenAPI 2.0 and 3.0 is base64 on the wire, and "binary" is raw bytes.
func wireOf(schema []byte) (format, encoding string) {
	if len(schema) == 0 {
		return "", ""
	}
	doc, err := jsonscan.Scan(schema)
	if err != nil {
		return "", ""
	}
	format, _ = doc.Root().Get("format").Str()
	encoding, _ = doc.Root().Get("contentEncoding").Str()
	return format, encoding
}

// standardBase64 converts the URL-safe alphabet to the standard alphabet (RFC 4648 §5).
var standardBase64 = strings.NewReplacer("-", "+", "_", "/")

// bytesOf decodes base64, in either alphabet, with or without padding.
func bytesOf(v jsonscan.Node, name string) []byte {
	text, ok := v.Str()
	if !ok {
		refuse(CodeBase64, inBody, name)
	}
	text = strings.TrimRight(standardBase64.Replace(text), "=")
	data, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		refuse(CodeBase64, inBody, name)
	}
	return data
}
