package parsetest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// recorder is a test that only records failures.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(f string, a ...any) { r.said = append(r.said, fmt.Sprintf(f, a...)) }

// input returns a menu at an unknown place.
func input(body string) *parse.Input { return &parse.Input{Body: []byte(body)} }

// dishes reads a menu with these dishes.
func dishes(t *testing.T, list any) *parse.Reading {
	t.Helper()
	return formattest.Read(t, menu(), input(string(formattest.JSON(t, map[string]any{"kitchen": "K", "dishes": list}))))
}

func TestInput(t *testing.T) {
	in := formattest.Input(t, "https://e.example/menu", "text/x", []byte("a"))
	got := fmt.Sprint(in.URL, in.FinalURL, in.MediaType, string(in.Body), in.URL == in.FinalURL)
	if want := "https://e.example/menuhttps://e.example/menu text/x a false"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %q, want %q", got, want)
	}
	if in := formattest.Input(t, "", "", nil); in.URL != nil || in.FinalURL != nil {
		t.Errorf("a document of unknown origin is from %v", in.URL)
	}
}

func TestEdit(t *testing.T) {
	sound := map[string]any{"a": 1, "b": 2}
	got := formattest.Edit(sound, map[string]any{"a": nil, "b": 3, "c": 4, "d": nil})
	if diff := cmp.Diff(map[string]any{"b": 3, "c": 4}, got); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"a": 1, "b": 2}, sound); diff != "" {
		t.Errorf("the object was changed (-want +got):\n%s", diff)
	}
}

func TestShow(t *testing.T) {
	list := []wayfind.Diagnostic{
		{Severity: "error", Code: "menu.cold", Pointer: "/a", Message: "It is {line}.", Spec: &wayfind.SpecRef{Title: "Menu 1.0", Section: "§2"}},
		{Severity: "info", Code: "json.bom", Line: 7},
	}
	for layout, want := range map[string][]string{
		"{severity} {name} {pointer}":         {"error cold /a", "info json.bom "},
		"{code} {line}":                       {"menu.cold 0", "json.bom 7"},
		"{spec}, {section}: {message} {what}": {"Menu 1.0 §2, §2: It is {line}. {what}", ", :  {what}"},
	} {
		if diff := cmp.Diff(want, formattest.Show(list, layout)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", layout, diff)
		}
	}
	for want, claim := range map[string]parse.Claim{
		"none": {}, "none aid": {Other: true, Dialect: "aid"}, "likely detail": {Level: parse.Likely, Dialect: "detail"},
		"exact 1.0 negative": {Level: parse.Exact, Dialect: "1.0", Negative: true},
	} {
		if got := formattest.ShowClaim(claim); got != want {
			t.Errorf("%+v: %q, want %q", claim, got, want)
		}
	}
}

