package jsonscan_test

import (
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The published vectors of RFC 8785 match byte by byte.
func TestCanonical_Published(t *testing.T) {
	dir := golden.Vectors(t, "jcs", "cyberphone", "testdata")
	inputs := golden.Files(t, filepath.Join(dir, "input"), "*.json")
	for _, path := range inputs {
		want := string(golden.Read(t, filepath.Join(dir, "output", filepath.Base(path))))
		got, err := jsonscan.Canonical(golden.Read(t, path))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v, %s", filepath.Base(path), err, golden.Diff([]byte(want), got))
		}
		again, err := jsonscan.Canonical(got)
		if err != nil || string(again) != want {
			t.Errorf("%s: the canonical form is not its own: %v", filepath.Base(path), err)
		}
	}
	t.Logf("%d files", len(inputs))
}

// Each double in the vectors has exactly one spelling (RFC 8785 §3.2.2.3). All doubles that are
// not integers beyond 2^53 are distinguished, in this spelling and in the shortest spelling of
// Go.
func TestCanonical_Numbers(t *testing.T) {
	numbers, refused, integers := 0, 0, 0
	for line := range strings.Lines(string(golden.Read(t, golden.Vectors(t, "jcs", "numbers_own.tsv")))) {
		bits, want, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if want == "REJECT" {
			refused++ // JSON cannot represent it
			continue
		}
		u, err := strconv.ParseUint(bits, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		f := math.Float64frombits(u)
		spelling := strconv.FormatFloat(f, 'e', -1, 64)
		if got, err := jsonscan.Canonical([]byte(spelling)); err != nil || string(got) != want {
			t.Fatalf("%s: %s, %v, want %s", spelling, got, err, want)
		}
		large := f == math.Trunc(f) && math.Abs(f) >= 1<<53
		for _, text := range []string{spelling, want} {
			if ambiguous(t, text) != large {
				t.Fatalf("%s: ambiguous %t, want %t", text, !large, large)
			}
		}
		numbers++
		if large {
			integers++
		}
	}
	if numbers == 0 || refused == 0 || integers == 0 {
		t.Error("the vectors lack a kind of number")
	}
	t.Logf("%d numbers, %d of them integers beyond 2^53, %d that are none", numbers, integers, refused)
}

func ambiguous(t *testing.T, text string) bool {
	t.Helper()
	doc, err := jsonscan.Scan([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Ambiguous() != nil
}

// Numbers on which readers may differ are found in each spelling. Numbers that a double
// represents are not reported.
func TestAmbiguousTextsAreFound(t *testing.T) {
	for _, text := range []string{
		"9007199254740992", "9007199254740993", "-9007199254740992", "9007199254740993.0", "9.007199254740993e15",
		"1e999", "-1e999", "1e999999999999999999999", "1e-999", "0.1000000000000000055511151231257827", "1E30", "0.30000000000000000001",
	} {
		doc, err := jsonscan.Scan([]byte(`{"a":[1,{"b":` + text + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var e *wayfind.Error
		var at *jsonscan.SyntaxError
		if err := doc.Ambiguous(); !errors.As(err, &e) || e.Code != wayfind.CodeSigNumber || !errors.As(err, &at) || at.Pointer != "/a/1/b" {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"0", "-0", "0e5", "0.000", "1", "1.0", "10e-1", "1e15", "9007199254740991", "-9007199254740991", "9007199254740991.00",
		"0.1", "0.10", "1e-1", "5e-324", "2.5e-10", "333333333.3333333", "-2.5", "123456789.125",
	} {
		if ambiguous(t, text) {
			t.Errorf("%s is ambiguous", text)
		}
	}
}

// A number without a canonical form, and a body that Scan refuses, have no form.
func TestCanonical_Refused(t *testing.T) {
	for text, want := range map[string]wayfind.Code{
		`{"a":1e999}`: wayfind.CodeSigNumber, `{"a":1,"a":2}`: wayfind.CodeJSONDuplicate, `{} {}`: wayfind.CodeJSONTrailing,
		`{"a":1,"\u0061":2}`: wayfind.CodeJSONDuplicate, "\"\xff\"": wayfind.CodeInvalidUTF8, `"\ud800"`: wayfind.CodeInvalidUTF8,
		`{a:1}`: wayfind.CodeJSONSyntax,
	} {
		got, err := jsonscan.Canonical([]byte(text))
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != want || got != nil {
			t.Errorf("%q: %s, %v, want code %s", text, got, err, want)
		}
	}
	if got, err := jsonscan.Canonical([]byte("\ufeff {\"b\" : 1e0, \"a\":\"\\u0041\"}")); string(got) != `{"a":"A","b":1}` {
		t.Errorf("%s, %v", got, err)
	}
}

// A value has one canonical form. Without ambiguous numbers, different values have different
// forms.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,null],"a":"\u20ac"}`, `9007199254740993`, `[1e-7,1E21,-0]`, "\ufeff\"x\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		testkit.BoundAllocs(t, len(body), 300, 16<<10, func() { _, _ = jsonscan.Canonical(body) })
		form, err := jsonscan.Canonical(body)
		if err != nil {
			return
		}
		again, err := jsonscan.Canonical(form)
		if err != nil || string(again) != string(form) {
			t.Fatalf("%q: form %q of form %q, %v", body, again, form, err)
		}
		doc, err := jsonscan.Scan(body)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := jsonscan.Scan(form)
		if err != nil || canonical.Nodes() != doc.Nodes() {
			t.Fatalf("%q: %d values became %v", body, doc.Nodes(), err)
		}
		if doc.Ambiguous() == nil && canonical.Ambiguous() != nil {
			t.Fatalf("%q: the form %q is ambiguous", body, form)
		}
	})
}
