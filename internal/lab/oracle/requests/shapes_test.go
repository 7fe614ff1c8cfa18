package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// operation is an operation as operations.mjs reads it.
type operation struct {
	Path, Method string
	Shapes       []string
	Keys         []slot
	Parameters   []slot
	Bodies       map[string][]string // the members of the body, by media type
}

type slot struct{ In, Name string }

// share is the result for one shape of requests.
type share struct {
	operations, skipped, right, requests int
	arguments, offered                   int
	wrong                                []string
}

// mostWrong is the share of operations whose requests may be wrong, in percent.
const mostWrong = 5

// notOffered are the arguments that no definition offers, with the reason.
func notOffered() map[slot]string {
	return map[slot]string{
		{"header", "idempotency-key"}: "the program sets it",
		{"header", "content-md5"}:     "the client sets the fields that describe a body",
	}
}

// Each operation of the published descriptions is a tool or is named in Box.Skipped. Of the operations whose
// request has more than JSON, at least 95 % are right: the builders write the same request for each example,
// swagger-client puts keys in the same places, and qs reads the given values from nested fields. Each published
// argument is offered, or is one of notOffered. Without WAYFIND_REQUESTS=all one description is read.
func TestOperationsOfEachShapeAreRight(t *testing.T) {
	npmFolder(t)
	files := slices.DeleteFunc(files(t), func(file string) bool {
		return filepath.Dir(file) != golden.APIs(t) || !everything() && filepath.Base(file) != "box.json"
	})
	var input bytes.Buffer
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&input, `{"file":%q}`+"\n", file)
	}
	x := &shapes{rules: newLedger(t).rules, shares: make(map[string]*share), of: make(map[*example][]string), bad: make(map[string]string), values: make(map[string]int)}
	for i, operations := range lines[[]operation](t, "operations.mjs", &input, len(files)) {
		x.document(t, read(t, files[i]), operations)
	}
	x.judge(t)
	x.check(t)
}

// shapes judges the operations by the shapes of their requests.
type shapes struct {
	rules     map[string]string // the side that is right, by rule
	shares    map[string]*share
	list      []*example
	of        map[*example][]string
	bad       map[string]string // the operations that are not right, with the reason
	all       []string          // the operations with one of the shapes, each with its shapes
	named     int               // operations that are no tool
	missing   int               // arguments that are not offered, of all published ones
	published int
	answered  int // by qs
	values    map[string]int
}

// document collects the operations of a description.
func (x *shapes) document(t *testing.T, d *document, operations []operation) {
	t.Helper()
	byPlace, skipped := d.places(t)
	for _, op := range operations {
		name := fmt.Sprintf("%s\t%s %s", d.name, op.Method, op.Path)
		hard := slices.DeleteFunc(slices.Clone(op.Shapes), func(s string) bool { return s == "json" })
		tool, reason := byPlace[op.Method+" "+op.Path], skipped[op.Method+" "+op.Path]
		if tool == nil && reason == "" {
			t.Errorf("%s is neither a tool nor named", name)
		}
		for _, shape := range hard {
			x.share(shape).operations++
			if tool == nil {
				x.share(shape).skipped++
			}
		}
		if tool == nil {
			x.named++
			continue
		}
		x.arguments(t, name, tool, op, hard)
		if len(hard) == 0 {
			continue
		}
		x.all = append(x.all, name+"\t"+strings.Join(hard, ", "))
		for n := range variants {
			e := &example{document: d, tool: tool, variant: n, path: op.Path, method: op.Method}
			if !e.generate(t) {
				continue
			}
			e.preview(t)
			if e.request == nil {
				x.bad[name] = "refused: " + e.refused
				continue
			}
			if n == 0 && len(op.Keys) > 0 {
				x.keys(t, name, e, op.Keys)
			}
			if slices.ContainsFunc(hard, func(s string) bool { return !strings.HasPrefix(s, "key in") }) {
				x.kinds(e.arguments, 0)
				x.list, x.of[e] = append(x.list, e), hard
			} else if n == 1 {
				break // the request is like others, but for its key
			}
		}
	}
}

