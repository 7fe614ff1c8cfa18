package cache_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// confining is a Transport over a memory of its own before far that keeps what
// holds the word "secret", in its body or a header field, to itself.
func confining(t *testing.T, far cache.Store, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	return transportOver(t, newLayered(t, newStore(t), far), next)
}

func transportOver(t *testing.T, s cache.Store, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	tr := cache.NewTransport(s, next, nil)
	t.Cleanup(func() { _ = tr.Close() })
	return cache.By(tr, &cache.TestRules{
		Reads: func(e *cache.Entry) any { return bytes.Contains(e.Body, []byte("secret")) },
		Confines: func(e *cache.Entry) bool {
			return cache.Read(e) == true || strings.Contains(e.Header.Get("Link"), "secret")
		},
	})
}

// A confined answer is kept near. It replaces the far entry by a deletion, whether a new body or a
// 304 with a new field confined it.
func TestConfinedAnswersStayNear(t *testing.T) {
	for name, row := range map[string]struct {
		second func(*http.Request) (*http.Response, error)
		body   string
		from   string
	}{
		"a body":           {say(200, "secret", "Cache-Control", "max-age=60"), "secret", cache.FromNetwork},
		"a field":          {say(200, "two", "Cache-Control", "max-age=60", "Link", "<secret>"), "two", cache.FromNetwork},
		"a field of a 304": {say(304, "", "Cache-Control", "max-age=60", "Link", "<secret>"), "one", cache.FromValidated},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				tr := confining(t, far, script(say(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`), row.second))
				want(t, "at first", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
				synctest.Wait()
				want(t, "then", get(t, tr, home, "Cache-Control", "no-cache"), result{200, row.body, row.from, ""})
				want(t, "again", get(t, tr, home), result{200, row.body, cache.FromMemory, ""})
				synctest.Wait()
				wantWrites(t, far, "save", "delete")
			})
		})
	}
}

// wantWrites compares the operations that wrote to a far store.
func wantWrites(t *testing.T, far *remote, want ...string) {
	t.Helper()
	var got []string
	for _, w := range far.writes() {
		op, _, _ := strings.Cut(w, " ")
		got = append(got, op)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("writes to the far store (-want +got):\n%s", d)
	}
}

// A write that is under way when the answer comes that is confined is
// done first; one that waits is never done.
func TestConfiningWaitsForAWriteUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		tr := confining(t, far, script(say(200, "one", "Cache-Control", "max-age=60"), say(200, "two", "Cache-Control", "max-age=60"),
			say(200, "secret", "Cache-Control", "max-age=60")))
		want(t, "at first", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
		synctest.Wait()
		let := held(far)
		for _, body := range []string{"two", "secret"} {
			want(t, body, get(t, tr, home, "Cache-Control", "no-cache"), result{200, body, cache.FromNetwork, ""})
			synctest.Wait()
		}
		let()
		synctest.Wait()
		wantWrites(t, far, "save", "save", "delete")
	})
}

// Entries that other processes have stored are judged when they are read, and removed if they must
// be confined, even from a store without a memory before it.
func TestEntriesOfOthersAreConfinedWhenTheyAreRead(t *testing.T) {
	for _, layered := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			far := newRemote(t)
			o := always(200, "secret", "Cache-Control", "max-age=60")
			first, _ := process(t, far, o)
			want(t, "the first process", get(t, first, home), result{200, "secret", cache.FromNetwork, ""})
			synctest.Wait()
			time.Sleep(time.Second)
			var s cache.Store = far
			if layered {
				s = newLayered(t, newStore(t), far)
			}
			second := transportOver(t, s, o)
			want(t, "the second", get(t, second, home), result{200, "secret", "remote", ""})
			synctest.Wait()
			wantWrites(t, far, "save", "delete")
			if layered {
				want(t, "the second, again", get(t, second, home), result{200, "secret", cache.FromMemory, ""})
				wantCount(t, "requests", o, 1)
			}
		})
	}
}

// A far store that is skipped because it hangs still gets deletions.
func TestAFarStoreThatHangsStillGetsDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		save(t, l, "k", "secret")
		synctest.Wait()
		far.fail(silent)
		hangs(t, l)
		far.fail(nil)
		save(t, l, "other", "dropped")
		synctest.Wait()
		if err := l.Delete(t.Context(), "k"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		w := far.writes()
		if d := cmp.Diff("delete k", w[len(w)-1]); d != "" || l.Stats().Dropped != 1 {
			t.Errorf("the last write (-want +got):\n%s\n%+v", d, l.Stats())
		}
	})
}
