package cache_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The differential test uses random exchanges, with the results of another implementation of RFC
// 9111 (internal/lab/oracle/semantics). For each disagreement, exactly one rule of semanticsRules gives
// the reason why our result is right.

// semanticsCase is one exchange with the verdict of the other implementation.
// Fields are lines "Name: value".
type semanticsCase struct {
	First  []string // request fields
	Status int
	Fields []string
	After  int      // seconds from the first request to the second
	Second []string // request fields
	Then   struct { // the answer of the origin to the second request; 0 breaks the connection
		Status int
		Fields []string
	}
	Later  int // seconds from the second request to the third, which is like the first
	Theirs semanticsVerdict
}

// semanticsVerdict is the result of a cache for an exchange. Later members apply only after certain
// values of the earlier ones.
type semanticsVerdict struct {
	Stored   bool
	Lifetime float64 // seconds
	Age      float64 // seconds, at the second request
	Use      string  // of the stored response, for the second request: hit, renew (in the background), miss
	Etag     string  // If-None-Match of the validation
	Modified string  // If-Modified-Since of it
	StandsIn bool    // the stored response answers for a failure
	Matches  bool    // the 304 is about the stored response
	Renewed  float64 // the lifetime that the 304 gives, in seconds
	Later    string  // use, for the third request
}

func TestSemanticsOracle(t *testing.T) {
	cases, base := readSemantics(t)
	ours := make([]semanticsVerdict, len(cases))
	atOnce := testkit.Crowd(len(cases))
	for first := 0; first < len(cases); first += atOnce {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(base))
			var all sync.WaitGroup
			for i := first; i < min(first+atOnce, len(cases)); i++ {
				all.Go(func() { ours[i] = cases[i].run(t, "https://example.com/"+strconv.Itoa(i)) })
			}
			all.Wait()
		})
	}
	rules := semanticsRules()
	used := make([]int, len(rules))
	agreed := 0
	for i, c := range cases {
		facet := disagreement(c, ours[i])
		if facet == "" {
			agreed++
			continue
		}
		var names []string
		for n, r := range rules {
			if r.facet == facet && r.explains(c, ours[i]) {
				names = append(names, r.name)
				used[n]++
			}
		}
		if len(names) != 1 {
			line, _ := json.Marshal(c)
			t.Errorf("case %d, %s: explained by %q\n%s\n(-theirs +ours)\n%s", i+1, facet, names, line, cmp.Diff(c.Theirs, ours[i]))
		}
	}
	for n, r := range rules {
		t.Logf("%5d  %-9s %s", used[n], r.facet, r.name)
		if used[n] == 0 {
			t.Errorf("the rule %q explains nothing", r.name)
		}
	}
	t.Logf("%d of %d cases agree", agreed, len(cases))
}

