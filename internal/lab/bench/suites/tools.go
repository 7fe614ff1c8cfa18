package suites

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wayfindhq/wayfind/internal/act/rank"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
	"github.com/wayfindhq/wayfind/security/schema"
)

// aTool is a line of a set for ranking.
type aTool struct {
	ID, Name, Server, Description string
	Schema                        json.RawMessage
	words                         string // of the schema
}

// aQuery is a query in a set.
type aQuery struct {
	Query    string
	Relevant []string
}

// lines reads a file of vectors/tools/ranking.
func lines[T any](name string) (list []T, err error) {
	for _, dir := range []string{os.Getenv("WAYFIND_VECTORS"), "../shared/vectors", "../../../../shared/vectors"} {
		body, err := os.ReadFile(filepath.Join(dir, "tools", "ranking", name))
		if dir == "" || err != nil {
			continue
		}
		for line := range bytes.Lines(body) {
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			list = append(list, v)
		}
		return list, nil
	}
	return nil, errors.New("no shared test data: set WAYFIND_VECTORS")
}

// toolsOf returns the tools of a set.
func toolsOf(set string) ([]aTool, error) {
	list, err := lines[aTool](set + ".tools.jsonl")
	for i := range list {
		if s, err := schema.Check(list[i].Schema, schema.Unknown, nil); err == nil {
			list[i].words = strings.Join(slices.Collect(s.Texts()), " ")
		}
	}
	return list, err
}

// forModels measures the work from domains to a model's tools.
func forModels(c measure.Config) ([]*measure.Table, error) {
	var all []aTool
	for _, set := range []string{"livemcp", "bfcl", "metatool"} {
		list, err := toolsOf(set)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	var tables []*measure.Table
	for _, f := range []func() (*measure.Table, error){
		func() (*measure.Table, error) { return schemas(c, all) },
		func() (*measure.Table, error) { return searching(c, all) },
		func() (*measure.Table, error) { return manyTools(c, all) },
		ranking,
	} {
		t, err := f()
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// schemas compares the work on 1,000 schemas of strangers.
func schemas(c measure.Config, all []aTool) (*measure.Table, error) {
	var list [][]byte
	for _, t := range all {
		if len(t.Schema) > 0 && len(list) < 1000 {
			list = append(list, t.Schema)
		}
	}
	const coding = "encoding/json, decoded and encoded"
	each := func(f func(raw []byte) error) func() error {
		return func() error {
			for _, raw := range list {
				if err := f(raw); err != nil {
					return fmt.Errorf("%w: %s", err, raw)
				}
			}
			return nil
		}
	}
	project := func(t schema.Target) func(raw []byte) error {
		return func(raw []byte) error {
			s, err := schema.Check(raw, schema.Unknown, nil)
			if err == nil {
				_, err = s.For(t)
			}
			return err
		}
	}
	return measure.Compare(fmt.Sprintf("%d schemas", len(list)), c,
		must(coding, each(func(raw []byte) error {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				return err
			}
			_, err := json.Marshal(v)
			return err
		})),
		with(must("Check", each(func(raw []byte) error { _, err := schema.Check(raw, schema.Unknown, nil); return err })), coding, 0, 0),
		with(must("Check and project for Anthropic", each(project(schema.Anthropic))), coding, 3, 0),
		with(must("Check and project for OpenAI, strict", each(project(schema.OpenAIStrict))), coding, 3, 0),
		with(must("Check and project for Gemini", each(project(schema.Gemini))), coding, 3, 0),
		with(must("santhosh-tekuri/jsonschema, compiled or refused", each(func(raw []byte) error { _ = compile(raw); return nil })), coding, 0, 0),
	)
}

// compile is the first step of a validator.
func compile(raw []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(loadsNothing{})
	if err := compiler.AddResource("https://shop.example/schema", doc); err != nil {
		return err
	}
	_, err = compiler.Compile("https://shop.example/schema")
	return err
}

// loadsNothing refuses to load the references of a schema.
type loadsNothing struct{}

func (loadsNothing) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// entry returns the entry of a tool for the index.
func (t *aTool) entry() rank.Entry {
	e := rank.Entry{Name: t.Name}
	e.Text = [rank.Fields]string{rank.Name: t.Name, rank.Server: t.Server, rank.Description: t.Description, rank.Parameters: t.words}
	return e
}

func indexed(list []aTool) *rank.Index {
	return rank.New(nil, len(list), func(i int) rank.Entry { return list[i].entry() })
}

// queries returns the queries of all sets.
func queries() (list []aQuery, err error) {
	for _, set := range []string{"livemcp", "bfcl", "metatool", "metatool-multi"} {
		more, err := lines[aQuery](set + ".queries.jsonl")
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// searching compares an index of all sets with a bleve index.
func searching(c measure.Config, all []aTool) (*measure.Table, error) {
	asked, err := queries()
	if err != nil {
		return nil, err
	}
	ours := indexed(all)
	theirs, err := bleveOf(all)
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	if c.Quick {
		asked = asked[:20]
	}
	c.Rounds = min(c.Rounds, 9)
	const index, query = "ours, index", "ours, a query"
	at, there := 0, 0
	return measure.Compare(fmt.Sprintf("Searching %d tools", len(all)), c,
		must(index, func() error { indexed(all); return nil }),
		with(must("bleve, index", func() error {
			x, err := bleveOf(all)
			if err != nil {
				return err
			}
			return x.Close()
		}), index, 0, 0),
		must(query, func() error { at++; ours.Search(asked[at%len(asked)].Query, 10); return nil }),
		with(must("bleve, a query", func() error { there++; _, err := theirs.search(asked[there%len(asked)].Query); return err }), query, 0, 0),
	)
}

// These are the goals for many tools.
const (
	maxIndexMiB = 64
	maxMedianMS = .5
)

// manyTools measures the size of an index of 100,000 tools.
func manyTools(c measure.Config, all []aTool) (*measure.Table, error) {
	asked, err := queries()
	if err != nil {
		return nil, err
	}
	n := 100_000
	if c.Quick {
		n, asked = 5_000, asked[:50]
	}
	list := make([]aTool, n)
	for i := range list {
		list[i] = all[i%len(all)]
		list[i].Name = fmt.Sprintf("%s_%d", list[i].Name, i/len(all))
	}
	before := heap()
	start := time.Now()
	x := indexed(list)
	built := time.Since(start)
	size := float64(heap().HeapAlloc) - float64(before.HeapAlloc)
	runtime.KeepAlive(list)
	var took []float64
	for _, q := range asked {
		start := time.Now()
		x.Search(q.Query, 10)
		took = append(took, time.Since(start).Seconds())
	}
	slices.Sort(took)
	t := &measure.Table{Title: fmt.Sprintf("An index of %d tools", n), Head: []string{"what", "value", "unit"}}
	t.Rows = append(t.Rows,
		measure.Count{Name: "heap", Value: size / (1 << 20), Cells: []string{"MiB"}, Limit: maxIndexMiB}.Row(),
		measure.Count{Name: "built in", Value: built.Seconds(), Cells: []string{"s"}}.Row(),
		measure.Count{Name: "a query, median", Value: took[len(took)/2] * 1e3, Cells: []string{"ms"}, Limit: maxMedianMS}.Row(),
		measure.Count{Name: "a query, p95", Value: took[len(took)*95/100] * 1e3, Cells: []string{"ms"}}.Row(),
	)
	return t, nil
}
