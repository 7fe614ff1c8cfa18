package cache_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
)

// credentialsOf answers with the credentials of a request.
func credentialsOf(header ...string) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		return response(200, req.Header.Get("Cookie")+req.Header.Get("Authorization"), header...), nil
	}}
}

// A Cookie is a partition of its own, unless one user has them all. What names it
// in Vary keeps it apart in any case (RFC 9111 §4.1). So is each other field that identifies a caller.
func TestOneUser(t *testing.T) {
	for name, row := range map[string]struct {
		oneUser       bool
		header, field string
		want          string // that the second gets
	}{
		"default":              {false, "", "Cookie", "b"},
		"one user":             {true, "", "Cookie", "a"},
		"one user, Vary":       {true, "Cookie", "Cookie", "b"},
		"one user, any":        {true, "*", "Cookie", "b"},
		"one user, credential": {true, "", "Authorization", "a"},
	} {
		synctest.Test(t, func(t *testing.T) {
			header := []string{"Cache-Control", "max-age=60"}
			if row.header != "" {
				header = append(header, "Vary", row.header)
			}
			tr := newTransport(t, credentialsOf(header...), &cache.Options{OneUser: row.oneUser})
			if got := get(t, tr, home, row.field, "a").Body; got != "a" {
				t.Errorf("%s: the first got %q", name, got)
			}
			if got := get(t, tr, home, row.field, "b").Body; got != row.want {
				t.Errorf("%s: the second got %q, want %q", name, got, row.want)
			}
		})
	}
}

// A request with a Cookie that changes a resource removes its stored answers for all Cookies of the
// user.
func TestOneUserInvalidates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, credentialsOf("Cache-Control", "max-age=60"), &cache.Options{OneUser: true})
		get(t, tr, home, "Cookie", "a")
		post := newRequest(t.Context(), home, "Cookie", "b")
		post.Method = http.MethodPost
		do(t, tr, post)
		if got := get(t, tr, home, "Cookie", "c"); got.Body != "c" {
			t.Errorf("after a POST: %+v", got)
		}
	})
}

// What answers one user is kept by a directory, also for the user's next process and credential.
func TestOneUserStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openDisk(t)
		defer store.Close()
		for _, field := range []string{"Cookie", "Authorization", "X-Acme-Token", "X-Acme"} {
			for _, value := range []string{"a", "b"} {
				tr := cache.NewTransport(store, sees(field, "Cache-Control", "max-age=60"), &cache.Options{OneUser: true})
				if got := get(t, tr, home+"?"+field, field, value).Body; got != "for a" {
					t.Errorf("%s: %q got %q", field, value, got)
				}
				_ = tr.Close()
			}
		}
	})
}

// A store that other machines read keeps the answers of one user under the user's name alone, even
// those that are private (RFC 9111 §5.2.2.7). Users with other names, and callers without one, get
// none of them.
func TestAPartitionIsOfItsPrincipal(t *testing.T) {
	for _, control := range []string{"max-age=600", "private, max-age=600", "public, max-age=600"} {
		onRedis(t, func(t *testing.T, open func() cache.Store, far cache.Store) {
			ask := func(opts *cache.Options, who string) string {
				p := beginBy(opts, open(), far, sees("Authorization", "Cache-Control", control))
				defer p.end()
				return get(t, p, home+"?"+control, "Authorization", who).Body
			}
			for who, row := range map[string]struct{ credential, want string }{
				"alice": {"token 1", "for token 1"}, "bob": {"token 3", "for token 3"},
			} {
				if got := ask(&cache.Options{Partition: who}, row.credential); got != row.want {
					t.Errorf("%s got %q", who, got)
				}
			}
			if got := ask(&cache.Options{Partition: "alice"}, "token 2"); got != "for token 1" {
				t.Errorf("%s: the next process of alice got %q", control, got)
			}
			for name, opts := range map[string]*cache.Options{"default": nil, "strict": strict()} {
				if got := ask(opts, "token 4 "+name); got != "for token 4 "+name {
					t.Errorf("%s, %s: got %q", control, name, got)
				}
			}
		})
	}
}