// TestHarnessFindsFaults checks that each check passes for a valid format, and reports the
// fault of another.
func TestHarnessFindsFaults(t *testing.T) {
	entries := func(n int, limit int) *parse.Reading {
		r := &parse.Reading{Services: make([]wayfind.Service, 1)}
		for i := range min(n, limit) {
			r.Services[0].Capabilities = append(r.Services[0].Capabilities, wayfind.Capability{ID: fmt.Sprint("c", i)})
		}
		if n > limit {
			r.Diagnostics = []wayfind.Diagnostic{{Code: "menu.long", Message: fmt.Sprint("there are ", n)}}
		}
		return r
	}
	read := func(list []any) *parse.Reading {
		r := dishes(t, list)
		if formattest.IDs(r) == nil {
			r.Unusable = "no dish"
		}
		return r
	}
	sound := map[string]any{"id": "sound"}
	for name, c := range map[string]struct {
		check func(testing.TB)
		want  []string
	}{
		"refused":       {func(tb testing.TB) { formattest.Refused(tb, menu(), input("[]"), input("")) }, nil},
		"not refused":   {func(tb testing.TB) { formattest.Refused(tb, menu(), input(small)) }, []string{"claim {Level:2", "read as"}},
		"read only":     {func(tb testing.TB) { formattest.Refused(tb, menu(), input("{}")) }, []string{"read as"}},
		"unclaimed":     {func(tb testing.TB) { formattest.Unclaimed(tb, menu(), input("{}")) }, nil},
		"dropped":       {func(tb testing.TB) { formattest.Drops(tb, "/dishes", sound, []any{7, nil, "x"}, read) }, nil},
		"sound entry":   {func(tb testing.TB) { formattest.Drops(tb, "/dishes", sound, []any{sound}, read) }, []string{"entry 0: unusable", "entry 0: want one diagnostic", "no entry is left"}},
		"another place": {func(tb testing.TB) { formattest.Drops(tb, "/menus", sound, []any{7}, read) }, []string{"entry 0: want one"}},
		"bounded": {func(tb testing.TB) {
			formattest.Bounded(tb, "menu.long", 10, func(n int) *parse.Reading { return entries(n, 10) })
		}, nil},
		"another limit": {func(tb testing.TB) {
			formattest.Bounded(tb, "menu.long", 10, func(n int) *parse.Reading { return entries(n, 11) })
		}, []string{"11 entries: read 11", "11 entries: diagnostics", "3000 entries: read 11"}},
		"media types": {func(tb testing.TB) {
			formattest.MediaTypes(tb, typed(), input(small), map[string]wayfind.Severity{"text/menu": "", "": "info", "text/plain": "info"})
		}, nil},
		"another type": {func(tb testing.TB) {
			formattest.MediaTypes(tb, typed(), input(small), map[string]wayfind.Severity{"text/menu": "info"})
		}, []string{"\"text/menu\", sent true: unusable \"\", diag", "\"text/menu\", sent false"}},
		"another reason": {func(tb testing.TB) {
			formattest.Bounded(tb, "menu.many", 10, func(n int) *parse.Reading { return entries(n, 10) })
		}, []string{"11 entries: diag", "3000 entries: diag"}},
	} {
		r := &recorder{TB: t}
		c.check(r)
		if !slices.EqualFunc(c.want, r.said, func(want, said string) bool { return strings.Contains(said, want) }) {
			t.Errorf("%s: said %q, want %q", name, r.said, c.want)
		}
	}
}

// typed returns a menu that requires a media type and reports nothing else.
func typed() *parse.Format {
	return with(func(in *parse.Input, r *parse.Reading) {
		r.Diagnostics = nil
		if in.MediaType != "text/menu" && (in.MediaType != "" || in.Header != nil) {
			r.Diagnostics = []wayfind.Diagnostic{{Severity: "info", Code: "menu.media_type"}}
		}
	})
}

func TestAlone(t *testing.T) {
	f := menu()
	f.Detail = func(_ *parse.Input, s parse.Subject) (*parse.Reading, error) {
		if s.Capability == nil {
			return nil, parse.Invalid("nothing is asked for")
		}
		return &parse.Reading{Version: s.Capability.ID}, nil
	}
	alone := formattest.Alone(f)
	for body, want := range map[string]string{small: "soup", `{"dishes":[]}`: "", "[]": ""} {
		r, err := alone.Detail(input(body), parse.Subject{})
		if got := fmt.Sprint(r != nil && r.Version == want, err == nil); got != fmt.Sprint(want != "", want != "") {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
	other := parse.Subject{Capability: &wayfind.Capability{ID: "other"}}
	if r, err := alone.Detail(input(small), other); err != nil || r.Version != "other" {
		t.Errorf("a subject is not asked about: %+v, %v", r, err)
	}
}

func TestGrowthOfMenus(t *testing.T) {
	hostile := func(n int) map[string]string {
		return map[string]string{"dishes": `{"kitchen":"K","dishes":[` + formattest.Repeat(n/20, `{"id":"dN"}`) + `]}`}
	}
	t.Run("read", func(t *testing.T) { formattest.Growth(t, menu(), hostile, "", 8<<10, 64<<10) })
	t.Run("in full", func(t *testing.T) { formattest.GrowthInFull(t, menu(), hostile, "", 8<<10, 64<<10) })
}

func TestHostileReferences(t *testing.T) {
	list := formattest.HostileReferences()
	slices.Sort(list)
	if n := len(slices.Compact(list)); n != 22 {
		t.Errorf("%d references", n)
	}
}

// In a test, compare with go-cmp. The result is for people too.
func Example_show() {
	r, err := menu().Parse(&parse.Input{Body: []byte(`{"dishes": [{"id": "soup"}, {"id": 7}]}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(formattest.IDs(r))
	for _, line := range formattest.Show(r.Diagnostics, "{severity} {name} at {pointer}, {section}") {
		fmt.Println(line)
	}
	// Output:
	// [soup]
	// error missing at , §2
	// error wrong_type at /dishes/1/id, §3.1
}
