package jsonscan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

func TestInt(t *testing.T) {
	type result struct {
		V  int64
		OK bool
	}
	want := map[string]result{
		"0": {0, true}, "-0": {0, true}, "1": {1, true}, "-17": {-17, true},
		"1e3": {1000, true}, "1000.0": {1000, true}, "1.5e1": {15, true}, "0.5E+1": {5, true},
		"100e-2": {1, true}, "0e999999999999999999999": {0, true}, "0.000": {0, true},
		"9007199254740993":     {1<<53 + 1, true},
		"9007199254740993e0":   {1<<53 + 1, true},
		"9.007199254740993e15": {1<<53 + 1, true},
		"9223372036854775807":  {math.MaxInt64, true},
		"-9223372036854775808": {math.MinInt64, true},
		"9223372036854775808":  {}, "-9223372036854775809": {}, "1e19": {}, "9e18": {9e18, true},
		"1.5": {}, "1e-1": {}, "1e999": {}, "1e-999": {}, "1e99999999999999999999": {}, "1e-99999999999999999999": {},
		strings.Repeat("9", 250_000):                           {},
		"1." + strings.Repeat("0", 250_000):                    {1, true},
		"1" + strings.Repeat("0", 100_000) + "e-100000":        {1, true},
		"0." + strings.Repeat("0", 100_000) + "25e" + "100002": {25, true},
	}
	got := make(map[string]result)
	for text := range want {
		v, ok := scan(t, text).Root().Int()
		got[text] = result{v, ok}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("integers (-want +got):\n%s", diff)
	}
}

func TestFloat(t *testing.T) {
	for text, want := range map[string]float64{"0.5": 0.5, "-1e3": -1000, "1e-999": 0, "17": 17} {
		if got, ok := scan(t, text).Root().Float(); !ok || got != want {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"1e999", "-1e999", strings.Repeat("9", 250_000), `"1"`, "null"} {
		if got, ok := scan(t, text).Root().Float(); ok {
			t.Errorf("%.20s: %v", text, got)
		}
	}
}

// TestZeroNode calls each method on a missing value.
func TestZeroNode(t *testing.T) {
	doc := scan(t, `{"a":[1,{}],"s":"x"}`)
	missing := []jsonscan.Node{
		{}, doc.Root().Get("b"), doc.Root().Get("a").Get("x"), doc.Root().Get("a").Child(2),
		doc.Root().Child(-1), doc.Root().Get("s").Child(0), doc.Root().Get("b").Get("c").Child(0),
	}
	for i, n := range missing {
		_, isString := n.Str()
		_, isBool := n.Bool()
		_, isInt := n.Int()
		_, isFloat := n.Float()
		if isString || isBool || isInt || isFloat || n.Kind() != jsonscan.Missing || n.Len() != 0 ||
			n.Raw() != nil || n.Pointer() != "" || n.Name() != "" {
			t.Errorf("missing node %d has something", i)
		}
		for name := range n.Members() {
			t.Errorf("missing node %d has member %q", i, name)
		}
	}
}

func TestPointer(t *testing.T) {
	doc := scan(t, ` {"a~b":{"c/d":[0,[{"\u0065":1,"":{"é":[]}}]]},"x":null} `)
	var got []string
	var visit func(n jsonscan.Node)
	visit = func(n jsonscan.Node) {
		got = append(got, n.Pointer()+" "+n.Name())
		for i := range n.Len() {
			visit(n.Child(i))
		}
	}
	visit(doc.Root())
	want := []string{
		" ", "/a~0b a~b", "/a~0b/c~1d c/d", "/a~0b/c~1d/0 ", "/a~0b/c~1d/1 ", "/a~0b/c~1d/1/0 ",
		"/a~0b/c~1d/1/0/e e", "/a~0b/c~1d/1/0/ ", "/a~0b/c~1d/1/0//é é", "/x x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pointers (-want +got):\n%s", diff)
	}
}

// TestStringsOutliveTheBody checks that a caller that reuses its buffer cannot change returned
// text, and that appending to Raw does not write into the body.
func TestStringsOutliveTheBody(t *testing.T) {
	body := []byte(`["text","\u0074",1]`)
	doc, err := jsonscan.Scan(body)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := doc.Root().Child(0).Str()
	decoded, _ := doc.Root().Child(1).Str()
	_ = append(doc.Root().Child(0).Raw(), "!!!"...)
	if string(body) != `["text","\u0074",1]` {
		t.Errorf("appending to Raw changed the body: %s", body)
	}
	clear(body)
	if plain != "text" || decoded != "t" {
		t.Errorf("text changed with the body: %q, %q", plain, decoded)
	}
}

// A Doc keeps its values if the body of Own changes later.
func TestADocOwnsItsText(t *testing.T) {
	body := []byte(`{"a": [1, "x\u0041", true]}`)
	doc, err := jsonscan.Own(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	list := doc.Root().Get("a")
	text, _ := list.Child(1).Str()
	yes, _ := list.Child(2).Bool()
	if n, _ := list.Child(0).Int(); n != 1 || text != "xA" || !yes || list.Text() != `[1, "x\u0041", true]` {
		t.Errorf("%d, %q, %t, %s", n, text, yes, list.Text())
	}
	raw := list.Raw()
	clear(raw)
	if got := string(list.Raw()); got != list.Text() {
		t.Errorf("%q", got)
	}
	if _, err := jsonscan.Own([]byte("{")); err == nil {
		t.Error("half an object is read")
	}
}
