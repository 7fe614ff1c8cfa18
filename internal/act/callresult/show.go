package callresult

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security/prompt"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Shown is the part of an answer that a model may see: JSON or Text, and facts about it.
type Shown struct {
	// JSON or Text is the answer, cleaned and within the allowed number of bytes. Both are
	// empty if the answer has no content. If the content is not text, Text describes it in
	// words of this package.
	JSON []byte
	Text string
	// Binary is true if the content is not text.
	Binary bool
	// Media is the media type; "" if the answer has no valid media type. Size is the size of
	// the whole body in bytes.
	Media string
	Size  int
	// Absent is true if there is no value at Answer.At. Text then states that.
	Absent bool
	// Cuts are the missing parts, at most 50.
	Cuts []wayfind.Cut
	// Next is the next page; nil if the service names no next page.
	Next *Next
	// Malformed is true if the content does not have the format of its media type.
	Malformed bool
	// Undeclared is true if no document of the service declares the media type. If no media
	// type is declared, it is true for an HTML page.
	Undeclared bool
	// Page is true for an HTML page, unless a document of the service declares its media type.
	Page bool
	// Login is true if the answer is a page that asks for a password.
	Login bool
	// Partial is true if the status means that the answer is a part.
	Partial bool
	// Suspicious are the ways in which the text addresses a model, in alphabetical order.
	Suspicious []string
	// Mismatch is the place at which the answer does not match the publisher's schema. It is
	// nil if the answer matches, if there is no schema or no JSON, and if the validation takes
	// too long.
	Mismatch *Mismatch
}

// Mismatch is a place in an answer that does not match the publisher's own schema. This is a
// fault of the publisher and no reason to discard the answer.
type Mismatch struct{ Pointer, Rule, Expected string }

// minMost is the minimum number of bytes that may be shown.
const minMost = 512

// Show returns the part of an answer that a model may see.
func Show(a *Answer) *Shown {
	s := &Shown{Size: len(a.Body)}
	if len(a.Body) == 0 {
		return s
	}
	media, charset := mediaOf(a.Header)
	s.Media = media
	most := a.Most
	if most == 0 {
		most = DefaultMost
	}
	most = max(most, minMost)
	value, plain, binary := s.read(a.Body, media, charset)
	s.mark(a)
	switch {
	case value.Kind() != jsonscan.Missing:
		s.Next = nextOf(a, value)
		s.judge(a.Output, value)
		s.json(value, a, most)
	case binary:
		s.Binary = true
		what := "content"
		if media != "" {
			what = media
		}
		s.Text = fmt.Sprintf("(%s that is no text: %d bytes, SHA-256 %x)", what, s.Size, sha256.Sum256(a.Body))
	default:
		s.Next = nextOf(a, jsonscan.Node{})
		s.text(plain, a, most)
	}
	return s
}

// read returns the body as JSON or as text, or reports that it is binary.
func (s *Shown) read(body []byte, media, charset string) (value jsonscan.Node, plain string, binary bool) {
	scanned := func(body []byte) bool {
		if body == nil {
			return false
		}
		doc, err := jsonscan.Scan(body)
		if err == nil {
			value = doc.Root()
		}
		return err == nil
	}
	switch {
	case isJSON(media):
		if scanned(body) {
			return value, "", false
		}
		s.Malformed = true
	case media == "application/jsonl" || media == "application/x-ndjson" || media == "application/json-seq":
		if scanned(lines(body)) {
			return value, "", false
		}
		s.Malformed = true
	case media == "text/event-stream":
		list, plain := collect(body)
		if scanned(list) {
			return value, "", false
		}
		return value, plain, false
	case isHTML(media):
		return value, htmlText([]byte(utf8Of(body, charset))), false
	case media == "" && (body[0] == '{' || body[0] == '[') && scanned(body):
		return value, "", false
	}
	if isText(media) || media == "" && utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 || s.Malformed && utf8.Valid(body) {
		return value, utf8Of(body, charset), false
	}
	return value, "", true
}

