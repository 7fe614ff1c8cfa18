package parsetest

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// checker collects the laws that a format breaks on one document.
type checker struct {
	format   *parse.Format
	doc      Doc
	problems []string
}

func (c *checker) fail(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// checkFormat checks a format's description of itself.
func checkFormat(f *parse.Format) []string {
	c := &checker{format: f}
	if f.Name == "" || strings.Trim(f.Name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		c.fail("Name %q: want lower-case letters and digits", f.Name)
	}
	if f.Spec.Title == "" {
		c.fail("Spec has no Title")
	}
	if f.Match == nil || f.Parse == nil {
		c.fail("Match and Parse are required")
	}
	c.problems = append(c.problems, checkRules(f)...)
	paths := make(map[string]bool)
	for _, l := range f.Locations {
		paths[l.Path] = true
	}
	for _, name := range f.Fields {
		if name != http.CanonicalHeaderKey(name) {
			c.fail("Fields: %q is %q in canonical form", name, http.CanonicalHeaderKey(name))
		}
	}
	for _, l := range f.Locations {
		if !strings.HasPrefix(l.Path, "/") {
			c.fail("location %q: want an absolute path", l.Path)
		}
		if l.After != "" && (!paths[l.After] || l.After == l.Path) {
			c.fail("location %q comes after %q, which is not another location", l.Path, l.After)
		}
	}
	return c.problems
}

// outcome is everything that a format returns for a document.
type outcome struct {
	Claim         parse.Claim
	Parse, Detail result
}

// result is the result of Parse or Detail. Errors are compared by their text, because their
// causes may contain pointers.
type result struct {
	Reading *parse.Reading
	Err     string
}

// document checks all laws on one document. It reads the document once, and then twice at the
// same time through one shared Input.
func (c *checker) document() {
	alone := c.once()
	body := bytes.Clone(c.doc.Body)
	in, err := input(c.doc, body)
	if err != nil || len(c.problems) > 0 {
		return
	}
	var outcomes [2]outcome
	var checkers [2]checker
	var wg sync.WaitGroup
	for i := range outcomes {
		checkers[i] = checker{format: c.format, doc: c.doc}
		wg.Go(func() { outcomes[i] = checkers[i].read(in) })
	}
	wg.Wait()
	for i, o := range outcomes {
		c.problems = append(c.problems, checkers[i].problems...)
		if !reflect.DeepEqual(o, alone) {
			c.fail("not deterministic: the same document gave\n\t%+v\nand\n\t%+v", alone, o)
		}
	}
}

// once reads a document with a new Input and checks the result.
func (c *checker) once() outcome {
	body := bytes.Clone(c.doc.Body)
	in, err := input(c.doc, body)
	if err != nil {
		c.fail("Doc.URL: %v", err)
		return outcome{}
	}
	same, _ := input(c.doc, nil)
	o := c.read(in)
	switch {
	case !bytes.Equal(body, c.doc.Body) || !bytes.Equal(in.Body, c.doc.Body):
		c.fail("Input.Body was modified")
	case !reflect.DeepEqual(in.URL, same.URL) || !reflect.DeepEqual(in.FinalURL, same.FinalURL):
		c.fail("a URL of the Input was modified")
	case in.MediaType != same.MediaType || !reflect.DeepEqual(in.Header, same.Header):
		c.fail("MediaType or Header of the Input was modified")
	}
	for _, r := range []*parse.Reading{o.Parse.Reading, o.Detail.Reading} {
		if r != nil {
			c.reading(r, in)
		}
	}
	if o.Claim.Aside {
		c.aside(o.Parse)
	}
	return o
}

// aside checks a reading of a document that is claimed as Aside: it only links to other
// documents.
func (c *checker) aside(read result) {
	r := read.Reading
	switch {
	case r == nil:
		c.fail("Parse: a document claimed as Aside is an error: %s", read.Err)
	case len(r.Services)+len(r.Signatures) > 0 || r.Domain != "" || r.Confidence != nil || r.Unusable != "":
		c.fail("Parse: a document claimed as Aside may only have Links, Documents and Policies, got %+v", r)
	default:
		for _, l := range r.Links {
			if !slices.ContainsFunc(r.Documents, func(d wayfind.Document) bool { return slices.Contains(l.URLs, d.URL) }) {
				c.fail("Parse: the link to %q is aside, but it is not in Documents", l.URLs)
			}
		}
	}
}

// read calls all functions of the format. It calls Parse and Detail even if Match claims
// nothing, because a caller may name the format.
func (c *checker) read(in *parse.Input) (o outcome) {
	if c.format.Match == nil || c.format.Parse == nil {
		c.fail("Match and Parse are required")
		return o
	}
	c.guard("Match", func() { o.Claim = c.format.Match(in) })
	c.claim(o.Claim)
	o.Parse = c.result("Parse", func() (*parse.Reading, error) { return c.format.Parse(in) })
	if c.format.Detail != nil {
		o.Detail = c.result("Detail", func() (*parse.Reading, error) {
			return c.format.Detail(in, parse.Subject{})
		})
	}
	return o
}

// claim checks the result of Match.
func (c *checker) claim(claim parse.Claim) {
	if claim.Level < parse.None || claim.Level > parse.Exact {
		c.fail("Match: Level %d, want None, Likely or Exact", claim.Level)
	}
	if claim.Aside && (claim.Level != parse.None || claim.Other || claim.Negative || len(c.format.Fields) == 0 && !c.format.Aside()) {
		c.fail("Match: Aside requires Level None, neither Other nor Negative, and Format.Fields, got %+v", claim)
	}
	if claim.Other && (claim.Level != parse.None || claim.Dialect == "") {
		c.fail("Match: Other requires Level None and the kind of document in Dialect, got %+v", claim)
	}
	if claim.Level == parse.Exact && claim.Dialect == parse.DialectDetail {
		c.fail("Match: a detail document must be Likely, never Exact")
	}
}

// result calls Parse or Detail and checks the form of the result.
func (c *checker) result(name string, call func() (*parse.Reading, error)) (r result) {
	var err error
	if !c.guard(name, func() { r.Reading, err = call() }) {
		return result{}
	}
	if err == nil {
		if r.Reading == nil {
			c.fail("%s returned neither a Reading nor an error", name)
		}
		return r
	}
	r.Err = err.Error()
	if r.Reading != nil {
		c.fail("%s returned both a Reading and an error", name)
	}
	typed, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok:
		c.fail("%s: error is a %T, want *wayfind.Error: %v", name, err, err)
	case typed.Op == "" || typed.Kind == nil || typed.Code == "":
		c.fail("%s: error without Op, Kind or Code: %+v", name, typed)
	}
	return r
}

// guard reports a panic of call.
func (c *checker) guard(name string, call func()) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			c.fail("%s panicked: %v\n%s", name, v, debug.Stack())
			ok = false
		}
	}()
	call()
	return true
}