// The name of a principal is in keys as a digest, with the key of the store.
func TestThePrincipalIsADigestInKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys []string
		for _, secret := range []string{"one", "other"} {
			far := &varying{serialised: newSerialised()}
			tr := newTransportOver(t, keyedStore{far, secret}, always(200, "x", "Cache-Control", "max-age=60"), &cache.Options{Partition: "alice"})
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			e, _, _ := cache.Of(resp)
			_ = resp.Body.Close()
			keys = append(keys, e.Key)
		}
		if keys[0] == keys[1] || strings.Contains(keys[0], "alice") {
			t.Errorf("the keys are %q", keys)
		}
	})
}

// keyedStore is a store with keys for digests, separated by blanks.
type keyedStore struct {
	*varying
	secret string
}

func (s keyedStore) DigestKeys() (keys [][]byte) {
	for key := range strings.FieldsSeq(s.secret) {
		keys = append(keys, []byte(key))
	}
	return keys
}

// While the key of a store is changed, the processes of a principal have one or the other. A change
// of a resource by one of them ends the answers that the other one has stored.
func TestAChangeOfKeysKeepsWhatPrincipalsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &varying{serialised: newSerialised()}
		before, after := "old new", "new old"
		for _, row := range []struct{ reads, changes string }{{before, after}, {after, before}} {
			version := "1"
			next := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
				if req.Method == http.MethodPost {
					version = "2"
				}
				return response(200, version, "Cache-Control", "max-age=600"), nil
			}}
			principal := func(keys string) http.RoundTripper {
				return newTransportOver(t, keyedStore{far, keys}, next, &cache.Options{Partition: "alice"})
			}
			url := home + "?" + row.reads[:3]
			reads, changes := principal(row.reads), principal(row.changes)
			want(t, "first", get(t, reads, url), result{200, "1", cache.FromNetwork, ""})
			want(t, "again", get(t, reads, url), result{200, "1", "disk", ""})
			post := newRequest(t.Context(), url)
			post.Method = http.MethodPost
			do(t, changes, post)
			want(t, "after the change", get(t, reads, url), result{200, "2", cache.FromNetwork, ""})
		}
	})
}

// The answers of one user in a directory are not for a Transport over it that has many users.
func TestAnswersOfOneUserAreNotForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := openDisk(t)
		defer store.Close()
		ask := func(opts *cache.Options, header ...string) string {
			tr := cache.NewTransport(store, sees("Authorization", "Cache-Control", "max-age=60"), opts)
			defer tr.Close()
			return get(t, tr, home, header...).Body
		}
		one := &cache.Options{OneUser: true}
		for _, row := range []struct {
			opts   *cache.Options
			header []string
			want   string
		}{
			{one, []string{"Authorization", "alice"}, "for alice"},
			{nil, nil, "for "},
			{strict(), []string{"Authorization", "bob"}, "for bob"},
			{&cache.Options{Partition: "carol"}, nil, "for "},
			{one, nil, "for alice"},
		} {
			if got := ask(row.opts, row.header...); got != row.want {
				t.Errorf("%+v %q: got %q, want %q", row.opts, row.header, got, row.want)
			}
		}
	})
}

// A change of a resource, or a Purge, ends the answers of a Transport with OneUser and of one without it
// over the same store, whichever of both sends it.
func TestAChangeEndsTheAnswersWithAndWithoutOneUser(t *testing.T) {
	origins := cache.OfOrigin(newRequest(t.Context(), home).URL)
	for name, open := range map[string]func() cache.Store{
		"memory": func() cache.Store { return newMemory(t) },
		"disk":   func() cache.Store { return openDisk(t) },
	} {
		for _, purges := range []bool{false, true} {
			for changer := range 2 {
				synctest.Test(t, func(t *testing.T) {
					store := open()
					defer store.Close()
					o := &versioned{header: []string{"Cache-Control", "max-age=600"}}
					var both [2]*cache.Transport
					for i, opts := range []*cache.Options{nil, {OneUser: true}} {
						both[i] = cache.NewTransport(store, o, opts)
						defer both[i].Close()
						want(t, "first", get(t, both[i], home), result{200, "1", cache.FromNetwork, ""})
					}
					if purges {
						if err := both[changer].Purge(t.Context(), origins); err != nil {
							t.Fatal(err)
						}
						o.version.Add(1)
					} else {
						posts(t, both[changer], home)
					}
					for i, tr := range both {
						if got := get(t, tr, home); got.Body != "2" {
							t.Errorf("%s, purge %v, changed by %d: Transport %d got %+v", name, purges, changer, i, got)
						}
					}
				})
			}
		}
	}
}