// readSemantics reads the cases, and the time at which they play.
func readSemantics(t *testing.T) ([]*semanticsCase, time.Time) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(golden.Read(t, "testdata/semantics.jsonl")))
	lines.Scan()
	var head struct{ Base time.Time }
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil || head.Base.IsZero() {
		t.Fatalf("semantics.jsonl: the first line does not say when: %v", err)
	}
	var cases []*semanticsCase
	for lines.Scan() {
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		c := &semanticsCase{}
		if err := dec.Decode(c); err != nil {
			t.Fatalf("semantics.jsonl, line %d: %v", len(cases)+2, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("semantics.jsonl: %d cases, %v", len(cases), err)
	}
	return cases, head.Base
}

// disagreement names the first point on which the verdicts differ; what comes
// after it may be its consequence.
func disagreement(c *semanticsCase, ours semanticsVerdict) string {
	theirs := c.Theirs
	switch {
	case ours.Stored != theirs.Stored:
		return "stored"
	case !ours.Stored:
		return ""
	case ours.Lifetime != theirs.Lifetime:
		return "lifetime"
	case ours.Age != theirs.Age:
		return "age"
	case ours.Use != theirs.Use:
		return "use"
	case ours.Etag != theirs.Etag || ours.Modified != theirs.Modified:
		return "condition"
	case ours.StandsIn != theirs.StandsIn:
		return "failure"
	case ours.Matches != theirs.Matches:
		return "match"
	case ours.Renewed != theirs.Renewed:
		return "renewed"
	case ours.Later != theirs.Later:
		return "later"
	}
	return ""
}

// run plays a case through a Transport of its own.
func (c *semanticsCase) run(t *testing.T, url string) semanticsVerdict {
	o := &semanticsOrigin{c: c}
	store := &semanticsStore{}
	tr := cache.NewTransport(store, o, &cache.Options{Strict: true, Harmless: []string{"X-Kind"}})
	defer tr.Close()
	var v semanticsVerdict
	first, err := c.ask(t, tr, url, c.First)
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return v
	}
	if kept := store.newest(); kept != nil {
		v.Stored, v.Lifetime = true, inSeconds(kept.Lifetime.For)
	}
	time.Sleep(time.Duration(c.After) * time.Second)
	v.Age = inSeconds(time.Duration(c.After)*time.Second + first.Age)

	o.failing = true
	second, err := c.ask(t, tr, url, c.Second)
	v.Use = useOf(second, err)
	if v.Use != "miss" || !v.Stored {
		return v
	}
	if o.second != nil {
		v.Etag, v.Modified = o.second.Get("If-None-Match"), o.second.Get("If-Modified-Since")
	}
	if c.Then.Status != http.StatusNotModified {
		v.StandsIn = err == nil && second.From == cache.FromStale
		return v
	}
	v.Matches = err == nil && second.From == cache.FromValidated
	if !v.Matches {
		return v
	}
	if kept := store.newest(); kept != nil {
		v.Renewed = inSeconds(kept.Lifetime.For)
	}
	time.Sleep(time.Duration(c.Later) * time.Second)
	third, err := c.ask(t, tr, url, c.First)
	v.Later = useOf(third, err)
	return v
}

// inSeconds rounds to what both sides can express.
func inSeconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// useOf derives from a response whether a request was sent to the origin first.
func useOf(f cache.Facts, err error) string {
	switch {
	case err != nil:
		return "miss"
	case f.From == cache.FromMemory, f.From == cache.FromStale && f.StaleReason == cache.StaleAccepted:
		return "hit"
	case f.From == cache.FromStale && f.StaleReason == cache.StaleRevalidating:
		return "renew"
	}
	return "miss"
}

func (*semanticsCase) ask(t *testing.T, rt http.RoundTripper, url string, fields []string) (cache.Facts, error) {
	req := newRequest(t.Context(), url)
	req.Header = headerOf(fields)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return cache.Facts{}, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return cache.Facts{}, err
	}
	_, facts, _ := cache.Of(resp)
	return facts, nil
}

// headerOf makes a header of lines "Name: value".
func headerOf(lines []string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

// semanticsOrigin answers the first request with the response of the case and
// all others with what comes then.
type semanticsOrigin struct {
	c       *semanticsCase
	failing bool
	second  http.Header // of the first request after the first
}

// RoundTrip implements http.RoundTripper.
func (o *semanticsOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	status, fields := o.c.Status, o.c.Fields
	if o.failing {
		if o.second == nil {
			o.second = req.Header.Clone()
		}
		status, fields = o.c.Then.Status, o.c.Then.Fields
		if req.Header["If-None-Match"] == nil && req.Header["If-Modified-Since"] == nil && status == http.StatusNotModified {
			status, fields = http.StatusOK, nil
		}
	}
	if status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: status, Header: headerOf(fields), Body: http.NoBody, ContentLength: 0, Request: req,
	}, nil
}

// semanticsStore is a store for one key that tests can inspect. Obligations are not compared.
type semanticsStore struct {
	cache.Store
	mu   sync.Mutex
	kept *cache.Variants
}

// Local implements cache.LocalStore.
func (*semanticsStore) Local() bool { return true }

// Load implements cache.Store.
func (s *semanticsStore) Load(context.Context, string) (*cache.Variants, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept, nil
}

// Save implements cache.Store.
func (s *semanticsStore) Save(_ context.Context, _ string, v *cache.Variants, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = v
	return nil
}

// Delete implements cache.Store.
func (s *semanticsStore) Delete(context.Context, string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
	return nil
}

func (s *semanticsStore) newest() *cache.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept.Entries) == 0 {
		return nil
	}
	return s.kept.Entries[0]
}
