package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// example is a call of a tool, with the required arguments or with most of the possible ones.
type example struct {
	document     *document
	tool         *tools.Tool
	variant      int // from 0: the first has only the required arguments; see variants
	arguments    map[string]any
	path, method string
	request      *call.Request
	refused      string
}

// variants is the number of calls for each tool. The last one has values without parts, where the
// schema allows them.
const variants = 4

// String returns the name of an example.
func (e *example) String() string {
	return fmt.Sprintf("%s\t%s %s", e.document.name, e.method, e.path)
}

// examples returns the calls of all tools of a document. without is the number of calls that
// the generator cannot create.
func (d *document) examples(t *testing.T) (list []*example, without int) {
	t.Helper()
	for _, listed := range d.box.Tools() {
		tool, err := d.box.Tool(listed.Name) // with its complete definition
		if err != nil {
			t.Fatal(err)
		}
		for n := range variants {
			e := &example{document: d, tool: tool, variant: n}
			if !e.operation() || !e.generate(t) {
				without++
				continue
			}
			e.preview(t)
			list = append(list, e)
		}
	}
	return list, without
}

// operation reads the path and the method from the pointer of the source.
func (e *example) operation() bool {
	for _, ref := range e.tool.Capability.Sources {
		if steps := strings.Split(ref.Pointer, "/"); len(steps) == 4 && steps[1] == "paths" {
			e.path, e.method = unescape(steps[2]), steps[3]
			return true
		}
	}
	return false
}

// generate creates arguments that are valid by the schema. The seed depends on the operation,
// so that an operation keeps its arguments if other operations are added or removed.
func (e *example) generate(t *testing.T) bool {
	t.Helper()
	raw, err := e.tool.Schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := decode(raw, &root); err != nil {
		t.Fatal(err)
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, e.String(), e.variant)
	random := rand.New(rand.NewPCG(37, sum.Sum64()))
	for range 6 {
		g := &generator{root: root, random: random, full: e.variant > 0}
		if e.argue(g) && e.tool.Schema.Validate(marshal(t, e.arguments), 1_000_000) == nil {
			return true
		}
	}
	return false
}

// argue creates the arguments one by one, because a header field allows less than a body.
func (e *example) argue(g *generator) bool {
	e.arguments = make(map[string]any)
	root := g.resolved(g.root, 0)
	required, _ := root["required"].([]any)
	props, _ := root["properties"].(map[string]any)
	for _, p := range e.tool.Capability.Params {
		name := argument(&p)
		schema, ok := props[name]
		must := slices.Contains(required, any(name))
		if _, had := e.arguments[name]; had || !ok || !must && (!g.full || g.random.IntN(10) > 6) {
			continue
		}
		g.plain = p.In == "header" || p.In == "cookie"
		g.empty = e.variant == variants-1 && p.In != "path" // an empty segment would name another resource
		v, ok := shown(&p)
		if !ok || g.empty {
			v, ok = g.value(schema, 1)
		}
		if ok {
			e.arguments[name] = v
		} else if must {
			return false
		}
	}
	return true
}

// shown returns the document's example for a parameter, if cleaning did not change it.
func shown(p *wayfind.Param) (v any, ok bool) {
	whole := p.Example != nil && !bytes.Contains(p.Example, []byte("[redacted")) && decode(p.Example, &v) == nil
	return v, whole && v != nil && v != ""
}

func argument(p *wayfind.Param) string {
	if p.Argument != "" {
		return p.Argument
	}
	return p.Name
}

// preview sets wayfind's request.
func (e *example) preview(t *testing.T) {
	t.Helper()
	p, err := e.document.caller.DryRun(t.Context(), e.document.box, e.tool.Name, marshal(t, e.arguments))
	if failed, ok := errors.AsType[*call.Error](err); ok {
		e.refused = fmt.Sprintf("%s: %s: %v", failed.Code, failed.Detail, failed.Unwrap())
	} else if err != nil {
		e.refused = err.Error()
	} else {
		e.request = p.Request
	}
}

// values returns the arguments by their places, in the form for the builders.
func (e *example) values() map[string]any {
	out := make(map[string]any)
	for _, p := range e.tool.Capability.Params {
		v, ok := e.arguments[argument(&p)]
		if !ok {
			continue
		}
		if p.In == "body" && p.Whole {
			out["body"] = v
			continue
		}
		members, _ := out[p.In].(map[string]any)
		if members == nil {
			members = make(map[string]any)
			out[p.In] = members
		}
		members[p.Name] = v
	}
	return out
}

// decode keeps numbers as written.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// matches reports whether a pattern matches a string. It returns false if Go cannot read the
// pattern.
func matches(pattern, v string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(v)
}

// sent returns the request as text for people.
func (e *example) sent() string {
	if e.request == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s %v %s", e.request.Method, e.request.URL, e.request.Header, e.request.Body)
}
