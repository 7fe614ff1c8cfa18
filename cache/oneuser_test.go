package cache_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/cache"
)

// credentialsOf answers with the credentials of a request.
func credentialsOf(header ...string) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		return response(200, req.Header.Get("Cookie")+req.Header.Get("Authorization"), header...), nil
	}}
}

// A Cookie is a partition of its own, unless one user has them all. What names it
// in Vary keeps it apart in any case (RFC 9111 §4.1), and so are Authorizations.
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
		"one user, credential": {true, "", "Authorization", "b"},
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

// What answers a Cookie is kept by a store that only this user's processes read,
// and by no other.
func TestOneUserStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &cache.Options{OneUser: true}
		next := credentialsOf("Cache-Control", "public, max-age=60")
		for _, s := range stacks() {
			far := newSerialised()
			store := cache.Store(far)
			if s.open != nil {
				near := s.open(t)
				defer near.Close()
				layers := cache.NewLayered(near, far, nil)
				defer layers.Close()
				store = layers
			}
			tr := cache.NewTransport(store, next, opts)
			defer tr.Close()
			get(t, tr, home, "Cookie", "a")
			get(t, tr, home+"?all")
			got := get(t, tr, home, "Cookie", "b").Body
			if want := map[bool]string{true: "b", false: "a"}[s.open == nil]; got != want {
				t.Errorf("%s: got %q, want %q", s.name, got, want)
			}
			synctest.Wait()
			if saved := far.saved(); slices.Contains(saved, "a") || !slices.Contains(saved, "") {
				t.Errorf("%s: the shared store was given %q", s.name, saved)
			}
		}

		store := openDisk(t)
		defer store.Close()
		for _, cookie := range []string{"a", "b"} {
			tr := cache.NewTransport(store, next, opts)
			if got := get(t, tr, home, "Cookie", cookie).Body; got != "a" {
				t.Errorf("on disk: %q got %q", cookie, got)
			}
			_ = tr.Close()
		}
	})
}