// kinds counts the values of some kinds.
func (x *shapes) kinds(v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			x.kinds(member, depth+1)
		}
		if depth > 1 {
			x.values["nested"]++
		}
	case []any:
		for _, item := range v {
			x.kinds(item, depth+1)
		}
		if len(v) == 0 {
			x.values["empty"]++
		}
	case string:
		if v == "" {
			x.values["empty"]++
		}
		if strings.ContainsFunc(v, func(c rune) bool { return c >= utf8.RuneSelf }) {
			x.values["not ASCII"]++
		}
	}
}

func (x *shapes) share(shape string) *share {
	if x.shares[shape] == nil {
		x.shares[shape] = &share{}
	}
	return x.shares[shape]
}

// places returns the tools and the reasons of what became none, by method and path.
func (d *document) places(t *testing.T) (byPlace map[string]*tools.Tool, skipped map[string]string) {
	t.Helper()
	byPlace, skipped = make(map[string]*tools.Tool), make(map[string]string)
	for _, listed := range d.box.Tools() {
		tool, err := d.box.Tool(listed.Name)
		if err != nil {
			t.Fatal(err)
		}
		if e := (&example{tool: tool}); e.operation() {
			byPlace[e.method+" "+e.path] = tool
		}
	}
	site, _ := d.client.Peek("shop.example")
	for _, s := range d.box.Skipped() {
		if _, c := site.Capability(s.Key); c != nil {
			if e := (&example{tool: &tools.Tool{Capability: c}}); e.operation() {
				skipped[e.method+" "+e.path] = s.Reason
			}
		}
	}
	return byPlace, skipped
}

// arguments compares the arguments of a definition with the published ones.
func (x *shapes) arguments(t *testing.T, name string, tool *tools.Tool, op operation, hard []string) {
	t.Helper()
	raw, err := tool.Schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := decode(raw, &root); err != nil {
		t.Fatal(err)
	}
	g := &generator{root: root}
	props, _ := g.resolved(root, 0)["properties"].(map[string]any)
	has := make(map[slot]bool)
	for _, p := range tool.Capability.Params {
		schema, ok := props[argument(&p)]
		if has[slot{p.In, p.Name}] = ok; ok && p.In == "body" && p.Whole {
			for _, member := range members(g, schema, 0) {
				has[slot{"body", member}] = true
			}
		}
	}
	wanted := slices.Clone(op.Parameters)
	for _, member := range op.Bodies[tool.Capability.Invocation.ContentType] {
		wanted = append(wanted, slot{"body", member})
	}
	for _, w := range wanted {
		ok := has[w] || w.In == "header" && slices.ContainsFunc(slices.Collect(maps.Keys(has)), func(s slot) bool { return s.In == "header" && has[s] && strings.EqualFold(s.Name, w.Name) })
		if x.published++; !ok {
			x.missing++
			if notOffered()[slot{w.In, strings.ToLower(w.Name)}] == "" {
				t.Errorf("%s: the argument %s (%s) is not offered", name, w.Name, w.In)
			}
		}
		for _, shape := range hard {
			if x.share(shape).arguments++; ok {
				x.share(shape).offered++
			}
		}
	}
}

// members returns the names of the members of an object, of all its parts and alternatives.
func members(g *generator, schema any, depth int) (list []string) {
	s := g.resolved(schema, 0)
	if s == nil || depth > 6 {
		return nil
	}
	props, _ := s["properties"].(map[string]any)
	list = slices.Collect(maps.Keys(props))
	for _, word := range []string{"oneOf", "anyOf"} {
		alternatives, _ := s[word].([]any)
		for _, one := range alternatives {
			list = append(list, members(g, one, depth+1)...)
		}
	}
	return list
}

// keys compares the places of the keys, for a caller that has keys and no other credential.
func (x *shapes) keys(t *testing.T, name string, e *example, want []slot) {
	t.Helper()
	p, err := e.document.keyed.DryRun(t.Context(), e.document.box, e.tool.Name, marshal(t, e.arguments))
	if err != nil {
		x.bad[name] = err.Error()
		return
	}
	var got []slot
	for _, c := range p.Request.Credentials {
		if c.In == "header" {
			c.Name = strings.ToLower(http.CanonicalHeaderKey(c.Name))
		}
		got = append(got, slot{c.In, c.Name})
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			x.bad[name] = fmt.Sprintf("the key is in %v, want %v", got, want)
		}
	}
}

