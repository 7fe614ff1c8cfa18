package wayfind_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

const namesFile = "testdata/json-names.golden"

// wireTypes returns the types that leave the module as JSON.
func wireTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[wayfind.Site](),
		reflect.TypeFor[wayfind.Finding](),
		reflect.TypeFor[wayfind.Detail](),
		reflect.TypeFor[diff.Result](),
	}
}

// TestJSONNames checks the names on which stored Sites and other programs depend. A new line is
// allowed (-update). A line that is removed breaks them.
func TestJSONNames(t *testing.T) {
	var lines []string
	for _, typ := range structs() {
		lines = append(lines, describe(t, typ)...)
	}
	got := strings.Join(lines, "\n") + "\n"
	if !golden.Updating() {
		for line := range strings.Lines(string(golden.Read(t, namesFile))) {
			if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
				t.Errorf("removed or renamed, which breaks those who read it: %s", line)
			}
		}
	}
	golden.Compare(t, []byte(got), namesFile)
}

// structs returns all structs of the model that are reachable from the wire types, by name.
func structs() []reflect.Type {
	seen := map[reflect.Type]bool{}
	for _, typ := range wireTypes() {
		collect(typ, seen)
	}
	var list []reflect.Type
	for typ := range seen {
		list = append(list, typ)
	}
	slices.SortFunc(list, func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

func collect(typ reflect.Type, seen map[reflect.Type]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collect(typ.Elem(), seen)
	case reflect.Struct:
		if !strings.HasPrefix(typ.PkgPath(), golden.Module) || seen[typ] {
			return
		}
		seen[typ] = true
		for field := range typ.Fields() {
			collect(field.Type, seen)
		}
	}
}

// describe returns one line per member: "Site.base? string". The question mark means that an
// unknown member is omitted.
func describe(t *testing.T, typ reflect.Type) []string {
	t.Helper()
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Marshaler]()) {
		return describeWritten(t, typ)
	}
	var lines []string
	for f := range typ.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		checkField(t, typ, f, name, options)
		mark := ""
		if options != "" {
			mark = "?"
		}
		lines = append(lines, fmt.Sprintf("%s.%s%s %s", typ.Name(), name, mark, typeName(f.Type)))
	}
	return lines
}

// describeWritten describes a type with its own JSON form by that form.
func describeWritten(t *testing.T, typ reflect.Type) []string {
	t.Helper()
	v := reflect.New(typ).Elem()
	fill(v, 1)
	b, err := json.Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for name, value := range members {
		kind := "string"
		if _, ok := value.(float64); ok {
			kind = "number"
		}
		lines = append(lines, fmt.Sprintf("%s.%s %s", typ.Name(), name, kind))
	}
	slices.Sort(lines)
	return lines
}

func checkField(t *testing.T, typ reflect.Type, f reflect.StructField, name, options string) {
	t.Helper()
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	where := typ.Name() + "." + f.Name
	if !f.IsExported() || f.Anonymous {
		t.Errorf("%s: the model has exported, named fields only", where)
	}
	if !camel.MatchString(name) || !strings.EqualFold(name, f.Name) {
		t.Errorf("%s: JSON name %q is not the field name in lowerCamelCase", where, name)
	}
	if f.Type == reflect.TypeFor[time.Duration]() {
		t.Errorf("%s: a duration without its unit in the name", where)
	}
	if f.Type == reflect.TypeFor[time.Time]() && options != "omitzero" {
		t.Errorf("%s: a time needs omitzero, or an unknown one is written as year 1", where)
	}
	switch clean := f.Tag.Get("clean"); clean {
	case "", "url", "text", "wire", "schema":
	default:
		t.Errorf("%s: unknown tag clean:%q", where, clean)
	}
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if options == "" {
			t.Errorf("%s: written as null when unknown", where)
		}
	}
}

// typeName returns the type of the JSON form.
func typeName(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[json.RawMessage]():
		return "json"
	case typ == reflect.TypeFor[time.Time]():
		return "time"
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return typeName(typ.Elem())
	case reflect.Slice:
		return "[]" + typeName(typ.Elem())
	case reflect.Map:
		return "{" + typeName(typ.Elem()) + "}"
	case reflect.Struct:
		return typ.Name()
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	}
	return typ.Kind().String()
}

