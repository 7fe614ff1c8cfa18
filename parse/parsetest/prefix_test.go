package parsetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

func TestPrefixes(t *testing.T) {
	if diff := cmp.Diff([]int{0, 1, 2}, prefixes([]byte("abc"))); diff != "" {
		t.Errorf("small (-want +got):\n%s", diff)
	}
	sparse := strings.Repeat("x", 5000) + "{" + strings.Repeat("x", 10) + "\n"
	if diff := cmp.Diff([]int{5000, 5011}, prefixes([]byte(sparse))); diff != "" {
		t.Errorf("token boundaries (-want +got):\n%s", diff)
	}
	dense := prefixes([]byte(strings.Repeat(",", 9000)))
	if len(dense) != maxPrefixes || dense[0] != 0 || dense[maxPrefixes-1] != 8995 {
		t.Errorf("%d prefixes from %d to %d", len(dense), dense[0], dense[len(dense)-1])
	}
}

func TestFollow(t *testing.T) {
	root, err := (&parse.Input{Body: []byte(`{"a/b":{"~1":[0,{"":7}]},"":1}`)}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	want := map[string]string{
		"/a~1b/~01/1/": "7", "/": "1", "/a~1b/~01/0": "0",
		"/a~1b/~01/2": "", "/a~1b/~01/-": "", "/a~1b/~01/00": "", "/a~1b/~01/+0": "", "a": "", "//x": "",
	}
	for pointer := range want {
		got[pointer] = string(follow(root, pointer).Raw())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pointers (-want +got):\n%s", diff)
	}
}

func TestCheckFormat(t *testing.T) {
	got := checkFormat(&parse.Format{
		Name:      "A b",
		Locations: []parse.Location{{Path: "x"}, {Path: "/y", After: "/z"}, {Path: "/s", After: "/s"}},
		Rules:     []parse.Rule{{Code: "cold", Severity: "info", Means: "It is cold.", Mend: "Warm it"}},
	})
	want := []string{
		`Name "A b": want lower-case letters and digits`, "Spec has no Title", "Match and Parse are required",
		`rule "cold": Mend does not end in a full stop: "Warm it"`,
		`location "x": want an absolute path`, `location "/y" comes after "/z", which is not another location`,
		`location "/s" comes after "/s", which is not another location`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestPrefixIsChecked checks that a format that panics on a cut document is detected.
func TestPrefixIsChecked(t *testing.T) {
	f := &parse.Format{
		Name:  "cut",
		Spec:  wayfind.SpecRef{Title: "Cut"},
		Match: func(*parse.Input) parse.Claim { return parse.Claim{Level: parse.Exact} },
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			return &parse.Reading{Version: string(in.Body[2])}, nil
		},
	}
	doc := Doc{Body: []byte("abc")}
	if got := Check(f, doc); got != nil {
		t.Errorf("the whole document: %v", got)
	}
	if got := checkOnce(f, doc, doc.Body[:2:2]); len(got) != 1 || !strings.HasPrefix(got[0], "Parse panicked") {
		t.Errorf("the prefix: %v", got)
	}
}
