package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/cache"
)

// sees answers with the values of all spellings of a field.
func sees(field string, pairs ...string) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		var lines []string
		for name, values := range req.Header {
			if strings.EqualFold(name, field) {
				lines = append(lines, values...)
			}
		}
		slices.Sort(lines)
		return response(200, "for "+strings.Join(lines, ","), pairs...), nil
	}}
}

// spelled asks with a header as it is.
func spelled(t *testing.T, rt http.RoundTripper, header http.Header) result {
	t.Helper()
	req := newRequest(t.Context(), home)
	req.Header = header
	return do(t, rt, req)
}

// Names of fields have no case (RFC 9110 §5.1): each spelling of a field that
// identifies a caller keeps its answers apart.
func TestACallerIsKnownByEachSpellingOfItsFields(t *testing.T) {
	for _, field := range cache.IdentityFields() {
		for _, spelling := range []string{field, strings.ToLower(field), strings.ToUpper(field)} {
			for use, opts := range everyUse() {
				t.Run(spelling+" "+use, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						tr := newTransport(t, sees(field, "Cache-Control", "max-age=600"), opts)
						for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
							for _, who := range []string{"alice", "bob"} {
								want(t, who, spelled(t, tr, http.Header{spelling: {who}}), result{200, "for " + who, from, ""})
							}
						}
						want(t, "alice in the usual spelling", spelled(t, tr, http.Header{http.CanonicalHeaderKey(field): {"alice"}}),
							result{200, "for alice", cache.FromMemory, ""})
						want(t, "nobody", spelled(t, tr, http.Header{}), result{200, "for ", cache.FromNetwork, ""})
					})
				})
			}
		}
	}
}

// All fields of a request are read without the case of their names, and sent in the spelling of the
// caller.
func TestARequestIsReadInEachSpelling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := sees("X-Tenant", "Cache-Control", "max-age=600", "Vary", "X-Tenant", "Etag", `"1"`)
		tr := newTransport(t, o, nil)
		want(t, "alice", spelled(t, tr, http.Header{"x-tenant": {"alice"}}), result{200, "for alice", cache.FromNetwork, ""})
		want(t, "bob", spelled(t, tr, http.Header{"x-tenant": {"bob"}}), result{200, "for bob", cache.FromNetwork, ""})
		want(t, "alice again", spelled(t, tr, http.Header{"X-Tenant": {"alice"}}), result{200, "for alice", cache.FromMemory, ""})
		got := spelled(t, tr, http.Header{"x-tenant": {"alice"}, "cache-control": {"no-cache"}})
		want(t, "a reload", got, result{200, "for alice", cache.FromNetwork, ""})
		sent := map[string][]string(o.last().Header) // each name as it was spelled
		if sent["x-tenant"] == nil || sent["X-Tenant"] != nil || o.last().Header.Get("If-None-Match") != `"1"` {
			t.Errorf("sent %v", sent)
		}
		for _, name := range []string{"range", "upgrade", "if-match"} {
			if got := spelled(t, tr, http.Header{"X-Tenant": {"alice"}, name: {"x"}}); got.From != "" {
				t.Errorf("%s: %+v, want it passed through", name, got)
			}
		}
		want(t, "both spellings", spelled(t, tr, http.Header{"x-tenant": {"b"}, "X-Tenant": {"a"}}), result{200, "for a,b", cache.FromNetwork, ""})
		want(t, "both again", spelled(t, tr, http.Header{"x-tenant": {"b"}, "X-Tenant": {"a"}}), result{200, "for a,b", cache.FromMemory, ""})
	})
}

// If a field identifies the caller, the answer is kept only in the memory of the process. Neither a
// directory nor a server gets it, whatever its header allows, nor a digest of the caller.
func TestAnAnswerToACallerStaysInTheProcess(t *testing.T) {
	for _, field := range cache.IdentityFields() {
		for _, control := range []string{"max-age=600", "public, max-age=600", "s-maxage=600", "max-age=600, must-revalidate"} {
			for _, s := range stacks() {
				t.Run(field+" "+control+" "+s.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						far := newSerialised()
						defer far.Close()
						var store cache.Store = far
						if s.open != nil {
							near := s.open(t)
							defer near.Close()
							layers := cache.NewLayered(near, far, nil)
							defer layers.Close()
							store = layers
						}
						tr := cache.NewTransport(store, sees(field, "Cache-Control", control), nil)
						defer tr.Close()
						for _, who := range []string{"alice", "bob"} {
							if got := spelled(t, tr, http.Header{strings.ToLower(field): {who}}); got.Body != "for "+who {
								t.Errorf("%s gets %q", who, got.Body)
							}
						}
						synctest.Wait()
						far.mu.Lock()
						defer far.mu.Unlock()
						if len(far.bodies) > 0 {
							t.Errorf("the far store got %q", far.bodies)
						}
					})
				})
			}
		}
	}
}

// A list of one's own takes the place of the default.
func TestIdentityFieldsOfOnesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &cache.Options{IdentityFields: append(cache.IdentityFields(), "x-tenant")}
		tr := newTransport(t, sees("X-Tenant", "Cache-Control", "max-age=600"), opts)
		for _, who := range []string{"alice", "bob"} {
			want(t, who, get(t, tr, home, "X-Tenant", who), result{200, "for " + who, cache.FromNetwork, ""})
		}
		tr = newTransport(t, sees("Authorization", "Cache-Control", "max-age=600"), &cache.Options{IdentityFields: []string{}})
		get(t, tr, home, "Authorization", "alice")
		want(t, "nobody is told apart", get(t, tr, home, "Authorization", "bob"), result{200, "for alice", cache.FromMemory, ""})
	})
}

