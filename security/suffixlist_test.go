package security

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// wholeList returns the list in the vectors.
func wholeList(t *testing.T) *SuffixList {
	t.Helper()
	list, err := ParseSuffixList(strings.NewReader(string(golden.Read(t, golden.Vectors(t, "psl", "public_suffix_list.dat")))))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestThePublishedTestsOfTheSuffixListHold checks the list in the vectors with its published
// tests.
func TestThePublishedTestsOfTheSuffixListHold(t *testing.T) {
	list := wholeList(t)
	if n := list.size(); n < golden.Least(t, golden.EnvVectors, 10000) {
		t.Errorf("%d rules", n)
	}
	checks, ran := pslChecks(t, "tests.txt", strings.Fields), 0
	for _, c := range checks {
		want := strings.TrimSuffix(c[1], "null")
		canon, _, err := CanonicalHost(c[0])
		if err != nil {
			continue // not a host here: see TestRegistrableDomainsAreThoseOfTheList
		}
		ran++
		domain, listed := list.registrable(canon)
		if domain != ascii(t, want) {
			t.Errorf("%s: %q, want %q", c[0], domain, want)
		}
		if got, ok := list.RegistrableDomain(c[0]); ok != (listed && want != "") || ok && got != domain {
			t.Errorf("%s: %q, %v", c[0], got, ok)
		}
	}
	if ran < golden.Least(t, golden.EnvVectors, 50) {
		t.Errorf("only %d of %d checks", ran, len(checks))
	}
}

// TestTheSuffixListOfTheCallerDecides checks rows with the newer list, and differences between
// a caller's list and the bundled list.
func TestTheSuffixListOfTheCallerDecides(t *testing.T) {
	list := wholeList(t)
	for _, row := range golden.VectorRows(t, "psl", "own_same_site.tsv")[1:] {
		want := row[2] == "1"
		if a, b := list.SameSite(row[0], row[1]), list.SameSite(row[1], row[0]); a != want || b != want {
			t.Errorf("SameSite(%q, %q) = %v and %v, want %v (%s)", row[0], row[1], a, b, want, row[3])
		}
	}
	own, err := ParseSuffixList(strings.NewReader("// VERSION: 2027-01-02\x1b[2J\ncom // note\nmodal.run\n*.plat.com\n!own.plat.com\n公司.cn\n"))
	if err != nil {
		t.Fatal(err)
	}
	if own.Version() != "2027-01-02[2J" || (*SuffixList)(nil).Version() != "2026-08-19" {
		t.Errorf("versions %q and %q", own.Version(), (*SuffixList)(nil).Version())
	}
	for _, row := range []struct {
		a, b          string
		own, builtins bool
	}{
		{"a.modal.run", "b.modal.run", false, false},
		{"x.a.modal.run", "y.a.modal.run", true, true},
		{"a.github.io", "b.github.io", false, false},
		{"a.example.com", "b.example.com", true, true},
		{"x.example.org", "y.example.org", false, true}, // the list does not contain org
		{"x.y.plat.com", "x.z.plat.com", false, true},
		{"a.own.plat.com", "b.own.plat.com", true, true},
		{"a.xn--55qx5d.cn", "b.公司.cn", false, false},
		{"x.a.xn--55qx5d.cn", "y.a.公司.cn", true, true},
	} {
		if got := own.SameSite(row.a, row.b); got != row.own {
			t.Errorf("own list: %s and %s: %v", row.a, row.b, got)
		}
		if got := bundled().SameSite(row.a, row.b); got != row.builtins {
			t.Errorf("bundled list: %s and %s: %v", row.a, row.b, got)
		}
		u := func(host string) *url.URL { return &url.URL{Scheme: "https", Host: host, Path: "/"} }
		if got := own.TrustOf(u(row.a), nil, u(row.b)) == wayfind.TrustSameSite; got != row.own {
			t.Errorf("own list: trust of %s and %s: %v", row.a, row.b, got)
		}
	}
}

// TestSuffixListIdentity checks that comments and order do not change the identity of a list,
// but that a rule does.
func TestSuffixListIdentity(t *testing.T) {
	fingerprint := func(text string) string {
		list, err := ParseSuffixList(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return (&Guard{SuffixList: list}).Fingerprint()
	}
	a := fingerprint("com\nnet\n*.ck\n!www.ck\n")
	if b := fingerprint("// VERSION: 1\n!www.ck\r\n\n  net   rest is not read\n*.CK\ncom\ncom\n"); a != b || a == "" {
		t.Errorf("%q and %q", a, b)
	}
	for _, other := range []string{"com\nnet\n*.ck\n", "com\nnet\nck\n!www.ck\n", "com\nnet\n*.ck\nwww.ck\n"} {
		if fingerprint(other) == a {
			t.Errorf("%q has the same fingerprint", other)
		}
	}
	if err := (&Guard{SuffixList: &SuffixList{}}).Validate(); err == nil {
		t.Error("a list that was not parsed is accepted")
	}
}

func TestParseSuffixListErrors(t *testing.T) {
	for text, line := range map[string]int{
		"com\n\n// x\n*\n":                 4,
		"*.\n":                             1,
		"!\n":                              1,
		"com\n!com\n":                      2,
		"a.*.com\n":                        1,
		"!*.com\n":                         1,
		"*.*.com\n":                        1,
		"com\n.net\n":                      2,
		"com.\n":                           1,
		"a..com\n":                         1,
		"<html>\n":                         1,
		"com\nexa\u00admple.com\n":         2,
		"com\nnet\nx\u200by.com\n":         3,
		"-a.com\n":                         1,
		strings.Repeat("a", 64) + ".com":   1,
		"com\n" + strings.Repeat("a.", 99): 2,
		"# comment\n":                      1,
	} {
		list, err := ParseSuffixList(strings.NewReader(text))
		rule, ok := errors.AsType[*suffixRuleError](err)
		if !ok || rule.Line != line || list != nil || code(err) != wayfind.CodeSchema || !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
	for text, want := range map[string]wayfind.Code{
		"":                                   wayfind.CodeSchema,
		"// nothing\n":                       wayfind.CodeSchema,
		"com\n\xff.net\n":                    wayfind.CodeInvalidUTF8,
		strings.Repeat("com\n", 1<<20) + "x": wayfind.CodeTooLarge,
	} {
		if list, err := ParseSuffixList(strings.NewReader(text)); code(err) != want || list != nil {
			t.Errorf("%.20q: %v, want code %q", text, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := ParseSuffixList(io.MultiReader(strings.NewReader("com\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("an error of the reader: %v", err)
	}
}

// TestSuffixListIsShared uses a list in several goroutines.
func TestSuffixListIsShared(t *testing.T) {
	list := wholeList(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if !list.SameSite("a.example.co.uk", "b.example.co.uk") || list.SameSite("a.co.uk", "b.co.uk") {
					t.Error("co.uk is read wrongly")
					return
				}
			}
		})
	}
	wg.Wait()
}

// FuzzSuffixList checks that an accepted list can be printed and read again, and then gives the
// same results.
func FuzzSuffixList(f *testing.F) {
	for _, text := range []string{"com\n*.ck\n!www.ck\n", "// VERSION: x\n公司.cn\n", "*\n", "a.*.b\n", "\ufeffcom\n"} {
		f.Add(text, "a.www.ck", "b.www.ck")
	}
	f.Fuzz(func(t *testing.T, text, a, b string) {
		testkit.BoundAllocs(t, len(text), 100, 16<<10, func() { _, _ = ParseSuffixList(strings.NewReader(text)) })
		list, err := ParseSuffixList(strings.NewReader(text))
		if (list == nil) != (err != nil) {
			t.Fatalf("%v beside %v", list, err)
		}
		if err != nil {
			return
		}
		var again strings.Builder
		for kind, names := range map[string]map[string]bool{"": list.rules.plain, "*.": list.rules.wildcard, "!": list.rules.exception} {
			for name := range names {
				again.WriteString(kind + name + "\n")
			}
		}
		second, err := ParseSuffixList(strings.NewReader(again.String()))
		if err != nil || second.digest != list.digest {
			t.Fatalf("%q is read as %q, and then: %v", text, again.String(), err)
		}
		if list.SameSite(a, b) != second.SameSite(b, a) {
			t.Fatalf("%q and %q: differ", a, b)
		}
	})
}
