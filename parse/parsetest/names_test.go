package parsetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

func TestEachMemberIsUnnamedInTurn(t *testing.T) {
	var got []string
	for _, body := range unnamed([]byte(`{"a": [1, {"b\\\"c":"x"}, []], "\\": {}, "d":"e"}`)) {
		got = append(got, string(body))
	}
	want := []string{
		`{"": [1, {"b\\\"c":"x"}, []], "\\": {}, "d":"e"}`,
		`{"a": [1, {"":"x"}, []], "\\": {}, "d":"e"}`,
		`{"a": [1, {"b\\\"c":"x"}, []], "": {}, "d":"e"}`,
		`{"a": [1, {"b\\\"c":"x"}, []], "\\": {}, "":"e"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variations (-want +got):\n%s", diff)
	}
	for _, none := range []string{"", "# text", `{"a":`, `["a"]`, "1"} {
		if got := unnamed([]byte(none)); got != nil {
			t.Errorf("unnamed(%q) = %q, want none", none, got)
		}
	}
	var many []string
	for i := range 3 * maxNames {
		many = append(many, fmt.Sprintf(`"%d":0`, i))
	}
	if got := unnamed([]byte("{" + strings.Join(many, ",") + "}")); len(got) != maxNames {
		t.Errorf("%d variations of a large document, want %d", len(got), maxNames)
	}
}

func TestCapabilityUnderAnEmptyNameIsCaught(t *testing.T) {
	f := &parse.Format{
		Name:  "list",
		Spec:  wayfind.SpecRef{Title: "List"},
		Match: func(*parse.Input) parse.Claim { return parse.Claim{Level: parse.Exact} },
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			r := &parse.Reading{Services: []wayfind.Service{{ID: "list"}}}
			root, err := in.JSON()
			if err != nil {
				return r, nil
			}
			for name := range root.Members() {
				r.Services[0].Capabilities = append(r.Services[0].Capabilities, wayfind.Capability{ID: name, Kind: wayfind.KindOperation})
			}
			return r, nil
		},
	}
	doc := Doc{Body: []byte(`{"a":1}`)}
	if got := Check(f, doc); got != nil {
		t.Errorf("the document: %v", got)
	}
	var got []string
	for _, body := range unnamed(doc.Body) {
		got = append(got, checkOnce(f, doc, body)...)
	}
	if len(got) != 1 || !strings.Contains(got[0], "has no ID") {
		t.Errorf("with an empty name: %v", got)
	}
}