// The stored values of a Vary are digests if they identify a caller.
func TestVaryKeepsDigestsOfEachIdentityField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, field := range cache.IdentityFields() {
			tr := newTransport(t, sees(field, "Cache-Control", "max-age=600", "Vary", field), nil)
			resp, err := tr.RoundTrip(newRequest(t.Context(), home, field, "secret"))
			if err != nil {
				t.Fatal(err)
			}
			e, _, _ := cache.Of(resp)
			if len(e.Vary) != 1 || strings.Contains(fmt.Sprint(e.Vary), "secret") {
				t.Errorf("stored %v", e.Vary)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
}

// adds puts a credential into a copy of each request, as golang.org/x/oauth2 does.
type adds struct {
	next  http.RoundTripper
	token *string
}

func (a adds) RoundTrip(req *http.Request) (*http.Response, error) {
	own := req.Clone(req.Context())
	if *a.token != "" {
		own.Header.Set("Authorization", *a.token)
	}
	resp, err := a.next.RoundTrip(own)
	if err == nil && resp.Request == nil {
		resp.Request = own // as http.Transport does
	}
	return resp, err
}

// Credentials that a transport below adds are visible in Response.Request. The answer is for its
// caller alone, and the stored answer under the key is removed.
func TestCredentialsThatAreAddedBelowAreSeen(t *testing.T) {
	for _, s := range stacks() {
		for _, status := range []int{200, 401, 404} {
			t.Run(fmt.Sprint(s.name, status), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					far := newSerialised()
					defer far.Close()
					var store cache.Store = far
					if s.open != nil {
						near := s.open(t)
						defer near.Close()
						layers := cache.NewLayered(near, far, nil)
						defer layers.Close()
						store = layers
					}
					token, o := "", sees("Authorization", "Cache-Control", "max-age=600")
					o.answer = withStatus(o.answer, status)
					tr := cache.NewTransport(store, adds{o, &token}, nil)
					defer tr.Close()
					want(t, "nobody", get(t, tr, home), result{status, "for ", cache.FromNetwork, ""})
					token = "alice"
					want(t, "alice, who reloads", get(t, tr, home, "Cache-Control", "no-cache"), result{status, "for alice", cache.FromNetwork, ""})
					token = "bob"
					want(t, "bob", get(t, tr, home), result{status, "for bob", cache.FromNetwork, ""})
					token = ""
					want(t, "nobody again", get(t, tr, home), result{status, "for ", cache.FromNetwork, ""})
					wantCount(t, "all", o, 4)
				})
			})
		}
	}
}

func withStatus(answer func(int, *http.Request) (*http.Response, error), status int) func(int, *http.Request) (*http.Response, error) {
	return func(n int, req *http.Request) (*http.Response, error) {
		resp, err := answer(n, req)
		resp.StatusCode = status
		return resp, err
	}
}

// An answer to credentials from below is not given to waiting callers.
func TestCredentialsThatAreAddedBelowAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(func(req *http.Request) (*http.Response, error) {
			return response(200, "for "+req.Header.Get("Authorization"), "Cache-Control", "max-age=600"), nil
		})
		n := 0
		tr := newTransport(t, roundTrip(func(req *http.Request) (*http.Response, error) {
			n++
			token := fmt.Sprint("user ", n)
			return adds{o, &token}.RoundTrip(req)
		}), nil)
		got := make(chan string, 2)
		for range 2 {
			go func() { got <- get(t, tr, home).Body }()
			synctest.Wait()
		}
		if a, b := <-got, <-got; a == b {
			t.Errorf("both get %q", a)
		}
	})
}

// One user's programs keep such answers as others.
func TestOneUserKeepsAnswersToCredentialsThatAreAddedBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token, o := "alice", sees("Authorization", "Cache-Control", "max-age=600")
		tr := newTransport(t, adds{o, &token}, &cache.Options{OneUser: true})
		for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
			want(t, from, get(t, tr, home), result{200, "for alice", from, ""})
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Cache-Status says "stored" only if the store takes the answer (RFC 9211 §2.7). Answers to
// credentials stay beside a store that tells generations; another store outside the process has no place
// for them.
func TestCacheStatusSaysStoredIfTheStoreTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := openDisk(t)
		defer disk.Close()
		for name, row := range map[string]struct {
			store cache.Store
			opts  cache.Options
			takes bool
		}{
			"memory":               {newMemory(t), cache.Options{}, true},
			"disk":                 {disk, cache.Options{}, true},
			"disk, one user":       {disk, cache.Options{OneUser: true}, true},
			"shared":               {newSerialised(), cache.Options{}, false},
			"shared, a principal":  {newSerialised(), cache.Options{Partition: "alice"}, true},
			"shared, for everyone": {newSerialised(), cache.Options{Strict: true}, true},
		} {
			for _, field := range []string{"", "Authorization", "X-Acme"} {
				tr := newTransportOver(t, row.store, always(200, "x", "Cache-Control", "public, max-age=60"), &row.opts)
				req := newRequest(t.Context(), home+"?"+name+field)
				if field != "" {
					req.Header.Set(field, "alice")
				}
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				want := row.takes || field == ""
				if got := resp.Header.Get("Cache-Status"); strings.Contains(got, "stored") != want {
					t.Errorf("%s, %q: %s", name, field, got)
				}
				if got := do(t, tr, req).From != cache.FromNetwork; got != want {
					t.Errorf("%s, %q: the next answer is from the store: %v", name, field, got)
				}
			}
		}
	})
}
