package reading

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Secrets in documents. A body is searched once, with the names of its values. A secret is removed
// from everything that is made of the body, wherever a format puts it. The body itself stays in the
// memory of this process.

// secrets are the secrets of one document. Nil has no secrets.
type secrets struct {
	// found contains the first maxSecretNotes places, and more is the number of the others. rules
	// contains the rules of all places.
	found []leak
	more  int
	rules map[string]bool
	// values contains the texts that were found, each with its rule.
	values map[string]string
	marks  *strings.Replacer
	// yaml is true if some are values of YAML, which may have another spelling in the body.
	yaml bool
}

// leak is one place.
type leak struct {
	rule, field, pointer string
	line                 int
}

// findSecrets searches a body: the values and names of JSON, or of YAML that a format has read, or
// else the text.
func findSecrets(in *parse.Input) *secrets {
	if plainlyWithout(in.Body) {
		return nil
	}
	s := newSecrets()
	if root, err := in.JSON(); err == nil {
		s.node("", root)
	} else if text, _ := text.Clean(string(in.Body), true, 0); text != "" {
		s.ofText(in, text)
	}
	return s.ready()
}

// plainlyWithout reports whether a body has no secret in any reading. It has no escapes, and
// cleaning changes only the ends of lines, so each text in it is a part of it. Short error pages
// are like that.
func plainlyWithout(body []byte) bool {
	for _, b := range body {
		if b == '\\' || b >= 0x7f || b < ' ' && b != '\n' && b != '\r' {
			return false
		}
	}
	return !secret.MayHoldPlain(body) && !bytes.Contains(body, []byte(`"kty"`))
}

// mayHold is a quick check for secrets. A key is recognised only by its type.
func mayHold(words string) bool { return secret.MayHold(words) || strings.Contains(words, `"kty"`) }

// findJSONSecrets searches a JSON value that a format has extracted from a document, or that never
// was in one. A value that is no JSON has no secrets.
func findJSONSecrets(name string, raw []byte) *secrets {
	if !mayHold(string(raw)) {
		return nil
	}
	s := newSecrets()
	if root, err := (&parse.Input{Body: raw}).JSON(); err == nil {
		s.node(name, root)
	}
	return s.ready()
}

func newSecrets() *secrets {
	return &secrets{values: map[string]string{}, rules: map[string]bool{}}
}