// judge gives the examples to the builders.
func (x *shapes) judge(t *testing.T) {
	t.Helper()
	judged := make(map[string]bool)
	for i, answer := range build(t, x.list) {
		e := x.list[i]
		for builder, b := range answer {
			if b.Error != "" {
				continue
			}
			judged[e.String()] = true
			for _, part := range e.differences(b) {
				if right := x.rules[decides(e, builder, b, part)]; right == "" || right == "builder" {
					x.bad[e.String()] = fmt.Sprintf("%s: %s\n  %s", builder, part, e.sent())
				}
			}
		}
		for _, shape := range x.of[e] {
			x.share(shape).requests++
		}
	}
	x.nested(t)
	for _, e := range x.list {
		if !judged[e.String()] && x.bad[e.String()] == "" {
			x.bad[e.String()] = "no builder"
		}
	}
	for _, row := range x.all {
		name, list := row[:strings.LastIndex(row, "\t")], row[strings.LastIndex(row, "\t")+1:]
		for shape := range strings.SplitSeq(list, ", ") {
			if why := x.bad[name]; why != "" {
				x.share(shape).wrong = append(x.share(shape).wrong, name+": "+why)
			} else {
				x.share(shape).right++
			}
		}
	}
}

// nested compares the fields of forms and of the style deepObject with what qs reads.
func (x *shapes) nested(t *testing.T) {
	t.Helper()
	type reading struct {
		e    *example
		want map[string]any
	}
	var input bytes.Buffer
	var list []reading
	add := func(e *example, text string, values any) {
		members, _ := values.(map[string]any)
		if want, ok := asTexts(members).(map[string]any); ok && len(want) > 0 {
			list = append(list, reading{e, want})
			fmt.Fprintf(&input, `{"query":%q}`+"\n", text)
		}
	}
	for _, e := range x.list {
		if _, query, ok := strings.Cut(e.request.URL, "?"); ok {
			deep := make(map[string]any)
			for _, p := range e.tool.Capability.Params {
				if v, given := e.arguments[argument(&p)]; given && p.In == "query" && p.Style == "deepObject" {
					deep[p.Name] = v
				}
			}
			add(e, query, deep)
		}
		if strings.HasPrefix(e.request.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			add(e, string(e.request.Body), e.values()["body"])
		}
	}
	for i, got := range lines[map[string]any](t, "operations.mjs", &input, len(list)) {
		r := list[i]
		for name, want := range r.want {
			if !same(one(got[name]), one(want)) {
				x.bad[r.e.String()] = fmt.Sprintf("qs reads %q as %v, want %v\n  %s", name, got[name], want, r.e.sent())
			}
		}
	}
	x.answered = len(list)
}

// asTexts returns a value as a form has it: its texts, without nulls and lists without items.
func asTexts(v any) any {
	switch v := v.(type) {
	case []any:
		var out []any
		for _, item := range v {
			if text := asTexts(item); text != nil {
				out = append(out, text)
			}
		}
		if out == nil {
			return nil
		}
		return out
	case map[string]any:
		out := make(map[string]any)
		for name, item := range v {
			if text := asTexts(item); text != nil {
				out[name] = text
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case nil:
		return nil
	case string:
		return v
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// one returns the only item of a list: a form has no lists of one item.
func one(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		return list[0]
	}
	return v
}

// check reports the shares.
func (x *shapes) check(t *testing.T) {
	t.Helper()
	for _, shape := range slices.Sorted(maps.Keys(x.shares)) {
		s := x.shares[shape]
		tools := s.operations - s.skipped
		t.Logf("%s: %d operations, %d named in Skipped, %d of %d tools right, %d requests judged by builders, %d of %d arguments offered", shape, s.operations, s.skipped, s.right, tools, s.requests, s.offered, s.arguments)
		for _, why := range s.wrong {
			t.Logf("%s: %s", shape, why)
		}
		if (len(s.wrong) > 0 || everything()) && (s.operations-s.right)*100 > mostWrong*s.operations {
			t.Errorf("%s: only %d of %d operations are right", shape, s.right, s.operations)
		}
	}
	t.Logf("%d operations are named in Skipped, %d of %d arguments are offered; qs read %d queries and forms; values: %v", x.named, x.published-x.missing, x.published, x.answered, x.values)
	for _, kind := range []string{"nested", "empty", "not ASCII"} {
		if x.values[kind] == 0 {
			t.Errorf("no value is %s", kind)
		}
	}
}
