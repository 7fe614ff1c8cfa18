package requests

import (
	"encoding/json"
	"fmt"
	"mime"
	"mime/multipart"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// built is a request of a builder, or its error.
type built struct {
	Error, Method, URL string
	Headers            map[string]string
	Pairs              [][]any
	Body               *string
}

// differences returns the parts in which a built request differs from wayfind's request.
func (e *example) differences(b *built) (parts []string) {
	add := func(part string, same bool) {
		if !same {
			parts = append(parts, part)
		}
	}
	add("method", strings.EqualFold(b.Method, e.request.Method))
	ours, theirs := address(e.request.URL), address(b.URL)
	for _, c := range e.request.Credentials {
		if c.In == "query" {
			ours.drop(c.Name)
		}
	}
	add("url", ours.place == theirs.place && slices.Equal(ours.segments, theirs.segments))
	add("query", slices.Equal(ours.query, theirs.query))
	for _, p := range e.tool.Capability.Params {
		if _, given := e.arguments[argument(&p)]; given && p.In == "header" {
			add("header "+p.Name, e.request.Header.Get(p.Name) == b.Headers[strings.ToLower(p.Name)])
		}
	}
	if e.values()["cookie"] != nil {
		add("cookie", e.request.Header.Get("Cookie") == b.Headers["cookie"])
	}
	add("body", e.sameBody(b))
	return parts
}

// target contains the decoded parts of a URL.
type target struct {
	place    string
	segments []string
	query    []string
}

// address splits a URL. A plus is not decoded: both sides write a space as %20, or the
// difference is reported.
func address(raw string) (a target) {
	rest, fragment, _ := strings.Cut(raw, "#")
	rest, query, _ := strings.Cut(rest, "?")
	scheme, rest, _ := strings.Cut(rest, "://")
	host, path, _ := strings.Cut(rest, "/")
	a.place = scheme + "://" + host + "#" + fragment
	for s := range strings.SplitSeq(path, "/") {
		a.segments = append(a.segments, unescaped(s))
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if pair != "" {
			a.query = append(a.query, unescaped(name)+"="+unescaped(value))
		}
	}
	slices.Sort(a.query)
	return a
}

func unescaped(s string) string {
	if v, err := url.PathUnescape(s); err == nil {
		return v
	}
	return s
}

func (a *target) drop(name string) {
	a.query = slices.DeleteFunc(a.query, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

func (e *example) sameBody(b *built) bool {
	kind, _, _ := mime.ParseMediaType(e.request.Header.Get("Content-Type"))
	switch {
	case e.request.Body == nil:
		return (b.Body == nil || *b.Body == "") && len(b.Pairs) == 0
	case strings.HasSuffix(kind, "json"):
		return b.Body != nil && sameJSON(e.request.Body, []byte(*b.Body))
	case kind == "application/x-www-form-urlencoded":
		return slices.Equal(e.fields(), b.fields())
	case kind == "multipart/form-data":
		return slices.EqualFunc(e.fields(), b.fields(), func(a, b string) bool {
			name, _, _ := strings.Cut(a, "=")
			return a == b || strings.HasSuffix(a, "=(file)") && strings.HasPrefix(b, name+"=")
		})
	}
	return b.Body != nil && *b.Body == string(e.request.Body)
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// fields returns the fields of a form, decoded and sorted.
func fields(body string) (list []string) {
	for pair := range strings.SplitSeq(body, "&") {
		if v, err := url.QueryUnescape(pair); err == nil && pair != "" {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list
}

// fields returns the fields of the form in the body, or the parts of the body.
func (e *example) fields() []string {
	kind, params, _ := mime.ParseMediaType(e.request.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return parts(string(e.request.Body), params["boundary"])
	}
	return fields(string(e.request.Body))
}

// fields returns the fields of a built form.
func (b *built) fields() (list []string) {
	if b.Pairs == nil && b.Body != nil {
		return fields(*b.Body)
	}
	for _, pair := range b.Pairs {
		value, isText := pair[1].(string)
		if !isText {
			raw, err := json.Marshal(pair[1])
			if err != nil {
				return nil
			}
			value = string(raw)
		}
		list = append(list, pair[0].(string)+"="+value)
	}
	slices.Sort(list)
	return list
}

// parts returns the parts of a body. A file has no content.
func parts(body, boundary string) (list []string) {
	form, err := multipart.NewReader(strings.NewReader(body), boundary).ReadForm(1 << 20)
	if err != nil {
		return []string{err.Error()}
	}
	for name, values := range form.Value {
		for _, v := range values {
			list = append(list, name+"="+v)
		}
	}
	for name, of := range form.File {
		for range of {
			list = append(list, name+"=(file)")
		}
	}
	slices.Sort(list)
	return list
}

// String returns a request as text for people.
func (b *built) String() string {
	body := ""
	if b.Body != nil {
		body = *b.Body
	}
	return fmt.Sprintf("%s %s %s %v %.300v %.300s", b.Error, b.Method, b.URL, b.Headers, b.Pairs, body)
}
