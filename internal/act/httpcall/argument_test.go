package httpcall_test

import (
	"encoding/json"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
)

// Two parameters have the same name in two places. If they accept the same values, one
// argument sets both, otherwise each has its own argument.
func TestOneNameInTwoPlaces(t *testing.T) {
	id, text := json.RawMessage(`{"type":"integer"}`), json.RawMessage(`{"type":"string"}`)
	yes := new(true)
	for _, row := range []struct {
		name, method, template, args string
		params                       []wayfind.Param
		url, body                    string
	}{
		{"path and query of one schema", "GET", "https://api.example/lists/{list_id}", `{"list_id":7}`,
			[]wayfind.Param{{Name: "list_id", In: "path", Required: yes, Schema: id}, {Name: "list_id", In: "query", Required: yes, Schema: id}}, "https://api.example/lists/7?list_id=7", ""},
		{"query before path", "GET", "https://api.example/lists/{list_id}", `{"list_id":7}`,
			[]wayfind.Param{{Name: "list_id", In: "query", Required: yes, Schema: id}, {Name: "list_id", In: "path", Required: yes, Schema: id}}, "https://api.example/lists/7?list_id=7", ""},
		{"path and body of one schema", "POST", "https://api.example/lists/{list_id}", `{"list_id":7,"x":"y"}`,
			[]wayfind.Param{{Name: "list_id", In: "path", Required: yes, Schema: id}, {Name: "list_id", In: "body", Required: yes, Schema: id}, {Name: "x", In: "body", Schema: text}}, "https://api.example/lists/7", `{"list_id":7,"x":"y"}`},
		{"an argument of its own in the query", "GET", "https://api.example/lists/{list_id}", `{"list_id_query":"a","list_id":7}`,
			[]wayfind.Param{{Name: "list_id", In: "path", Required: yes, Schema: id}, {Name: "list_id", Argument: "list_id_query", In: "query", Required: yes, Schema: text}}, "https://api.example/lists/7?list_id=a", ""},
		{"an argument of its own in the path", "GET", "https://api.example/lists/{list_id}", `{"list_id":"a","list_id_path":7}`,
			[]wayfind.Param{{Name: "list_id", In: "query", Schema: text}, {Name: "list_id", Argument: "list_id_path", In: "path", Required: yes, Schema: id}}, "https://api.example/lists/7?list_id=a", ""},
		{"an argument of its own in the body", "POST", "https://api.example/lists/{name}", `{"name":"a","name_body":"b"}`,
			[]wayfind.Param{{Name: "name", In: "path", Required: yes, Schema: id}, {Name: "name", Argument: "name_body", In: "body", Schema: text}}, "https://api.example/lists/a", `{"name":"b"}`},
		{"a header field and the query", "GET", "https://api.example/", `{"v":"1","v_header":"2"}`,
			[]wayfind.Param{{Name: "v", In: "query", Schema: id}, {Name: "v", Argument: "v_header", In: "header", Schema: text}}, "https://api.example/?v=1", ""},
	} {
		r, err := httpcall.Place(operation(row.method, row.template, "application/json", row.params...), []byte(row.args))
		if err != nil || r.URL != row.url || string(r.Body) != row.body || len(r.Unplaced) > 0 {
			t.Errorf("%s: %+v, %v, want %s %s", row.name, r, err, row.url, row.body)
		}
	}
}

// Arguments that a model wrote as a text are those in the text. A text in it is none.
func TestArgumentsAsAText(t *testing.T) {
	for sent, want := range map[string]string{
		`"{\"n\":5.0}"`: `{"n":5.0}`,
		` "{}" `:        `{}`,
		`""`:            `{}`,
	} {
		if got, err := httpcall.Decode([]byte(sent), nil, nil, 0); err != nil || string(got.Args) != want {
			t.Errorf("%s is %s, %v, want %s", sent, got.Args, err, want)
		}
	}
	for sent, want := range map[string]httpcall.Code{`"[1]"`: httpcall.CodeObject, `"\"{}\""`: httpcall.CodeObject, `"{\"a\":1,\"a\":2}"`: httpcall.CodeDuplicate, `"{}`: httpcall.CodeSyntax} {
		if _, err := httpcall.Decode([]byte(sent), nil, nil, 0); codeOf(err) != want {
			t.Errorf("%s: %v, want %s", sent, err, want)
		}
	}
}

// An operation whose path has no place for a parameter of it is never called, in any format: a
// DELETE without its filter would reach everything.
func TestAParameterOfThePathNeedsAPlace(t *testing.T) {
	for template, want := range map[string]httpcall.Code{
		"https://api.example/orders/{id}":   noCode,
		"https://api.example/orders?x={id}": noCode,
		"https://api.example/orders":        httpcall.CodeNoPlace,
		"https://api.example/orders/{ID}":   httpcall.CodeNoPlace,
		"https://api.example/orders/:id":    httpcall.CodeNoPlace,
	} {
		op := operation("DELETE", template, "", wayfind.Param{Name: "id", In: "path", Required: new(true)})
		if _, err := op.Callable(); codeOf(err) != want {
			t.Errorf("%s: %v, want %q", template, err, want)
		}
	}
}