// One user's answers need a name in a store that other machines read, wherever that is in layers.
func TestOneUserNeedsANameInASharedStore(t *testing.T) {
	near := newMemory(t)
	for name, layers := range map[string]func(far cache.Store) cache.Store{
		"alone": func(far cache.Store) cache.Store { return far },
		"far":   func(far cache.Store) cache.Store { return cache.NewLayered(near, far, nil) },
		"near":  func(far cache.Store) cache.Store { return cache.NewLayered(far, near, nil) },
		"farthest": func(far cache.Store) cache.Store {
			return cache.NewLayered(near, cache.NewLayered(near, far, nil), nil)
		},
	} {
		for principal, refused := range map[string]bool{"": true, "alice": false} {
			func() {
				defer func() {
					if got := recover() != nil; got != refused {
						t.Errorf("%s, %q: refused is %v", name, principal, got)
					}
				}()
				_ = cache.NewTransport(layers(newSerialised()), nil, &cache.Options{OneUser: true, Partition: principal}).Close()
			}()
		}
	}
}

// A program that acts in one account runs again and again over a directory. Each of its processes, with
// a token of its own, asks only for what the ones before have not stored: fresh pages are not asked for,
// stale ones are validated, a refusal by its rate ends the work, and for an origin that hangs the stored
// pages stand in after StaleAfter.
func TestTheNextProcessOfOneUserGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		// A request that is given up can still be under way when the next is sent.
		var asked, validated atomic.Int64
		var limited, hangs atomic.Bool
		next := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			asked.Add(1)
			switch {
			case limited.Load():
				return response(429, "", "Retry-After", "60"), nil
			case hangs.Load():
				<-req.Context().Done()
				return nil, req.Context().Err()
			case req.Header.Get("If-None-Match") != "":
				validated.Add(1)
				return response(304, "", "Etag", `"1"`, "Cache-Control", "private, max-age=60"), nil
			}
			return response(200, "page "+req.URL.RawQuery, "Etag", `"1"`, "Cache-Control", "private, max-age=60", "Vary", "Accept"), nil
		}}
		token := 0
		run := func(what string, wantAsked, wantValidated int64, want ...string) {
			t.Helper()
			store, err := disk.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			client := cache.NewClient(store, nil)
			client.Transport = cache.NewTransport(store, next, &cache.Options{OneUser: true, StaleIfError: time.Hour, StaleAfter: time.Second})
			client.Timeout = 3 * time.Second
			defer cache.Close(client)
			token++
			asked.Store(0)
			validated.Store(0)
			var got []string
			for _, page := range []string{"1", "2", "3"} {
				req := newRequest(t.Context(), home+"?"+page, "Authorization", "Bearer "+strconv.Itoa(token))
				resp, err := client.Do(req)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if got = append(got, strconv.Itoa(resp.StatusCode)+" "+string(body)); resp.StatusCode == 429 {
					break
				}
			}
			if d := cmp.Diff(want, got); d != "" || asked.Load() != wantAsked || validated.Load() != wantValidated {
				t.Errorf("%s: %d requests, %d of them validated (-want +got):\n%s", what, asked.Load(), validated.Load(), d)
			}
		}
		pages := []string{"200 page 1", "200 page 2", "200 page 3"}
		run("the first", 3, 0, pages...)
		run("again", 0, 0, pages...)
		time.Sleep(100 * time.Second)
		run("stale", 3, 3, pages...)
		time.Sleep(100 * time.Second)
		limited.Store(true)
		run("limited", 1, 0, "429 ")
		limited.Store(false)
		hangs.Store(true)
		run("the origin hangs", 3, 0, pages...)
	})
}
