package cache_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// suitePause is the pause of the suite after a request that asks for one.
const suitePause = 3 * time.Second

// suiteFailure is a check that failed.
type suiteFailure struct {
	setup   bool
	message string
}

// Error implements error.
func (f *suiteFailure) Error() string { return f.message }

// errSuiteRetry is a failure of the set-up with a name of its own: the cache
// has asked twice for the same thing.
var errSuiteRetry = errors.New("retry")

// must is a check.
func must(setup, ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return &suiteFailure{setup, fmt.Sprintf(format, args...)}
}

// suiteGot is a response that the client got. It is nil if the origin broke the connection and the
// cache passed that on.
type suiteGot struct {
	status int
	header http.Header
	body   string
}

// runSuiteTest is client/test.mjs: it sends the requests of a test, and checks the responses and
// the requests at the origin. Nil is a pass.
func runSuiteTest(t *testing.T, rt http.RoundTripper, o *suiteOrigin, test *suiteTest) error {
	t.Helper()
	o.expect(test)
	var got []*suiteGot
	for i, step := range test.Requests {
		var before *suiteGot
		if i > 0 {
			before = got[i-1]
		}
		g, err := send(t, rt, test, i, before)
		if err != nil && (!step.Disconnect || step.ExpectedType != "not_cached") {
			return &suiteFailure{false, err.Error()}
		}
		got = append(got, g)
		if g != nil {
			if err := checkGot(test, i, g); err != nil {
				return err
			}
		}
		if step.PauseAfter {
			time.Sleep(suitePause)
		}
	}
	synctest.Wait() // for requests in the background
	return checkSeen(test, got, o.seen(test))
}

