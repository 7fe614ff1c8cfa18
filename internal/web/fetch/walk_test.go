package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

const start = "https://a.example/.well-known/ai"

// hop is one answer of a chain: a status and its Location headers.
type hop struct {
	Status    int
	Locations []string
}

// chain answers each request with the next hop, and with a document after the
// last.
type chain struct {
	hops []hop
	seen []*Ask
}

func (c *chain) Do(_ context.Context, a *Ask) (*http.Response, error) {
	h := hop{Status: 200}
	if len(c.seen) < len(c.hops) {
		h = c.hops[len(c.seen)]
	}
	c.seen = append(c.seen, a)
	resp := &http.Response{StatusCode: h.Status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("doc"))}
	if h.Locations != nil {
		resp.Header["Location"] = h.Locations
	}
	return resp, nil
}

func (c *chain) urls() []string {
	var urls []string
	for _, r := range c.seen {
		urls = append(urls, r.URL.String())
	}
	return urls
}

// outcome is the result of a walk.
type outcome struct {
	Op, Final string
	Code      wayfind.Code
	Kind      error
	Chain     []string
	CrossSite bool
	Requests  int
	Status    int // of the last answer
}

// follow walks over a step, as package client does over its cache, and returns the last answer even
// with an error.
func follow(ctx context.Context, step Step, w *Walk) (last *http.Response, err error) {
	for {
		resp, err := step.Do(ctx, &Ask{URL: w.Final(), Header: http.Header{"Accept": {"application/json"}}, MaxBytes: 100})
		if err != nil {
			return last, err
		}
		last = resp
		done, err := w.Next(resp.StatusCode, resp.Header["Location"])
		if done || err != nil {
			return last, err
		}
		_ = resp.Body.Close()
	}
}

func walkOf(t testing.TB, hops []hop, change func(*Walk)) (outcome, *chain) {
	t.Helper()
	c := &chain{hops: hops}
	w := &Walk{URL: mustURL(t, start), Redirects: 5}
	if change != nil {
		change(w)
	}
	last, err := follow(t.Context(), c, w)
	o := outcome{Final: w.Final().String(), Chain: w.Chain, CrossSite: w.CrossSite, Requests: len(c.seen), Status: last.StatusCode}
	if err != nil {
		a := answerOf(t, 0, "", err)
		o.Op, o.Code, o.Kind = a.Op, a.Code, a.Kind
	}
	return o, c
}

