package cache_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// suiteStart is the time in the bubble at which the tests run: some contain dates that must be less
// than fifty years ahead.
const suiteStart = 26 * 365 * 24 * time.Hour

// suiteRole is a role of a cache, with the callers that it serves.
type suiteRole struct {
	name, file string
	// scope returns the scope of a test, with the reason if it is not part of the figures.
	scope func(*suiteTest) (scope, reason string)
	other string // the scope of tests that bind the other role only
}

// hold runs all tests and compares the results with the file.
func (r *suiteRole) hold(t *testing.T, put func(*testing.T, http.RoundTripper) http.RoundTripper) {
	t.Helper()
	tests, results, totals := r.run(t, put)
	out := bytes.NewBufferString(totals)
	for _, test := range tests {
		scope, why := r.scope(test)
		result := results[test.ID]
		if scope == suiteCounted {
			why = questions()[test.ID].why
		}
		if result == "pass" || result == "yes" {
			why = ""
		}
		line := fmt.Sprintf("%-59s %-8s %-11s %-10s %s", test.ID, test.Kind, scope, result, why)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	golden.Compare(t, out.Bytes(), "testdata/"+r.file)
}

// agree runs all tests and compares the figures with the file. Results out of scope may depend on
// the way in which the cache and the origin are connected.
func (r *suiteRole) agree(t *testing.T, put func(*testing.T, http.RoundTripper) http.RoundTripper) {
	t.Helper()
	_, _, totals := r.run(t, put)
	if !strings.HasPrefix(string(golden.Read(t, "testdata/"+r.file)), totals) {
		t.Errorf("testdata/%s has other figures", r.file)
	}
}

// run runs all tests and judges the tests in scope.
func (r *suiteRole) run(t *testing.T, put func(*testing.T, http.RoundTripper) http.RoundTripper) (tests []*suiteTest, results map[string]string, totals string) {
	t.Helper()
	tests = readSuite(t)
	if len(tests) == 0 {
		t.Fatal("no tests")
	}
	failures := runSuite(t, tests, put)
	results = judgeSuite(tests, failures)
	for _, test := range tests {
		result := results[test.ID]
		if scope, _ := r.scope(test); scope != suiteCounted {
			continue
		}
		if problem := r.problem(test, result); problem != "" {
			t.Errorf("%s (%s): %s, %s: %v", test.ID, test.Kind, result, problem, failures[test.ID])
		}
	}
	totals = r.totals(tests, results)
	t.Log("\n" + totals)
	return tests, results, totals
}

// Without a cache the runner reports no use of a cache, so a use that it reports is made by the
// cache.
func TestHTTPCacheTestsWithoutCache(t *testing.T) {
	tests := readSuite(t)
	results := judgeSuite(tests, runSuite(t, tests, func(_ *testing.T, o http.RoundTripper) http.RoundTripper { return o }))
	for _, test := range tests {
		if scope, _ := suiteScope(test); scope == suiteCounted && test.Kind == "optimal" && results[test.ID] == "pass" {
			t.Errorf("%s passes without a cache", test.ID)
		}
	}
}

// runSuite runs all tests through what put makes of the origin, and returns
// what went wrong in each.
func runSuite(t *testing.T, tests []*suiteTest, put func(*testing.T, http.RoundTripper) http.RoundTripper) map[string]error {
	t.Helper()
	failures := map[string]error{}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(suiteStart)
		o := &suiteOrigin{}
		rt := put(t, o)
		for _, test := range tests {
			failures[test.ID] = runSuiteTest(t, rt, o, test)
		}
	})
	return failures
}

// problem returns the fault in the result of a test in scope, whatever the golden file has: a
// required test and one for an optimal cache must pass, and a question must be known and have the
// wanted answer.
func (r *suiteRole) problem(test *suiteTest, result string) string {
	switch test.Kind {
	case "required", "optimal":
		if result != "pass" {
			return "want pass"
		}
	case "check":
		q, ok := questions()[test.ID]
		if !ok {
			return "a question without an opinion"
		}
		if q.want != "" && result != q.want {
			return "want " + q.want
		}
	}
	return ""
}

// judgeSuite turns failures into results as lib/display.mjs does: if a test that another depends on
// does not pass, the other is not judged.
func judgeSuite(tests []*suiteTest, failures map[string]error) map[string]string {
	byID := map[string]*suiteTest{}
	for _, test := range tests {
		byID[test.ID] = test
	}
	results := map[string]string{}
	var judge func(id string) string
	judge = func(id string) string {
		if r, ok := results[id]; ok {
			return r
		}
		test := byID[id]
		r := suiteResult(test, failures[id])
		for _, other := range test.DependsOn {
			if d := judge(other); d != "pass" && d != "yes" {
				r = "dependency"
			}
		}
		results[id] = r
		return r
	}
	for _, test := range tests {
		judge(test.ID)
	}
	return results
}

func suiteResult(test *suiteTest, err error) string {
	var failure *suiteFailure
	switch {
	case errors.Is(err, errSuiteRetry):
		return "retry"
	case errors.As(err, &failure) && failure.setup:
		return "setup"
	}
	words := map[string][2]string{
		"required": {"pass", "fail"}, "optimal": {"pass", "suboptimal"}, "check": {"yes", "no"},
	}[test.Kind]
	if err != nil {
		return words[1]
	}
	return words[0]
}

// totals returns the figures: for the tests in scope, the number of good results; for the rest, the
// number of tests in each scope.
func (r *suiteRole) totals(tests []*suiteTest, results map[string]string) string {
	good, all := map[string]int{}, map[string]int{}
	for _, test := range tests {
		group, _ := r.scope(test)
		want := "pass"
		if group == suiteCounted {
			group = test.Kind
			if test.Kind == "check" {
				want = questions()[test.ID].want
				group = map[string]string{"yes": "wanted yes", "no": "wanted no"}[want]
			}
		}
		all[group]++
		if results[test.ID] == want {
			good[group]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# http-cache-tests as %s, %d tests\n#", r.name, len(tests))
	for _, group := range []string{"required", "optimal", "wanted yes", "wanted no"} {
		fmt.Fprintf(&b, " %s: %d of %d;", group, good[group], all[group])
	}
	fmt.Fprintf(&b, " either way: %d\n# not counted:", all[""])
	for _, scope := range []string{r.other, "cdn", "browser", "contrary", "not-offered", "decided"} {
		fmt.Fprintf(&b, " %s %d", scope, all[scope])
	}
	b.WriteString("\n")
	return b.String()
}

// Without Options.Harmless the fields of the suite are unknown, so no request finds the answer to
// another one. A cache then does nothing that it must not do.
func TestHTTPCacheTestsOfUnknownFields(t *testing.T) {
	tests := readSuite(t)
	none := judgeSuite(tests, runSuite(t, tests, func(_ *testing.T, o http.RoundTripper) http.RoundTripper { return o }))
	results := judgeSuite(tests, runSuite(t, tests, func(t *testing.T, o http.RoundTripper) http.RoundTripper {
		return newTransport(t, o, strict())
	}))
	for _, test := range tests {
		if scope, _ := suiteScope(test); scope == suiteCounted && test.Kind != "check" && results[test.ID] != none[test.ID] && results[test.ID] != "pass" {
			t.Errorf("%s: %s, without a cache %s", test.ID, results[test.ID], none[test.ID])
		}
	}
}