// isText reports whether a media type is text.
func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") {
		return true
	}
	switch media {
	case "application/xml", "application/yaml", "application/x-yaml", "application/javascript", "application/x-www-form-urlencoded", "application/graphql", "application/toml", "application/sql":
		return true
	}
	return false
}

// utf8Of decodes a text from its character set: UTF-8, or one of a few single-byte sets.
// Invalid bytes in other sets are removed later.
func utf8Of(body []byte, charset string) string {
	if utf8.Valid(body) {
		return string(body)
	}
	switch charset {
	case "iso-8859-1", "latin1", "iso-8859-15", "windows-1252", "us-ascii":
		var b strings.Builder
		for _, c := range body {
			b.WriteRune(rune(c))
		}
		return b.String()
	}
	return string(body)
}

// json adds a JSON value, or the part of it at a pointer.
func (s *Shown) json(root jsonscan.Node, a *Answer, most int) {
	at := a.At
	v, ok := walk(root, at)
	if !ok {
		s.Absent, s.Text = true, "(there is nothing at this pointer)"
		return
	}
	out, cuts := shorten(v, at, max(a.From, 0), most)
	if out == nil {
		s.Text = fmt.Sprintf("(JSON of %d bytes, of which no part is short enough to show)", len(v.Raw()))
		s.Cuts = []wayfind.Cut{{Pointer: at, Kind: "value", Total: len(v.Raw())}}
		return
	}
	s.Cuts = cuts
	clean, err := a.Hide.ShowJSON(out, secret.Lines)
	if err != nil {
		s.Text = "(JSON that cannot be shown)"
		return
	}
	s.JSON = clean
	if !bytes.Equal(clean, v.Raw()) {
		doc, err := jsonscan.Scan(clean)
		if err != nil {
			return
		}
		v = doc.Root()
	}
	var p passages
	p.addAll(v)
	s.Suspicious = p.classes()
}

// text adds a text: its beginning and its end, or the rest after a character.
func (s *Shown) text(plain string, a *Answer, most int) {
	clean := a.Hide.Show(plain, secret.Lines, 0) // the tags of a page may have split a secret
	from := a.From
	total := utf8.RuneCountInString(clean)
	shown, n := clip(clean, max(from, 0), most)
	if n < total {
		s.Cuts = []wayfind.Cut{{Kind: "text", From: max(from, 0), Shown: n, Total: total}}
	}
	s.Text = shown
	s.Suspicious = suspicious(shown)
}

// judge compares a JSON answer with the publisher's schema.
func (s *Shown) judge(output *schema.Schema, root jsonscan.Node) {
	if output == nil {
		return
	}
	err := output.Validate(root.Raw(), 0)
	if e, ok := errors.AsType[*schema.ValueError](err); ok {
		s.Mismatch = &Mismatch{Pointer: e.Pointer, Rule: e.Rule, Expected: e.Expected}
	}
}

// suspicious returns the classes of the suspicious passages in texts.
func suspicious(texts ...string) []string {
	var p passages
	for _, t := range texts {
		p.add(t)
	}
	return p.classes()
}

// passages are the classes of suspicious passages.
type passages []string

// add adds those of a text.
func (p *passages) add(t string) {
	if len(t) < 6 { // too short for any passage
		return
	}
	for _, i := range prompt.Injections(t) {
		*p = append(*p, i.Class)
	}
}

// addAll adds those of the strings of a value, and of the names of its members.
func (p *passages) addAll(v jsonscan.Node) {
	if text, ok := v.Str(); ok {
		p.add(text)
	}
	for i := range v.Len() {
		c := v.Child(i)
		if v.Kind() == jsonscan.Object {
			p.add(c.Name())
		}
		p.addAll(c)
	}
}

// classes returns each class once, in order.
func (p passages) classes() []string {
	slices.Sort(p)
	return slices.Compact(p)
}
