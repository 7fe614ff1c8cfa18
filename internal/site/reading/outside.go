package reading

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/parse"
)

// A document that no format reads has a first reason: its compression, its encoding, something around it,
// its syntax, and only then its shape (see resembles).

// outside returns the first reason outside of the shape, or nil. Bytes that were not meant as a document of a
// format, such as a picture that a site serves for every path, have none.
func (r *Reader) outside(w *fuel.Counter, d *Contents) error {
	body := d.input.Body
	if d.whole != nil || len(body) == 0 {
		return nil
	}
	w.Text(len(body))
	meant := isJSONType(d.input.MediaType) || slices.ContainsFunc(r.Formats, func(f *parse.Format) bool { return isPlace(f, d.input) })
	if name := compression(body); name != "" {
		return refused(d.input, meant, wayfind.CodeEncoding, 0, "the body is "+name+" data, and no Content-Encoding says so")
	}
	if name, begin := wideEncoding(body); name != "" {
		return refused(d.input, meant || isJSONStart(begin), wayfind.CodeInvalidUTF8, 0, "the text is "+name+", and not UTF-8")
	}
	root, err := d.input.JSON()
	switch {
	case err == nil:
		return r.wrapped(w, d, root)
	case isJSONStart(string(trimmed(body))):
		return nil // its syntax is the reason
	}
	if at := invalidUTF8(body); at >= 0 {
		return refused(d.input, meant, wayfind.CodeInvalidUTF8, at, fmt.Sprintf("the text is not UTF-8: it has the byte 0x%02X", body[at]))
	}
	if what, at := before(body); what != "" {
		return refused(d.input, true, wayfind.CodeJSONSyntax, at, what+" before the JSON")
	}
	return nil
}

// refused returns the error for a body with a fault at an offset, or nil if it was not meant as a document.
func refused(in *parse.Input, meant bool, code wayfind.Code, at int, why string) error {
	if !meant {
		return nil
	}
	line := 1 + bytes.Count(in.Body[:at], []byte("\n"))
	return wayfind.NewError("parse", in.URL.String(), code, &jsonscan.SyntaxError{Offset: at, Line: line, Reason: why})
}

// compression returns the name of the compression with whose signature a body begins, or "".
func compression(body []byte) string {
	for _, c := range [...]struct{ sign, name string }{
		{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "Zstandard"}, {"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"PK\x03\x04", "zip"},
	} {
		if bytes.HasPrefix(body, []byte(c.sign)) {
			return c.name
		}
	}
	return ""
}

// wideEncoding returns the name of an encoding with units of two or four bytes, by its byte order mark or
// by the zeros in its first characters, which are ASCII in each format, and the beginning of the text.
func wideEncoding(body []byte) (name, begin string) {
	head := body[:min(len(body), 64)&^3]
	if len(head) < 4 {
		return "", ""
	}
	var units []uint16
	for i := 0; i+1 < len(head); i += 2 {
		units = append(units, uint16(head[i])|uint16(head[i+1])<<8)
	}
	big := slices.Clone(units)
	for i, u := range big {
		big[i] = u<<8 | u>>8
	}
	text := func(units []uint16) string {
		return strings.TrimLeft(strings.ReplaceAll(string(utf16.Decode(units)), "\x00", ""), "\ufeff \t\r\n")
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return "UTF-32", text(units) + text(big)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return "UTF-16", text(units)
	case bytes.HasPrefix(head, []byte("\xfe\xff")), head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return "UTF-16", text(big)
	}
	return "", ""
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(body []byte) int {
	for i := 0; i < len(body); {
		c, n := utf8.DecodeRune(body[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// guards are prefixes that keep browsers from running JSON as a script.
var guards = [...]string{")]}'", "while(1);", "while (1);", "for(;;);", "for (;;);", "&&&START&&&", "throw 1;", "{}&&"}

// padding is the beginning of JSON with a call around it (JSONP).
var padding = regexp.MustCompile(`^(/\*\*/\s*)?[A-Za-z_$][\w$.]*\(\s*[{\[]`)

// before names the thing that stands before JSON, and returns its offset; "" if there is no JSON or nothing before it.
func before(body []byte) (what string, at int) {
	text := trimmed(body)
	at = len(body) - len(text)
	for _, g := range guards {
		if rest, ok := bytes.CutPrefix(text, []byte(g)); ok && isJSONStart(strings.TrimLeft(string(rest[:min(len(rest), 64)]), ", \t\r\n")) {
			return "a guard against scripts, " + g + ", stands", at
		}
	}
	if padding.Match(text[:min(len(text), 256)]) {
		return "the call of a function (JSONP) stands", at
	}
	if rest := afterComments(text); len(rest) < len(text) && isJSONStart(string(rest[:min(len(rest), 1)])) {
		return "a comment, which JSON does not have, stands", at
	}
	return "", 0
}

// afterComments returns the text after the comments and blanks at its beginning.
func afterComments(text []byte) []byte {
	for {
		var end []byte
		switch {
		case bytes.HasPrefix(text, []byte("//")), bytes.HasPrefix(text, []byte("#")):
			end = []byte("\n")
		case bytes.HasPrefix(text, []byte("/*")):
			end = []byte("*/")
		default:
			return text
		}
		_, after, ok := bytes.Cut(text, end)
		if !ok {
			return nil
		}
		text = trimmed(after)
	}
}

// mostWrappers is the number of members in which a document is looked for.
const mostWrappers = 16

// wrapped returns the reason if a document of a format stands inside another value: in a list, in a member, or
// in a text.
func (r *Reader) wrapped(w *fuel.Counter, d *Contents, root parse.Node) error {
	why := ""
	switch root.Kind() {
	case parse.String:
		if text, _ := root.Str(); isJSONStart(strings.TrimLeft(text, " \t\r\n")) {
			why = "the document is a text that contains JSON: it was written as JSON twice"
		}
	case parse.Array:
		for i, n := range root.Items() {
			if i == 0 && r.isOne(w, d, n) {
				why = fmt.Sprintf("the document stands in a list of %d: write the object without the list", root.Len())
			}
			break
		}
	case parse.Object:
		tried := 0
		for name, n := range root.Members() {
			if tried++; tried > mostWrappers || why != "" {
				break
			}
			if r.isOne(w, d, n) {
				why = fmt.Sprintf("the document stands in the member %.60q: write it without the object around it", name)
			}
		}
	}
	if why == "" {
		return nil
	}
	return wayfind.NewError("parse", d.input.URL.String(), wayfind.CodeSchema, errors.New(why))
}

// isOne reports whether a format is sure of a value inside the document, or whether the value has all marks of
// a format at whose place the document lies, and at least two.
func (r *Reader) isOne(w *fuel.Counter, d *Contents, value parse.Node) bool {
	if value.Kind() != parse.Object {
		return false
	}
	w.Text(len(value.Raw()))
	part := &Contents{input: d.input.Within(value), whole: d.input}
	r.match(part)
	if slices.ContainsFunc(part.claims, func(c claimed) bool { return c.Level == parse.Exact && c.Dialect != parse.DialectDetail }) {
		return true
	}
	return slices.ContainsFunc(r.Formats, func(f *parse.Format) bool {
		has, lacks := marked(value, f.Marks)
		return isPlace(f, d.input) && len(lacks) == 0 && len(has) > 1
	})
}

func isJSONStart(text string) bool { return text != "" && (text[0] == '{' || text[0] == '[') }

func isJSONType(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

// trimmed returns a body without a byte order mark and blanks before its text.
func trimmed(body []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
}