// send sends a request of a test, as a browser with its cache would: without
// fields that the test does not name.
func send(t *testing.T, rt http.RoundTripper, test *suiteTest, i int, before *suiteGot) (*suiteGot, error) {
	t.Helper()
	step := test.Requests[i]
	u := &url.URL{Scheme: "http", Host: "cache-tests.example", Path: "/" + test.ID, RawQuery: step.Query}
	if step.Filename != "" {
		u.Path += "/" + step.Filename
	}
	method := step.Method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if step.Body != "" {
		body = strings.NewReader(step.Body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, u.String(), body)
	if err != nil {
		t.Fatalf("%s: %v", test.ID, err)
	}
	for _, f := range step.Headers {
		if step.MagicIMS && strings.EqualFold(f.Name, "If-Modified-Since") && before != nil {
			f = f.resolve(step, serverNow(before), "")
		}
		req.Header.Add(f.Name, f.Value)
	}
	req.Header.Set("Test-Id", test.ID)
	req.Header.Set("Req-Num", strconv.Itoa(i+1))
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &suiteGot{resp.StatusCode, resp.Header, string(b)}, nil
}

// serverNow is when the origin made a response.
func serverNow(g *suiteGot) time.Time {
	ms, _ := strconv.ParseInt(g.header.Get("Server-Now"), 10, 64)
	return time.UnixMilli(ms)
}

// checkGot checks a response.
func checkGot(test *suiteTest, i int, g *suiteGot) error {
	step, n := test.Requests[i], i+1
	numbers := strings.Fields(g.header.Get("Request-Numbers"))
	for i, number := range numbers {
		if slices.Contains(numbers[:i], number) {
			return errSuiteRetry
		}
	}
	return cmp.Or(
		checkType(step, n, g), checkStatus(step, n, g), checkHeaders(step, n, g), checkMissing(step, n, g), checkBody(test, step, n, g),
	)
}

func checkType(step *suiteStep, n int, g *suiteGot) error {
	count, err := strconv.Atoi(g.header.Get("Server-Request-Count"))
	known := err == nil
	switch step.ExpectedType {
	case "cached":
		ok := known && count < n || g.status == http.StatusNotModified && !known
		return must(step.isSetup("expected_type"), ok, "response %d does not come from cache", n)
	case "not_cached":
		return must(step.isSetup("expected_type"), known && count == n, "response %d comes from cache", n)
	}
	return nil
}

func checkStatus(step *suiteStep, n int, g *suiteGot) error {
	setup, want := true, http.StatusOK
	switch {
	case step.ExpectedStatus != 0:
		setup, want = step.isSetup("expected_status"), step.ExpectedStatus
	case step.Status != nil:
		want = step.Status.Code
	case g.status == suiteNoCondition:
		return must(step.isSetup("expected_type"), false, "request %d should have been conditional, but it was not", n)
	}
	return must(setup, g.status == want, "response %d has status %d, not %d", n, g.status, want)
}

func checkHeaders(step *suiteStep, n int, g *suiteGot) error {
	setup := step.isSetup("expected_response_headers")
	for _, f := range step.ExpectedHeaders {
		value := joined(g.header, f.Name)
		var err error
		switch {
		case f.Bare:
			err = must(setup, len(g.header.Values(f.Name)) > 0, "response %d has no %s", n, f.Name)
		case f.Op == "=":
			err = must(setup, value != "" && value == joined(g.header, f.Value), "response %d: %s is %q, not that of %s", n, f.Name, value, f.Value)
		case f.Op == ">":
			number, bad := strconv.Atoi(value)
			err = must(setup, bad == nil && number > f.Seconds, "response %d: %s is %q, not above %d", n, f.Name, value, f.Seconds)
		default:
			want := f.resolve(step, serverNow(g), g.header.Get("Server-Base-Url")).Value
			err = must(setup, value == want, "response %d: %s is %q, not %q", n, f.Name, value, want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkMissing is stricter than the suite, which looks for the values of fields in the wrong place.
func checkMissing(step *suiteStep, n int, g *suiteGot) error {
	setup := step.isSetup("expected_response_headers_missing")
	for _, f := range step.ExpectedMissing {
		value := joined(g.header, f.Name)
		missing := len(g.header.Values(f.Name)) == 0
		if !f.Bare {
			missing = !strings.Contains(value, f.Value)
		}
		if err := must(setup, missing, "response %d has %s: %q", n, f.Name, value); err != nil {
			return err
		}
	}
	return nil
}

func checkBody(test *suiteTest, step *suiteStep, n int, g *suiteGot) error {
	setup, want := true, test.ID
	switch {
	case step.CheckBody != nil && !*step.CheckBody:
		return nil
	case step.ExpectedText != nil:
		var text *string
		if err := json.Unmarshal(step.ExpectedText, &text); err != nil || text == nil {
			return err
		}
		setup, want = step.isSetup("expected_response_text"), *text
	case step.ResponseBody != nil:
		want = *step.ResponseBody
	case g.status == http.StatusNoContent, g.status == http.StatusNotModified, step.Method == http.MethodHead:
		return nil
	}
	return must(setup, g.body == want, "response %d has the body %q, not %q", n, g.body, want)
}

// checkSeen compares the requests at the origin with the expected ones.
func checkSeen(test *suiteTest, got []*suiteGot, seen []suiteSeen) error {
	for i, step := range test.Requests {
		if step.ExpectedType == "cached" {
			continue // the origin does not see it
		}
		var one *suiteSeen
		if len(seen) > 0 {
			one, seen = &seen[0], seen[1:]
		}
		if err := checkOneSeen(step, i+1, got[i], one); err != nil {
			return err
		}
	}
	return nil
}

func checkOneSeen(step *suiteStep, n int, g *suiteGot, one *suiteSeen) error {
	setup := step.isSetup("expected_type")
	condition := map[string]string{"etag_validated": "If-None-Match", "lm_validated": "If-Modified-Since"}[step.ExpectedType]
	if one == nil {
		wanted := step.ExpectedType != "" || len(step.ExpectedSent) > 0 || step.ExpectedMethod != ""
		return must(setup, !wanted, "request %d did not reach the origin", n)
	}
	if step.ExpectedType == "not_cached" && one.number != n {
		return must(setup, false, "response %d comes from cache (%d at the origin)", n, one.number)
	}
	if condition != "" && one.header[condition] == nil {
		return must(setup, false, "request %d has no %s", n, condition)
	}
	for _, f := range step.ExpectedSent {
		value := joined(one.header, f.Name)
		ok := f.Bare && len(one.header.Values(f.Name)) > 0 || !f.Bare && value == f.Value
		if err := must(step.isSetup("expected_request_headers"), ok, "request %d: %s is %q, not %q", n, f.Name, value, f.Value); err != nil {
			return err
		}
	}
	for _, f := range one.kept {
		if strings.EqualFold(f.Name, "Date") || g == nil {
			continue
		}
		if value := joined(g.header, f.Name); value != f.Value {
			return must(true, false, "response %d: %s is %q, not %q", n, f.Name, value, f.Value)
		}
	}
	return must(step.isSetup("expected_method"), step.ExpectedMethod == "" || one.method == step.ExpectedMethod,
		"request %d had the method %s, not %s", n, one.method, step.ExpectedMethod)
}
