package parse

import (
	"cmp"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// Need is a specification's requirement on a member.
type Need uint8

// The needs. They set the severity of reports: a missing member is an error with Must, a
// warning with Should and not reported with Optional; a member of the wrong type is an error
// with Must and a warning otherwise.
const (
	Optional Need = iota
	Should
	Must
)

// maxDiagnostics is the number of diagnostics that a Reader keeps: enough to mend a document.
const maxDiagnostics = 200

// maxMessage bounds a message, and maxPointer a pointer: both contain foreign text.
const (
	maxMessage = 512
	maxPointer = 1024
)

// Reader reads the members of one document and keeps a list of their faults. A value of the
// wrong type is reported and dropped, and reading goes on: the worst document results in an
// empty model and a long list.
//
// Every getter takes the object, the name of the member, the specification's requirement on it
// and the section with that requirement. Its reports have the codes "<format>.missing", with
// the pointer of the object, and "<format>.wrong_type", with the pointer of the value. Getters
// on a Node that is not an object report nothing: the getter of that Node has reported it.
//
// A Reader belongs to one call of Format.Parse and one goroutine.
type Reader struct {
	name string
	spec wayfind.SpecRef
	kept []wayfind.Diagnostic
	more int
}

// NewReader returns a Reader that reports in the name of f.
func NewReader(f *Format) *Reader {
	return &Reader{name: f.Name, spec: f.Spec}
}

// Report adds a diagnostic about a value, by the rule that it breaks. Write foreign text among
// the arguments with %q. The message is cut to 512 bytes. An identical diagnostic is not
// repeated. Report panics under the conditions of [Rule.Diagnostic].
func (r *Reader) Report(rule Rule, at Node, format string, args ...any) {
	if len(r.kept) >= maxDiagnostics {
		r.more++ // a pointer takes time to make
		return
	}
	d := r.diagnostic(rule, format, args...)
	d.Pointer = cutPointer(at.Pointer())
	r.keep(d)
}

// ReportLine adds a diagnostic about a line of a document that is not JSON; line 0 is the
// document as a whole. Otherwise it is like [Reader.Report].
func (r *Reader) ReportLine(rule Rule, line int, format string, args ...any) {
	d := r.diagnostic(rule, format, args...)
	d.Line = line
	r.keep(d)
}

// Cut reports that [Input.JSONThatFits] left out a part of a document.
func (r *Reader) Cut(root Node) {
	if !root.Whole() {
		r.Report(ruleJSONCut, root, "parts of the document are beyond the limits of this program; they were not read")
	}
}

// diagnostic makes the diagnostic of a rule of this format.
func (r *Reader) diagnostic(rule Rule, format string, args ...any) wayfind.Diagnostic {
	d := rule.Diagnostic("", format, args...)
	d.Code, d.Message, d.Spec = rule.whole(r.name), cutMessage(d.Message), r.ref(rule.Section)
	return d
}

// Diagnostics returns the reports: the first 200 and, if there were more, a last one
// "<format>.more_diagnostics" with their number.
func (r *Reader) Diagnostics() []wayfind.Diagnostic {
	kept := r.kept[:len(r.kept):len(r.kept)]
	if r.more == 0 {
		return kept
	}
	return append(kept, r.diagnostic(ruleMoreDiagnostics, "%d more diagnostics are not listed", r.more))
}

// keep keeps a diagnostic unless it is a duplicate or there are too many.
func (r *Reader) keep(d wayfind.Diagnostic) {
	if len(r.kept) >= maxDiagnostics {
		r.more++
		return
	}
	for _, k := range r.kept {
		if k.Code == d.Code && k.Pointer == d.Pointer && k.Line == d.Line && k.Message == d.Message {
			return
		}
	}
	r.kept = append(r.kept, d)
}

// ref returns a section of the format's specification, or of the specification that the
// section itself names: "RFC 9727 §3".
func (r *Reader) ref(section string) *wayfind.SpecRef {
	section = cmp.Or(section, r.spec.Section)
	spec := r.spec.At(section)
	if title, number, other := strings.Cut(section, " §"); other {
		spec = wayfind.SpecRef{Title: title, Section: "§" + number}
		if rfc, ok := strings.CutPrefix(title, "RFC "); ok {
			spec.URL = "https://www.rfc-editor.org/rfc/rfc" + rfc
		}
	}
	return &spec
}

// cutMessage shortens a message between characters.
func cutMessage(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	n := maxMessage - len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// cutPointer returns the pointer of the nearest enclosing value that is short enough, because
// half a pointer would point nowhere.
func cutPointer(s string) string {
	for len(s) > maxPointer {
		s = s[:strings.LastIndexByte(s, '/')]
	}
	return s
}

// member returns a member of one of the kinds, or reports why there is none.
func (r *Reader) member(obj Node, name string, need Need, section string, kinds ...Kind) Node {
	if obj.Kind() != Object {
		return Node{}
	}
	r.wants(obj, name, need, section, kinds)
	n := obj.Get(name)
	if !n.Exists() {
		r.Missing(obj, name, need, section)
		return Node{}
	}
	for _, k := range kinds {
		if n.Kind() == k {
			return n
		}
	}
	r.wrongType(n, name, need, section, kinds[0].String())
	return Node{}
}

// Missing reports that an object lacks a member, for members whose kind or condition no other
// method knows. An Optional one is not reported, and known: a similar name is a misspelt one.
func (r *Reader) Missing(obj Node, name string, need Need, section string) {
	r.wants(obj, name, need, section, nil)
	switch need {
	case Must:
		r.Report(ruleMissing.At(section), obj, "required member %q is missing", name)
	case Should:
		r.Report(ruleMissing.At(section).AsWarning(), obj, "recommended member %q is missing", name)
	}
}

func (r *Reader) wrongType(n Node, name string, need Need, section, want string) {
	r.Report(ruleWrongType.At(section).needed(need), n, "member %q is %v where %s belongs; it is ignored", name, n.Kind(), want)
}

// String returns a member that is a string, or "" if there is none.
func (r *Reader) String(obj Node, name string, need Need, section string) string {
	s, _ := r.member(obj, name, need, section, String).Str()
	return s
}

// StringPtr returns a member that is a string, or nil if there is none. It distinguishes ""
// from a missing member.
func (r *Reader) StringPtr(obj Node, name string, need Need, section string) *string {
	if s, ok := r.member(obj, name, need, section, String).Str(); ok {
		return &s
	}
	return nil
}

// Text returns a member that should be a string. A number is used as it is written and
// reported ("version": 1.0 is "1.0").
func (r *Reader) Text(obj Node, name string, need Need, section string) string {
	n := r.member(obj, name, need, section, String, Number)
	if n.Kind() != Number {
		s, _ := n.Str()
		return s
	}
	s := cutMessage(string(n.Raw()))
	r.Report(ruleWrongType.At(section).AsWarning(), n, "member %q is number where string belongs; it was read as %q", name, s)
	return s
}

// Bool returns a member that is true or false, or nil if there is none.
func (r *Reader) Bool(obj Node, name string, need Need, section string) *bool {
	if v, ok := r.member(obj, name, need, section, Bool).Bool(); ok {
		return &v
	}
	return nil
}

// Int returns a member that is an integer by value, or nil if there is none. 1.5 and numbers
// that do not fit into 64 bits are reported as wrong_type. See [Node.Int].
func (r *Reader) Int(obj Node, name string, need Need, section string) *int64 {
	return number(r, obj, name, need, section, Node.Int, "an integer of 64 bits")
}

// Number returns a member that is a number, or nil if there is none. A number beyond the range
// of doubles is reported as wrong_type.
func (r *Reader) Number(obj Node, name string, need Need, section string) *float64 {
	return number(r, obj, name, need, section, Node.Float, "a finite double")
}

func number[T any](r *Reader, obj Node, name string, need Need, section string, read func(Node) (T, bool), want string) *T {
	n := r.member(obj, name, need, section, Number)
	v, ok := read(n)
	if ok {
		return &v
	}
	if n.Exists() {
		r.wrongType(n, name, need, section, want)
	}
	return nil
}

// Strings returns the strings of a member that is an array. Elements of
// another type are reported one by one and left out.
func (r *Reader) Strings(obj Node, name string, need Need, section string) []string {
	var list []string
	for _, item := range r.Array(obj, name, need, section).Items() {
		s, ok := item.Str()
		if !ok {
			r.Report(ruleWrongType.At(section).AsWarning(), item, "element of %q is %v where string belongs; it is ignored", name, item.Kind())
			continue
		}
		list = append(list, s)
	}
	return list
}

// Object returns a member that is an object, or a missing Node if there is none.
func (r *Reader) Object(obj Node, name string, need Need, section string) Node {
	return r.member(obj, name, need, section, Object)
}

// Array returns a member that is an array, or a missing Node if there is none.
func (r *Reader) Array(obj Node, name string, need Need, section string) Node {
	return r.member(obj, name, need, section, Array)
}

// Objects returns the elements of a member that is an array of objects.
// Elements of another type are reported one by one and left out.
func (r *Reader) Objects(obj Node, name string, need Need, section string) []Node {
	var list []Node
	for _, item := range r.Array(obj, name, need, section).Items() {
		if item.Kind() != Object {
			r.Report(ruleWrongType.At(section).AsWarning(), item, "element of %q is %v where object belongs; it is ignored", name, item.Kind())
			continue
		}
		list = append(list, item)
	}
	return list
}

// URL returns a member that is a URL in absolute form, or "" if there is none. An absolute URL
// is returned as written. A reference is resolved against base if base is not nil. A text that
// does not parse, is not http or https with a host, or looks like prose ([urlref.CheckLink]) is
// reported as "<format>.bad_url" and dropped. Package security decides later whether the URL
// may be requested.
func (r *Reader) URL(obj Node, name string, base *url.URL, need Need, section string) string {
	n := r.member(obj, name, need, section, String)
	text, ok := n.Str()
	if !ok {
		return ""
	}
	if absolute, ok := resolveURL(text, base); ok {
		return absolute
	}
	r.Report(ruleBadURL.At(section).needed(need), n, "member %q is not an absolute URL: %q; it is ignored", name, text)
	return ""
}

// Prose returns an optional member for people, or "" if the member is null, empty or of
// another type. The latter is reported.
func (r *Reader) Prose(obj Node, name, section string) string {
	if obj.Get(name).Kind() == Null {
		return ""
	}
	return r.String(obj, name, Optional, section)
}

// maxLink bounds a URL for people, in bytes.
const maxLink = 2048

// Link returns an optional member that is a URL for people, as [Reader.URL] does. An empty
// member is ignored. A URL of more than 2048 bytes is reported as "<format>.too_long" and
// dropped.
func (r *Reader) Link(obj Node, name string, base *url.URL, section string) string {
	n := obj.Get(name)
	if text, ok := n.Str(); ok && text == "" {
		return ""
	}
	if len(n.Raw()) > maxLink {
		r.Report(ruleTooLong.At(section).AsWarning(), n, "%q has more than %d bytes; it is ignored", name, maxLink)
		return ""
	}
	return r.URL(obj, name, base, Optional, section)
}

func resolveURL(text string, base *url.URL) (string, bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	if !u.IsAbs() && base != nil {
		if isProse(text) {
			return "", false
		}
		u = base.ResolveReference(u)
		text = u.String()
	}
	return text, urlref.NamesHost(u) && (u.Scheme == "https" || u.Scheme == "http")
}

// isProse reports texts that are references by the grammar but not to people. A text that
// names a host, by two slashes, is a reference.
func isProse(text string) bool {
	return urlref.CheckLink(strings.TrimPrefix(text, "//")) != nil
}
