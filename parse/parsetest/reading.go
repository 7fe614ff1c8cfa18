package parsetest

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/parse"
)

// maxMessage is the longest message of a diagnostic.
const maxMessage = 512

// reading checks a format's reading of a document.
func (c *checker) reading(r *parse.Reading, in *parse.Input) {
	for _, d := range r.Diagnostics {
		c.diagnostic(d, in)
	}
	for i := range r.Services {
		for j, capability := range r.Services[i].Capabilities {
			if capability.ID == "" {
				c.fail("Services[%d].Capabilities[%d] has no ID", i, j)
			}
			for _, difference := range disagreements(&capability) {
				c.fail("Services[%d].Capabilities[%d] %s", i, j, difference)
			}
		}
	}
	for i, l := range r.Links {
		if len(l.URLs) == 0 || slices.Contains(l.URLs, "") || l.Role == "" {
			c.fail("Links[%d] requires URLs and a Role: %+v", i, l)
		}
	}
	c.walk("Reading", reflect.ValueOf(r), in)
}

// disagreements returns the differences between the arguments of Input and those of Params, for a call over
// plain HTTP: a model is shown Input, and only Params say where an argument goes.
func disagreements(c *wayfind.Capability) (list []string) {
	if c.Invocation == nil || c.Invocation.Protocol != "http" || len(c.Input) == 0 {
		return nil
	}
	root, err := (&parse.Input{Body: c.Input}).JSON()
	if err != nil {
		return nil // said elsewhere
	}
	takes := func(name string) bool {
		return slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return cmp.Or(p.Argument, p.Name) == name })
	}
	properties := root.Get("properties")
	for name := range properties.Members() {
		if name != "" && !takes(name) { // no call can send "", and there is no place for it
			list = append(list, "has the argument "+strconv.Quote(name)+" in Input, and no parameter that has its place: it is never sent")
		}
	}
	asked := make(map[string]bool)
	required := root.Get("required")
	for i := range required.Len() {
		name, _ := required.Index(i).Str()
		if asked[name] = true; name != "" && !properties.Get(name).Exists() && !takes(name) {
			list = append(list, "requires the argument "+strconv.Quote(name)+" in Input, which describes none, and no parameter has its place: no arguments satisfy it")
		}
	}
	if closed, isBool := root.Get("additionalProperties").Bool(); properties.Exists() || isBool && !closed {
		for _, p := range c.Params {
			name := cmp.Or(p.Argument, p.Name)
			if needed := p.In == "path" || p.Required != nil && *p.Required; needed && !properties.Get(name).Exists() && (!asked[name] || isBool && !closed) {
				list = append(list, "requires the parameter "+strconv.Quote(name)+", which Input does not have: no model gives it")
			}
		}
	}
	return list
}

// diagnostic checks one finding.
func (c *checker) diagnostic(d wayfind.Diagnostic, in *parse.Input) {
	prefix, name, _ := strings.Cut(d.Code, ".")
	if name == "" || prefix != c.format.Name && !slices.Contains(formattest.Areas(), prefix) {
		c.fail("diagnostic code %q: want %q", d.Code, c.format.Name+".<name>")
	}
	if len(c.format.Rules) > 0 && prefix == c.format.Name && !explained(c.format, name) {
		c.fail("diagnostic %s: no rule explains it", d.Code)
	}
	switch {
	case !slices.Contains(severities(), d.Severity):
		c.fail("diagnostic %s: severity %q", d.Code, d.Severity)
	case prefix == c.format.Name && graver(c.format, name, d.Severity):
		c.fail("diagnostic %s: severity %q is graver than the severity of its rule", d.Code, d.Severity)
	}
	if d.Message == "" || len(d.Message) > maxMessage || strings.ContainsAny(d.Message, "\r\n") {
		c.fail("diagnostic %s: want a message of one line and at most %d bytes, got %q", d.Code, maxMessage, d.Message)
	}
	if d.Spec == nil || d.Spec.Title == "" {
		c.fail("diagnostic %s: no Spec", d.Code)
	}
	c.place("diagnostic "+d.Code, d.Pointer, d.Line, in)
}

// place checks that a pointer or line exists in the document.
func (c *checker) place(what, pointer string, line int, in *parse.Input) {
	if lines := bytes.Count(in.Body, []byte("\n")) + 1; line < 0 || line > lines {
		c.fail("%s: line %d of a document with %d lines", what, line, lines)
	}
	if pointer == "" {
		return
	}
	root, err := in.Tree()
	switch {
	case err != nil:
		c.fail("%s: pointer %q into a document that is not JSON", what, pointer)
	case !follow(root, pointer).Exists():
		c.fail("%s: pointer %q leads nowhere", what, pointer)
	}
}

// follow evaluates a JSON pointer (RFC 6901 §4).
func follow(n parse.Node, pointer string) parse.Node {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return parse.Node{}
	}
	for token := range strings.SplitSeq(rest, "/") {
		if n.Kind() == parse.Array {
			i, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(i) != token {
				return parse.Node{}
			}
			n = n.Index(i)
			continue
		}
		n = n.Get(reftoken.Unescape(token))
	}
	return n
}

// walk checks each value of a reading, in all fields of the model.
func (c *checker) walk(path string, v reflect.Value, in *parse.Input) {
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case wayfind.Ref:
			c.place(path, x.Pointer, x.Line, in)
		case parse.Raw:
			c.raw(path, x)
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			c.fail("%s: text is not UTF-8: %q", path, v.String())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.walk(path, v.Elem(), in)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			c.walk(path+"["+strconv.Itoa(i)+"]", v.Index(i), in)
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			c.walk(path+"[key]", key, in)
			c.walk(path+"["+key.String()+"]", value, in)
		}
	case reflect.Struct:
		c.fields(path, v, in)
	}
}

// fields walks a struct and checks fields that it knows by name.
func (c *checker) fields(path string, v reflect.Value, in *parse.Input) {
	for field, value := range v.Fields() {
		if !field.IsExported() {
			continue
		}
		if p, ok := value.Interface().(*float64); ok && field.Name == "Confidence" && p != nil && !(*p >= 0 && *p <= 1) {
			c.fail("%s.Confidence is %v, want 0 to 1", path, *p)
		}
		c.walk(path+"."+field.Name, value, in)
	}
}

// raw checks that a JSON text is one valid value.
func (c *checker) raw(path string, raw parse.Raw) {
	if raw == nil {
		return
	}
	if _, err := (&parse.Input{Body: raw}).JSON(); err != nil {
		c.fail("%s is not JSON: %v", path, err)
	}
}