// ready returns nil if there are no secrets.
func (s *secrets) ready() *secrets {
	if len(s.found) == 0 {
		return nil
	}
	var pairs []string
	// Of two values with the same beginning, the longer one comes first.
	values := make([]string, 0, len(s.values))
	for v := range s.values {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	for _, v := range values {
		pairs = append(pairs, v, secret.Mark(s.values[v]))
	}
	s.marks = strings.NewReplacer(pairs...)
	return s
}

// node searches a value and its content. name is the name of its member; the items of an array have
// the name of the array.
func (s *secrets) node(name string, n parse.Node) {
	switch n.Kind() {
	case parse.String:
		text, _ := n.Str()
		s.text(name, text, n.Pointer)
	case parse.Array:
		var whole map[int]bool
		texts := 0
		for i, item := range n.Items() {
			if item.Kind() == parse.String {
				texts++
			}
			before := len(s.found) + s.more
			if s.node(name, item); len(s.found)+s.more > before {
				if whole == nil {
					whole = map[int]bool{}
				}
				whole[i] = true
			}
		}
		if texts > 1 {
			s.list(n, whole)
		}
	case parse.Object:
		label := labelOf(n)
		key := n.Get("kty").Kind() == parse.String
		for member, value := range n.Members() {
			s.text("", member, value.Pointer)
			if key {
				s.keyMember(member, value)
			}
			if isValueName(member) && label != "" {
				member = label
			}
			s.node(member, value)
		}
	}
}

// keyMember adds a member of a JSON Web Key that only its owner may know (RFC 7518 §6.2.2, §6.3.2,
// §6.4.1; RFC 8037 §2). Its value alone does not reveal that it is a secret.
func (s *secrets) keyMember(member string, value parse.Node) {
	switch member {
	case "d", "p", "q", "dp", "dq", "qi", "k":
		if words, ok := value.Str(); ok && words != "" {
			at := leak{rule: ruleKeyMember, field: member}
			if len(s.found) < maxSecretNotes {
				at.pointer, _ = text.Clean(value.Pointer(), false, maxLine)
			}
			s.add(at, words)
		}
	case "oth":
		for _, prime := range value.Items() {
			for _, name := range []string{"r", "d", "t"} {
				if n := prime.Get(name); n.Exists() {
					s.keyMember("d", n)
				}
			}
		}
	}
}

// ruleKeyMember is the name that text.secret uses for a private member of a key.
const ruleKeyMember = "private-key"

// maxPiece is the longest text of a list that may be a piece of a secret.
const maxPiece = 256

// list searches the texts of a list as one, because a secret may be divided among neighbours. whole
// contains the texts that contain a secret of their own.
func (s *secrets) list(n parse.Node, whole map[int]bool) {
	var all strings.Builder
	var pieces []string
	var pointers []func() string
	search := func() {
		if len(pieces) > 1 {
			s.divided(all.String(), pieces, pointers)
		}
		all.Reset()
		pieces, pointers = nil, nil
	}
	for i, item := range n.Items() {
		piece, ok := item.Str()
		if piece, _ = text.Clean(piece, true, 0); !ok || whole[i] || len(piece) > maxPiece || strings.Contains(piece, " ") {
			search()
			continue
		}
		all.WriteString(piece)
		pieces, pointers = append(pieces, piece), append(pointers, item.Pointer)
	}
	search()
}

// divided adds the parts of secrets that extend over several pieces.
func (s *secrets) divided(all string, pieces []string, pointers []func() string) {
	found := secret.Find("", all)
	start := 0
	for i, piece := range pieces {
		end := start + len(piece)
		for len(found) > 0 && found[0].End <= start {
			found = found[1:]
		}
		if len(found) == 0 {
			return
		}
		f := found[0]
		from, to := max(f.Start, start), min(f.End, end)
		if from < to && (f.Start < start || f.End > end) {
			at := leak{rule: f.Rule}
			if len(s.found) < maxSecretNotes {
				at.pointer, _ = text.Clean(pointers[i](), false, maxLine)
			}
			s.add(at, all[from:to])
		}
		start = end
	}
}

// labelOf returns the name that an object gives in one member to the value in another: {"name":
// "X-API-Key", "value": "…"}.
func labelOf(n parse.Node) string {
	for _, name := range []string{"name", "key", "header"} {
		if label, ok := n.Get(name).Str(); ok {
			return label
		}
	}
	return ""
}

func isValueName(name string) bool {
	return strings.EqualFold(name, "value") || strings.EqualFold(name, "default") || strings.EqualFold(name, "example")
}

// text searches one text of JSON.
func (s *secrets) text(name, words string, pointer func() string) {
	words, _ = text.Clean(words, true, 0)
	for _, f := range secret.Find(name, words) {
		at := leak{rule: f.Rule, field: name}
		if len(s.found) < maxSecretNotes {
			at.pointer, _ = text.Clean(pointer(), false, maxLine)
		}
		s.add(at, words[f.Start:f.End])
	}
}

// minMarked is the length of the shortest secret that is searched for elsewhere by its value.
// Shorter ones are parts of other words.
const minMarked = 8

// maxMarked bounds the secrets that are searched for elsewhere. A document with more consists of
// secrets, and each is found again by its form.
const maxMarked = 1000

// add stores little of each secret, because a document may contain thousands.
func (s *secrets) add(at leak, value string) {
	s.rules[at.rule] = true
	if len(s.found) < maxSecretNotes {
		s.found = append(s.found, at)
	} else {
		s.more++
	}
	if len(value) >= minMarked && len(s.values) < maxMarked {
		s.values[strings.Clone(value)] = at.rule
	}
}

// redact removes the document's secrets, and all others, from a text. name is the name of the text.
// rules are the rules that the search of the document has not reported.
func (s *secrets) redact(name, text string) (clean string, rules []string) {
	if s != nil {
		text = s.marks.Replace(text)
	}
	clean, found := secret.Redact(name, text)
	return clean, slices.DeleteFunc(found, s.has)
}

// redactURL is redact for a URL; the result is a URL as well.
func (s *secrets) redactURL(ref string) (clean string, rules []string) {
	if s != nil {
		ref = s.marks.Replace(ref)
	}
	clean, found := secret.RedactURL(ref)
	return clean, slices.DeleteFunc(found, s.has)
}

func (s *secrets) has(rule string) bool {
	return s != nil && s.rules[rule]
}

// maxSecretNotes bounds the diagnostics about one document.
const maxSecretNotes = 16

// diagnostics returns the places of the secrets without quoting them.
func (s *secrets) diagnostics(source string) []wayfind.Diagnostic {
	if s == nil {
		return nil
	}
	var list []wayfind.Diagnostic
	for _, f := range s.found {
		where := ""
		if f.field != "" {
			field, _ := text.Clean(f.field, false, maxField)
			field, _ = s.redact("", field)
			where = fmt.Sprintf(" of the field %q", field)
		}
		d := ruleTextSecret.Diagnostic(source, "a likely secret (%s) was taken out%s; every reader of the document has it", f.rule, where)
		d.Pointer, _ = s.redact("", f.pointer)
		d.Line = f.line
		list = append(list, d)
	}
	if s.more > 0 {
		list = append(list, ruleTextSecret.Diagnostic(source, "%d more secrets were taken out", s.more))
	}
	return list
}

// maxField bounds the name of a field in a diagnostic.
const maxField = 64

// error removes secrets from an error, because its text may quote the document.
func (s *secrets) error(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return s.cause(err)
	}
	own := *e
	own.URL, _ = s.redactURL(e.URL)
	own.Err = s.cause(e.Err)
	if own.URL == e.URL && own.Err == e.Err {
		return err
	}
	return &own
}

// cause returns err itself, unless its text contains a secret.
func (s *secrets) cause(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean, _ := s.redact("", text); clean != text {
		return errors.New(clean)
	}
	return err
}

// CleanError removes likely secrets from an error that quotes no document, for example an error of
// a connection or a prober.
func CleanError(err error) error { return (*secrets)(nil).error(err) }
