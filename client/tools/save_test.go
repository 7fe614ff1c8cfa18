package tools_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// TestSave: a Box that was saved gives the same definitions, answers and names, and a
// later Load keeps its names.
func TestSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := loaded(t, nil)
		file, err := box.Save()
		if err != nil {
			t.Fatal(err)
		}
		again, err := tools.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tools.Vendors() {
			a, b := box.Render(v, &tools.RenderOptions{Strict: true}), again.Render(v, &tools.RenderOptions{Strict: true})
			if string(a.Tools) != string(b.Tools) || a.Note != b.Note {
				t.Errorf("%s: %s, then %s", v, a.Tools, b.Tools)
			}
		}
		if a, b := box.Search("refund", 3), again.Search("refund", 3); len(a) != len(b) || a[0].Tool.Name != b[0].Tool.Name || a[0].Score != b[0].Score {
			t.Errorf("%+v, then %+v", a, b)
		}
		for _, listed := range box.Tools() {
			tool, err := box.Tool(listed.Name)
			if err != nil {
				t.Fatal(err)
			}
			same, err := again.Tool(listed.Name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tool.Capability, same.Capability); diff != "" || !tool.Agent && len(tool.Capability.Input) == 0 {
				t.Error(diff)
			}
		}
		twice, err := again.Save()
		if err != nil || string(twice) != string(file) {
			t.Errorf("%v: %s, then %s", err, file, twice)
		}
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		alone, err := tools.Load(t.Context(), n.Client(), []string{"shop.example"}, &tools.Options{Names: file})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := alone.Tool("shop__refund_order"); err != nil {
			t.Error(err)
		}
	})
}

// TestOpenRefuses: data that Save has not written, or not in this version, is refused.
func TestOpenRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := loaded(t, nil).Save()
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range [][2]string{
			{`"wayfind/tools/1"`, `"wayfind/tools/2"`}, {`"service":0`, `"service":9`}, {`"service":0`, `"service":-1`},
			{`"key":"openapi:openapi/refund.order","capability"`, `"key":"openapi:openapi/other","capability"`},
			{`"agent":true`, `"agent":false`}, {`{"schema"`, `["schema"`}, {`"type":"object"`, `"$ref":"#"`},
		} {
			broken := strings.ReplaceAll(string(file), change[0], change[1])
			if broken == string(file) {
				t.Errorf("there is no %s in %s", change[0], file)
			}
			if _, err := tools.Open([]byte(broken)); !errors.Is(err, tools.ErrTable) {
				t.Errorf("%s: %v", change[1], err)
			}
		}
		if _, err := tools.Open(nil); !errors.Is(err, tools.ErrTable) {
			t.Error(err)
		}
	})
}

// A Box completes its tools when its Client is closed, without a request.
func TestABoxOutlivesItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		c := n.Client()
		box := load(t, c, []string{"shop.example"}, nil)
		c.Close()
		tool, err := box.Tool("refund_order")
		if err != nil || len(tool.Capability.Input) == 0 {
			t.Fatalf("%v: %+v", err, tool)
		}
		if _, err := box.Save(); err != nil {
			t.Error(err)
		}
	})
}
