package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The parts beyond a limit are omitted, and their places are reported. Nothing else changes.
func TestFit(t *testing.T) {
	testkit.Large(t)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	long := strings.Repeat("k", jsonscan.MaxName+1)
	zeros := func(n int) string { return strings.TrimSuffix(strings.Repeat("0,", n), ",") }
	for name, r := range map[string]struct {
		body, want string // the members of the document; "…" replaces the rest
		left       int    // in the list "l", or in the document
	}{
		"within":               {`{"l": [1, {"a": "]}\\"}]}`, `{"l": [1, {"a": "]}\\"}]}`, 0},
		"a byte order mark":    {"\ufeff{\"l\": [" + deep(63) + "]}", "", 0},
		"deep":                 {`{"l": [` + deep(63) + `, 2]}`, `{"l": [` + strings.Repeat("[", 62) + `""` + strings.Repeat("]", 62) + `, 2]}`, 0},
		"deeper than decoders": {`{"l": [` + deep(20_000) + `, 2]}`, "", 0},
		"a long name":          {`{"` + long + `": {"x": "}"}, "l": [1]}`, `{"l": [1]}`, 0},
		"long names":           {`{"` + long + `1": 1, "` + long + `1": 2, "l": [1], "` + long + `2": 3}`, `{"l": [1]}`, 0},
		"many":                 {`{"l": [` + zeros(1_000_000) + `], "m": {"n": 1}}`, "", 1_000_000 - (jsonscan.MaxNodes - 2)},
		"many of many":         {`{"l": [[` + zeros(1_000_000) + `], [1], "]"], "m": 1}`, "", 2},
		"many members":         {`{"m": [` + zeros(jsonscan.MaxNodes-3) + `], "l": ["a", {"b": 1}], "n": 1}`, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := jsonscan.Fit([]byte(r.body))
			if err != nil {
				t.Fatal(err)
			}
			list := doc.Root().Get("l")
			if list.Left() != r.left || doc.Nodes() > jsonscan.MaxNodes {
				t.Errorf("left %d of %d, want %d", list.Left(), list.Len(), r.left)
			}
			if got := strings.Join(strings.Fields(string(doc.Root().Raw())), " "); r.want != "" {
				want := strings.Join(strings.Fields(r.want), " ")
				if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
					t.Errorf("got  %.200s\nwant %.200s", got, want)
				}
			}
			_, scanned := jsonscan.Scan([]byte(r.body))
			if whole := doc.Root().Whole(); whole != (scanned == nil) {
				t.Errorf("whole %v, and Scan says %v", whole, scanned)
			}
		})
	}
}

// A body that is not JSON is refused, also if a part is omitted.
func TestFitRefuses(t *testing.T) {
	zeros := strings.Repeat("0,", jsonscan.MaxNodes)
	deep := strings.Repeat("[", 100)
	for _, body := range []string{"", "{", "]", ",", `{"a": 1,}`, `{"a": [` + deep, `{"a": [` + zeros + "0]", `{"a": [` + zeros + `0], "a": 1`, `{"a": 1, "a": ` + deep,
		`[1,,` + zeros + "0]", `{"a" 1}`, `[1 2]`, `{"a": [` + zeros + "}]"} {
		if doc, err := jsonscan.Fit([]byte(body)); err == nil {
			t.Errorf("%.40q is read as %.40s", body, doc.Root().Raw())
		}
	}
}

// Values report whether a part of them was omitted.
func TestFitWhole(t *testing.T) {
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	doc, err := jsonscan.Fit([]byte(`{"a": {"b": [1]}, "c": {"d": ` + deep + `}, "e": {"f": 1}, "` + strings.Repeat("k", 5000) + `": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string]bool{"a": true, "c": false, "e": true, "none": true} {
		if doc.Root().Get(name).Whole() != whole {
			t.Errorf("%s: whole is %v", name, !whole)
		}
	}
	if doc.Root().Left() != 1 || doc.Root().Len() != 3 {
		t.Errorf("%d members, %d left out", doc.Root().Len(), doc.Root().Left())
	}
}

func FuzzFit(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "x", null]}`, `[[[["]"]]]]`, `{"a`, "\ufeff[1,]", `[1,,2]`, `[,0]`, `{"a": {"b": "\\""}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		doc, err := jsonscan.Scan([]byte(body))
		fit, fitErr := jsonscan.Fit([]byte(body))
		switch {
		case err == nil && (fitErr != nil || string(fit.Root().Raw()) != string(doc.Root().Raw()) || !fit.Root().Whole()):
			t.Errorf("%q is read, and fitted it is %v", body, fitErr)
		case err != nil && fitErr == nil && fit.Root().Whole():
			t.Errorf("%q is refused (%v), and nothing was left out", body, err)
		}
	})
}
