package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxDepth is the largest depth of nesting of a configuration.
const maxDepth = 200

// errSyntax is the error of a text that is not JSON, even with comments and trailing commas
// allowed.
var errSyntax = errors.New("it is no JSON")

// cursor reads JSON with comments and trailing commas, as editors write it.
type cursor struct {
	text []byte
	at   int
}

// blank skips blanks and comments.
func (c *cursor) blank() error {
	for c.at < len(c.text) {
		rest := c.text[c.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			c.at++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			c.at += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return errSyntax
			}
			c.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

// next skips blanks and comments, and returns the next byte, or 0 at the end.
func (c *cursor) next() (byte, error) {
	if err := c.blank(); err != nil || c.at >= len(c.text) {
		return 0, err
	}
	return c.text[c.at], nil
}

// scalar skips a string, a number or a literal.
func (c *cursor) scalar() error {
	begin := c.at
	if c.text[c.at] == '"' {
		for c.at++; c.at < len(c.text) && c.text[c.at] != '"'; c.at++ {
			if c.text[c.at] == '\\' {
				c.at++
			}
		}
		c.at = min(c.at+1, len(c.text))
	} else {
		for c.at < len(c.text) && !strings.ContainsRune(" \t\r\n,:]}/\"", rune(c.text[c.at])) {
			c.at++
		}
	}
	if !json.Valid(c.text[begin:c.at]) {
		return errSyntax
	}
	return nil
}

// part is a member of an object or an item of an array.
type part struct {
	name       string
	begin, end int // offsets of the value
}

// whole is a value with its parts.
type whole struct {
	parts      []part
	begin, end int
	comma      bool // whether a comma follows the last part
}

// value reads the next value.
func (c *cursor) value(depth int) (w whole, err error) {
	first, err := c.next()
	w.begin = c.at
	switch {
	case err != nil || first == 0 || depth > maxDepth:
		return w, cmpError(err)
	case first != '{' && first != '[':
		err = c.scalar()
		w.end = c.at
		return w, err
	}
	c.at++
	for {
		if first, err = c.next(); err != nil || first == 0 {
			return w, cmpError(err)
		}
		if first == '}' || first == ']' {
			c.at++
			w.end = c.at
			if (first == '}') != (c.text[w.begin] == '{') {
				return w, errSyntax
			}
			return w, nil
		}
		if len(w.parts) > 0 && !w.comma {
			return w, errSyntax
		}
		if err = c.part(&w, depth); err != nil {
			return w, err
		}
	}
}

func cmpError(err error) error {
	if err != nil {
		return err
	}
	return errSyntax
}

// part reads a member or an item, and the comma after it.
func (c *cursor) part(w *whole, depth int) error {
	var p part
	if c.text[w.begin] == '{' {
		begin := c.at
		if c.text[begin] != '"' || c.scalar() != nil || json.Unmarshal(c.text[begin:c.at], &p.name) != nil {
			return errSyntax
		}
		if colon, err := c.next(); err != nil || colon != ':' {
			return errSyntax
		}
		c.at++
	}
	own, err := c.value(depth + 1)
	if err != nil {
		return err
	}
	p.begin, p.end = own.begin, own.end
	w.parts = append(w.parts, p)
	after, err := c.next()
	if w.comma = after == ','; w.comma {
		c.at++
	}
	return err
}

// read reads a whole document, which is an object.
func read(text []byte) (whole, error) {
	c := &cursor{text: text}
	w, err := c.value(0)
	if err != nil || text[w.begin] != '{' {
		return w, errSyntax
	}
	if end, err := c.next(); err != nil || end != 0 {
		return w, errSyntax
	}
	return w, nil
}

// member returns the member of an object with a name, or nil if there is none. It returns an error
// if there are two.
func (w *whole) member(name string) (*part, error) {
	is := func(p part) bool { return p.name == name }
	i := slices.IndexFunc(w.parts, is)
	if i < 0 {
		return nil, nil
	}
	if slices.ContainsFunc(w.parts[i+1:], is) {
		return nil, fmt.Errorf("it has %q twice", name)
	}
	return &w.parts[i], nil
}

// setMember sets the member at a path to a value, and adds the objects on the path that are
// missing.
func setMember(text []byte, path []string, value any) ([]byte, error) {
	w, err := read(text)
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		p, err := w.member(name)
		if err != nil {
			return nil, err
		}
		last := i == len(path)-1
		if p == nil {
			for _, inner := range slices.Backward(path[i+1:]) {
				value = map[string]any{inner: value}
			}
			return insert(text, w, i+1, name, value), nil
		}
		if last {
			return slices.Concat(text[:p.begin], indented(value, indentOf(text, w, i+1)), text[p.end:]), nil
		}
		if text[p.begin] != '{' {
			return nil, fmt.Errorf("its %q is no object", name)
		}
		c := &cursor{text: text, at: p.begin}
		if w, err = c.value(i + 1); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// addItem adds an item to an array of the document, unless an item has its ID.
func addItem(text []byte, name, id string, item any) ([]byte, error) {
	w, err := read(text)
	if err != nil {
		return nil, err
	}
	p, err := w.member(name)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return insert(text, w, 1, name, []any{item}), nil
	}
	c := &cursor{text: text, at: p.begin}
	list, err := c.value(1)
	if err != nil || text[p.begin] != '[' {
		return nil, fmt.Errorf("its %q is no array", name)
	}
	for _, old := range list.parts {
		own := &cursor{text: text, at: old.begin}
		object, err := own.value(2)
		if err != nil {
			return nil, err
		}
		if has, err := object.member("id"); err == nil && has != nil && string(text[has.begin:has.end]) == quoted(id) {
			return text, nil
		}
	}
	return insert(text, list, 2, "", item), nil
}

// insert adds a last part to an object or an array.
func insert(text []byte, w whole, depth int, name string, value any) []byte {
	indent := indentOf(text, w, depth)
	if name != "" {
		name = quoted(name) + ": "
	}
	before := bytes.TrimRight(text[:w.end-1], " \t\r\n")
	if n := len(w.parts); n > 0 && !w.comma {
		before = slices.Concat(text[:w.parts[n-1].end], []byte(","), before[w.parts[n-1].end:])
	}
	outer := indent[:max(0, len(indent)-len(unit(indent)))]
	return slices.Concat(before, []byte("\n"+indent+name), indented(value, indent), []byte("\n"+outer), text[w.end-1:])
}

// unit returns one step of an indentation.
func unit(indent string) string {
	if strings.HasPrefix(indent, "\t") {
		return "\t"
	}
	return "  "
}

// indentOf returns the indentation of the parts of a value.
func indentOf(text []byte, w whole, depth int) string {
	if len(w.parts) > 0 {
		line := text[bytes.LastIndexByte(text[:w.parts[0].begin], '\n')+1:]
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if w.begin < len(text)-len(line) {
			return string(indent)
		}
	}
	return strings.Repeat("  ", depth)
}

// indented returns a value as indented JSON. Its first line is not indented.
func indented(value any, indent string) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(quoted(value)), indent, unit(indent)); err != nil {
		return []byte(quoted(value))
	}
	return b.Bytes()
}