func sameOutcome(t *testing.T, want, got outcome) {
	t.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.EquateErrors(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// stops is a walk that the first answer ends.
func stops(code wayfind.Code, status int) outcome {
	return outcome{Op: "redirect", Final: start, Code: code, Kind: wayfind.ErrRefused, Requests: 1, Status: status}
}

func redirects(locations ...string) []hop {
	var hops []hop
	for _, l := range locations {
		hops = append(hops, hop{302, []string{l}})
	}
	return hops
}

// TestRedirectsLeadWhereTheirVectorsSay runs the vectors of redirects.
func TestRedirectsLeadWhereTheirVectorsSay(t *testing.T) {
	var file struct {
		Start string
		Cases []struct {
			Name string
			Want string
			Hops []struct {
				Status   int
				Location json.RawMessage
			}
		}
	}
	read(t, golden.Vectors(t, "http", "own_redirects.json"), &file)
	if file.Start != start || len(file.Cases) == 0 {
		t.Fatalf("%d cases from %q", len(file.Cases), file.Start)
	}
	for _, c := range file.Cases {
		if strings.Contains(c.Name, "POST") {
			continue // nothing here sends one: TestOriginAndMethodRefused
		}
		t.Run(c.Name, func(t *testing.T) {
			var hops []hop
			for _, h := range c.Hops {
				hops = append(hops, hop{h.Status, locations(t, h.Location)})
			}
			got, chain := walkOf(t, hops, nil)
			codes := wantCodes(t, c.Want)
			if code, ours := askedOverTLS()[c.Name]; ours {
				codes = []wayfind.Code{code}
			}
			if !slices.Contains(codes, got.Code) {
				t.Errorf("%+v, want %q (%s)", got, codes, c.Want)
			}
			for _, u := range chain.urls() {
				if !strings.HasPrefix(u, "https://") {
					t.Errorf("asked %q", u)
				}
			}
			if strings.Contains(c.Name, "cross site") && !got.CrossSite {
				t.Errorf("not marked as cross-site: %s", c.Want)
			}
		})
	}
}

// askedOverTLS are the vectors whose redirect to http we ask over https: the vectors refuse all of
// them, but many bare names lead to www in this way, and nothing is sent over http.
func askedOverTLS() map[string]wayfind.Code {
	return map[string]wayfind.Code{"downgrade": "", "HTTP upper case": "", "downgrade then upgrade": wayfind.CodeRedirectLoop}
}

func locations(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var many []string
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '[' {
		read := json.Unmarshal(raw, &many)
		if read != nil {
			t.Fatal(read)
		}
		return many
	}
	var one string
	if err := json.Unmarshal(raw, &one); err != nil {
		t.Fatal(err)
	}
	return []string{one}
}

// wantCodes translates the vectors' names of errors; "" is success.
func wantCodes(t *testing.T, want string) []wayfind.Code {
	t.Helper()
	names := []struct {
		word string
		code wayfind.Code
	}{
		{"ErrRedirectLoop", wayfind.CodeRedirectLoop}, {"ErrRedirectLimit", wayfind.CodeRedirectLimit},
		{"ErrRedirectDowngrade", wayfind.CodeRedirectDowngrade}, {"ErrRedirectLocation", wayfind.CodeRedirectLocation},
		{"ErrPort", wayfind.CodePort}, {"ErrHostIPLiteral", wayfind.CodeHostIPLiteral},
		{"ErrHostNumeric", wayfind.CodeHostNumeric}, {"ErrHostSingleLabel", wayfind.CodeHostSingleLabel},
		{"ErrHostSpecialUse", wayfind.CodeHostSpecialUse}, {"ErrScheme", wayfind.CodeScheme}, {"ErrStatus", wayfind.CodeStatus},
	}
	if strings.HasPrefix(want, "agents.md: ") { // others follow
		return []wayfind.Code{""}
	}
	var codes []wayfind.Code
	for _, n := range names {
		if strings.Contains(want, n.word) {
			codes = append(codes, n.code)
		}
	}
	if strings.Contains(want, "Loop or Limit") {
		codes = append(codes, wayfind.CodeRedirectLimit)
	}
	if len(codes) == 0 {
		codes = []wayfind.Code{""}
	}
	return codes
}

func TestRedirectsHaveALimit(t *testing.T) {
	all := redirects("/1", "/2", "/3", "/4", "/5", "/6")
	for limit, requests := range map[int]int{5: 6, 2: 3, 0: 1, -1: 1} {
		got, _ := walkOf(t, all, func(w *Walk) { w.Redirects = limit })
		if got.Code != wayfind.CodeRedirectLimit || got.Requests != requests || len(got.Chain) != requests-1 {
			t.Errorf("limit %d: %+v", limit, got)
		}
	}
	got, _ := walkOf(t, all[:5], nil)
	sameOutcome(t, outcome{
		Final:    "https://a.example/5",
		Chain:    []string{"https://a.example/1", "https://a.example/2", "https://a.example/3", "https://a.example/4", "https://a.example/5"},
		Requests: 6, Status: 200,
	}, got)
}

func TestARedirectToPlainHTTPIsRefused(t *testing.T) {
	for _, l := range []string{start, "http:/x", "http://a.example:443/", "http://a.example:8080/", "http://u@a.example/x", "http://u:p@a.example:80/x"} {
		got, _ := walkOf(t, redirects(strings.Replace(l, "https:", "HTTP:", 1)), nil)
		want := stops(wayfind.CodeRedirectDowngrade, 302)
		if strings.Contains(l, "@") {
			want.Code = got.Code // the user is refused first, or the scheme
		}
		sameOutcome(t, want, got)
	}
}

// A bare name that leads to www by way of http is asked over https alone.
func TestARedirectOverHTTPIsAskedOverTLS(t *testing.T) {
	for from, to := range map[string]string{
		"http://a.example/x?y=%2F": "https://a.example/x?y=%2F", "HTTP://a.example:80/x%2fy": "https://a.example/x%2fy",
		"http://a.example": "https://a.example/",
	} {
		got, _ := walkOf(t, redirects(from), nil)
		sameOutcome(t, outcome{Final: to, Chain: []string{to}, Requests: 2, Status: 200}, got)
	}
}

func TestARedirectToAnotherSiteIsToldOrRefused(t *testing.T) {
	away := redirects("https://evil.example.net/ai")
	got, _ := walkOf(t, away, nil)
	sameOutcome(t, outcome{
		Final: "https://evil.example.net/ai", Chain: []string{"https://evil.example.net/ai"},
		CrossSite: true, Requests: 2, Status: 200,
	}, got)
	got, _ = walkOf(t, away, func(w *Walk) { w.SameSiteOnly = true })
	sameOutcome(t, stops(wayfind.CodeRedirectCrossSite, 302), got)
	got, _ = walkOf(t, redirects("https://www.example.com/ai"), func(w *Walk) {
		w.URL, w.SameSiteOnly = mustURL(t, "https://shop.example.com/ai"), true
	})
	if got.Code != "" || got.CrossSite {
		t.Errorf("same site: %+v", got)
	}
}

// TestADetourOverTheSiteIsADetour: a detour over the real site is still a detour.
func TestADetourOverTheSiteIsADetour(t *testing.T) {
	got, _ := walkOf(t, redirects("/login?next=x", "https://evil.example.net/", "https://a.example/ai"), nil)
	sameOutcome(t, outcome{
		Final:     "https://a.example/ai",
		Chain:     []string{"https://a.example/login?next=x", "https://evil.example.net/", "https://a.example/ai"},
		CrossSite: true, Requests: 4, Status: 200,
	}, got)
}

func TestARedirectWithUserinfoIsRefused(t *testing.T) {
	for _, l := range []string{"https://u:p@a.example/x", "//u@a.example/", "https://@a.example/"} {
		got, _ := walkOf(t, redirects(l), nil)
		sameOutcome(t, stops(wayfind.CodeRedirectLocation, 302), got)
	}
}

func TestOddLocationsAreRefused(t *testing.T) {
	for _, values := range [][]string{
		nil, {""}, {" "}, {"/1", "https://evil.example.net/2"}, {"/1", "/1"}, {"/" + strings.Repeat("a", 8192)},
		{"https:evil.example.net/"}, {"https:///evil.example.net/x"}, {"ht\ttps://evil.example.net/"},
		{"https://evil.example.net\\@a.example/"}, {"https://a.example.well-known/ai"}, {"https://a.example:99999/x"},
	} {
		got, _ := walkOf(t, []hop{{302, values}}, nil)
		sameOutcome(t, stops(wayfind.CodeRedirectLocation, 302), got)
	}
	exact := "/" + strings.Repeat("a", maxLocation-len("https://a.example/"))
	if got, _ := walkOf(t, redirects(exact), nil); got.Code != "" {
		t.Errorf("longest URL: %+v", got)
	}
}

func TestOtherStatusesThanRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{300, 304, 305, 306, 309, 399} {
		got, _ := walkOf(t, []hop{{status, []string{"/x"}}}, nil)
		sameOutcome(t, stops(wayfind.CodeStatus, status), got)
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		got, _ := walkOf(t, []hop{{status, []string{"/x"}}}, nil)
		sameOutcome(t, outcome{Final: "https://a.example/x", Chain: []string{"https://a.example/x"}, Requests: 2, Status: 200}, got)
	}
}

// TestNoHopLearnsTheOneBeforeIt: the next hop does not learn the URL before it, even if the caller
// sends a Referer.
func TestNoHopLearnsTheOneBeforeIt(t *testing.T) {
	w := newWorld(t)
	var seen []http.Header
	w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		http.Redirect(rw, r, map[string]string{
			"/": "https://shop.example.com:443/x?token=public#frag", "/x": "https://evil.example.net/",
		}[r.URL.Path], http.StatusFound)
	})
	w.site("evil.example.net", ip2, func(rw http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		hello(rw, r)
	})
	stack := w.stack(nil)
	var urls []string
	_, err := follow(t.Context(), stepFunc(func(ctx context.Context, a *Ask) (*http.Response, error) {
		urls = append(urls, a.URL.String())
		a.Header.Set("Referer", "https://before.example/")
		return stack.Do(ctx, a)
	}), &Walk{URL: mustURL(t, site+"/"), Redirects: 5})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "User-Agent": {defaultUserAgent}}
	if diff := gocmp.Diff([]http.Header{header, header, header}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{site + "/", site + "/x?token=public", "https://evil.example.net/"}
	if diff := gocmp.Diff(want, urls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingOfARefusedRedirectIsSent: the target of a refused redirect is not requested, looked up
// or connected to, and no part of its URL is sent anywhere.
func TestNothingOfARefusedRedirectIsSent(t *testing.T) {
	for _, tt := range []struct {
		status    int
		locations []string
		code      wayfind.Code
	}{
		{302, []string{"http://shop.example.com:8080/"}, wayfind.CodeRedirectDowngrade},
		{302, []string{"HTTP://shop.example.com:81/"}, wayfind.CodeRedirectDowngrade},
		{301, []string{"http://shop.example.com:443/"}, wayfind.CodeRedirectDowngrade},
		{308, []string{"http://evil.example.net:8080/"}, wayfind.CodeRedirectDowngrade},
		{302, []string{"https://u:p@shop.example.com/x"}, wayfind.CodeRedirectLocation},
		{302, []string{"/1", "https://evil.example.net/2"}, wayfind.CodeRedirectLocation},
		{302, []string{"https:evil.example.net"}, wayfind.CodeRedirectLocation},
		{302, []string{"https:///evil.example.net"}, wayfind.CodeRedirectLocation},
		{302, []string{"gopher://evil.example.net/"}, wayfind.CodeScheme},
		{302, []string{"file:///etc/passwd"}, wayfind.CodeScheme},
		{302, nil, wayfind.CodeRedirectLocation},
		{300, []string{"https://evil.example.net/"}, wayfind.CodeStatus},
		{304, []string{"https://evil.example.net/"}, wayfind.CodeStatus},
		{305, []string{"https://evil.example.net/"}, wayfind.CodeStatus},
		{306, []string{"https://evil.example.net/"}, wayfind.CodeStatus},
	} {
		for _, proto := range []string{"h2", "http/1.1"} {
			w := newWorld(t)
			var seen atomic.Int32
			w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
				seen.Add(1)
				for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie", "Referer"} {
					if r.Header[name] != nil {
						t.Errorf("%q: sent %s: %q", tt.locations, name, r.Header[name])
					}
				}
				rw.Header()["Location"] = tt.locations
				rw.WriteHeader(tt.status)
			}, proto)
			w.name("evil.example.net", ip2)
			_, err := follow(t.Context(), w.stack(nil), &Walk{URL: mustURL(t, site), Redirects: 5})
			sameAnswer(t, answer{Op: "redirect", Code: tt.code, Kind: wayfind.ErrRefused}, answerOf(t, 0, "", err))
			dials := w.dialled()
			if seen.Load() != 1 || len(w.lookups) != 1 || len(dials) != 1 || dials[0].String() != ip1+":443" {
				t.Errorf("%d to %q: %d requests, look-ups %v, dials %v", tt.status, tt.locations, seen.Load(), w.lookups, dials)
			}
		}
	}
}