// fill sets each field to a value other than zero. depth limits types that contain themselves.
func fill(v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"x":[1,"é"]}`))
		return
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)))
		return
	case reflect.TypeFor[time.Duration]():
		v.SetInt(int64(90 * time.Second))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text <&> é")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(42)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, depth)
		}
	case reflect.Slice, reflect.Map:
		if depth == 0 {
			return
		}
		fillMany(v, depth-1)
	}
}

func fillMany(v reflect.Value, depth int) {
	elem := reflect.New(v.Type().Elem()).Elem()
	fill(elem, depth)
	if v.Kind() == reflect.Slice {
		v.Set(reflect.Append(v, elem))
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	v.SetMapIndex(reflect.ValueOf("key"), elem)
}

// A Site is the same after it was stored.
func TestDiffRoundTrip(t *testing.T) {
	var site wayfind.Site
	fill(reflect.ValueOf(&site).Elem(), 7)
	b, err := json.MarshalIndent(site, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var stored wayfind.Site
	if err := json.Unmarshal(b, &stored); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*wayfind.Site{{&site, &stored}, {&stored, &site}, {&site, &site}, {&stored, &stored}} {
		if d := cmp.Diff(&diff.Result{}, diff.Sites(pair[0], pair[1])); d != "" {
			t.Errorf("a stored Site differs (-want +got):\n%s", d)
		}
	}
	if got := diff.Sites(nil, &stored); len(got.Added) != 2 {
		t.Errorf("there is nothing to compare: %+v", got)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, typ := range wireTypes() {
		t.Run(typ.Name(), func(t *testing.T) {
			want := reflect.New(typ)
			fill(want.Elem(), 7)
			b, err := json.Marshal(want.Interface())
			if err != nil {
				t.Fatal(err)
			}
			got := reflect.New(typ)
			if err := json.Unmarshal(b, got.Interface()); err != nil {
				t.Fatal(err)
			}
			// A RawMessage inside an indented or escaped document keeps its value and not its
			// spelling, so compare the values after they are written again.
			again, err := json.Marshal(got.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(b), string(again)); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Interface(), got.Interface()); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnknownIsLeftOut checks that an unknown value is written only with its identifying
// members.
func TestUnknownIsLeftOut(t *testing.T) {
	tests := map[string]any{
		`{"origin":""}`:                     wayfind.Site{},
		`{"id":""}`:                         wayfind.Service{},
		`{"key":"","kind":""}`:              wayfind.Capability{},
		`{"protocol":""}`:                   wayfind.Interface{},
		`{"probe":{"url":"","verdict":""}}`: wayfind.Finding{},
		`{"format":"","url":"","sha256":"","authority":""}`: wayfind.Source{},
		`{}`:                   wayfind.Detail{},
		`{"kind":"","key":""}`: diff.Change{},
	}
	for want, v := range tests {
		got, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%T: %s, want %s", v, got, want)
		}
	}
}

func TestLimitJSON(t *testing.T) {
	tests := []struct {
		limit wayfind.Limit
		want  string
	}{
		{wayfind.Limit{N: 60, Per: time.Minute}, `{"n":60,"perSeconds":60}`},
		{wayfind.Limit{N: 1, Per: 250 * time.Millisecond}, `{"n":1,"perSeconds":0.25}`},
		{wayfind.Limit{N: 5, Per: 24 * time.Hour, Text: "5 a day"}, `{"n":5,"perSeconds":86400,"text":"5 a day"}`},
		{wayfind.Limit{Text: "be kind"}, `{"n":0,"text":"be kind"}`},
	}
	for _, tt := range tests {
		b, err := json.Marshal(tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != tt.want {
			t.Errorf("written %s, want %s", b, tt.want)
		}
		var got wayfind.Limit
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.limit, got); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}
	var l wayfind.Limit
	if err := json.Unmarshal([]byte(`{"n":"many"}`), &l); err == nil {
		t.Errorf("read %+v from a limit that is none", l)
	}
}
