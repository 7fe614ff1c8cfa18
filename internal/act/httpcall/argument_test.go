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