// TestNoTokenInErrors: a query stays out of the text of an error.
func TestNoTokenInErrors(t *testing.T) {
	c := &chain{hops: []hop{{302, []string{"/x?token=secret"}}, {302, []string{"http://a.example:8080/"}}}}
	_, err := follow(t.Context(), c, &Walk{URL: mustURL(t, start), Redirects: 5})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

func TestResultBesideAnError(t *testing.T) {
	c := &chain{hops: redirects("/1")}
	boom := fail(opHeaders, wayfind.CodeNetwork, errors.New("reset"))
	failing := stepFunc(func(ctx context.Context, a *Ask) (*http.Response, error) {
		if len(c.seen) == 1 {
			return nil, boom
		}
		return c.Do(ctx, a)
	})
	w := &Walk{URL: mustURL(t, start), Redirects: 5}
	last, err := follow(t.Context(), failing, w)
	if err != boom || w.Final().String() != "https://a.example/1" || len(w.Chain) != 1 || last.StatusCode != 302 {
		t.Errorf("%+v, %v", w, err)
	}
}

type stepFunc func(context.Context, *Ask) (*http.Response, error)

func (f stepFunc) Do(ctx context.Context, a *Ask) (*http.Response, error) { return f(ctx, a) }

// TestWalkOverConnections is the whole stack: two names, three hops, a cap.
func TestWalkOverConnections(t *testing.T) {
	w := newWorld(t)
	w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(rw, r, "/moved", http.StatusMovedPermanently)
			return
		}
		http.Redirect(rw, r, "https://www.example.com/doc", http.StatusFound)
	})
	w.site("www.example.com", ip2, func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, cmp.Or(r.Referer(), "no referer"))
	})
	walk := &Walk{URL: mustURL(t, site), Redirects: 5}
	last, err := follow(t.Context(), w.stack(nil), walk)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(last.Body)
	if err != nil || string(body) != "no referer" || w.dialCount() != 2 || walk.CrossSite {
		t.Errorf("%q, %v, %d dials, cross-site %v", body, err, w.dialCount(), walk.CrossSite)
	}
	_ = last.Body.Close()
}
