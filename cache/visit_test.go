package cache_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// recorder is a remote store that keeps records. It notes reads and changes of them.
type recorder struct {
	*remote
	records map[string]*cache.Record // under mu of remote
	last    int                      // version and generation
	reads   int
}

func newRecorder(t *testing.T) *recorder {
	return &recorder{remote: newRemote(t), records: map[string]*cache.Record{}}
}

func (r *recorder) Records(of cache.Store) bool { return of == cache.Store(r) }

func (r *recorder) LoadRecord(ctx context.Context, key string) (*cache.Record, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if r.records[key] == nil {
		r.put(key, &cache.Record{})
	}
	return r.records[key], nil
}

// put stores a record with its version, and with a generation if it has none.
func (r *recorder) put(key string, next *cache.Record) {
	r.last++
	own := *next
	own.From, own.Version = "remote", strconv.Itoa(r.last)
	if own.Generation == "" {
		own.Generation = "g" + own.Version
	}
	r.records[key] = &own
}

func (r *recorder) UpdateRecord(ctx context.Context, key string, _ *cache.Record, change func(*cache.Record) *cache.Record) error {
	r.note("update")
	if err := r.enter(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	have := r.records[key]
	if have == nil {
		have = &cache.Record{}
	}
	next := change(have)
	data, err := next.MarshalBinary()
	if err != nil {
		return err
	}
	back, err := cache.UnmarshalRecord(key, data)
	if err != nil {
		return err
	}
	back.Generation = next.Generation
	r.put(key, back)
	return nil
}

// Delete is of a record too.
func (r *recorder) Delete(ctx context.Context, key string) error {
	if err := r.remote.Delete(ctx, key); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.records, key)
	return nil
}

// Purge ends the part of a URL, or records.
func (r *recorder) Purge(ctx context.Context, s cache.Scope) error {
	if err := r.remote.Purge(ctx, s); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, have := range r.records {
		if resource, one := s.Resource(); one && cache.RecordKey(resource) == key {
			r.put(key, have.Without(resource))
		} else if s.Covers(key) {
			delete(r.records, key)
		}
	}
	return nil
}

// parts are the paths of the parts of all records, in order.
func (r *recorder) parts() (paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, have := range r.records {
		for key := range maps.Keys(have.Parts) {
			paths = append(paths, key[len("\n\nGET\nhttps://example.com"):])
		}
	}
	slices.Sort(paths)
	return paths
}

// visiting is a process whose requests are visits of a call.
func visiting(t *testing.T, far cache.Store, o *origin) (tr http.RoundTripper, l *cache.Layered, end func()) {
	t.Helper()
	l = newLayered(t, newStore(t), far)
	visits := l.Visits()
	tr = cache.Ruled(newTransportOver(t, l, o, nil), func(_ *http.Request, a *cache.Ask) { a.Visits = visits })
	return tr, l, visits.Close
}

const site = "https://example.com"

func wantPaths(t *testing.T, when string, r *recorder, want ...string) {
	t.Helper()
	if got := r.parts(); !slices.Equal(got, want) {
		t.Errorf("%s: the record has %q, want %q", when, got, want)
	}
}

// The record of an origin is read once and written once, for all answers. Another process then
// sends no requests.
func TestAnOriginIsReadAndWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRecorder(t)
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/document" {
				return response(200, "text", "Cache-Control", "max-age=600"), nil
			}
			return response(404, "no", "Cache-Control", "max-age=600"), nil
		}}
		tr, l, end := visiting(t, far, o)
		for i := range 20 {
			get(t, tr, fmt.Sprint(site, "/", i))
		}
		get(t, tr, site+"/document")
		if far.reads != 1 || len(far.writes()) != 0 {
			t.Errorf("%d reads, written %q, before the end", far.reads, far.writes())
		}
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w := far.writes(); far.reads != 1 || !slices.Equal(w, []string{"update"}) || len(far.parts()) != 21 || far.loaded() != 0 {
			t.Errorf("%d reads, %d loads, written %q, parts %q", far.reads, far.loaded(), w, far.parts())
		}
		other, _, endOther := visiting(t, far, o)
		defer endOther()
		before := o.count()
		for i := range 20 {
			want(t, "known", get(t, other, fmt.Sprint(site, "/", i)), result{404, "no", "remote", ""})
		}
		want(t, "known", get(t, other, site+"/document"), result{200, "text", "remote", ""})
		if o.count() != before || far.reads != 2 {
			t.Errorf("%d requests, %d reads", o.count()-before, far.reads-1)
		}
	})
}

// RFC 9111 applies to each answer in a record: a fresh one is used, a stale one is validated, a
// no-store answer is not kept, and a URL may have several variants. An answer that must not be kept
// removes the one in the record.
func TestRulesHoldWithinARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, storable := newRecorder(t), true
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			switch {
			case req.URL.Path == "/etag" && req.Header.Get("If-None-Match") == `"1"`:
				return response(304, "", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
			case req.URL.Path == "/etag":
				return response(404, "no", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
			case req.URL.Path == "/vary":
				return response(200, req.Header.Get("Accept"), "Cache-Control", "max-age=600", "Vary", "Accept"), nil
			case req.URL.Path == "/secret" || req.URL.Path == "/changes" && !storable:
				return response(200, "secret", "Cache-Control", "no-store"), nil
			}
			return response(200, "text", "Cache-Control", "max-age=30"), nil
		}}
		tr, l, end := visiting(t, far, o)
		get(t, tr, site+"/etag")
		get(t, tr, site+"/vary", "Accept", "a/a")
		get(t, tr, site+"/vary", "Accept", "b/b")
		get(t, tr, site+"/secret")
		get(t, tr, site+"/changes")
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, "first", far, "/changes", "/etag", "/vary")
		time.Sleep(90 * time.Second)
		storable = false
		other, l, end := visiting(t, far, o)
		want(t, "validated", get(t, other, site+"/etag"), result{404, "no", cache.FromValidated, ""})
		want(t, "a variant", get(t, other, site+"/vary", "Accept", "a/a"), result{200, "a/a", "remote", ""})
		want(t, "another", get(t, other, site+"/vary", "Accept", "b/b"), result{200, "b/b", cache.FromMemory, ""})
		want(t, "not to be kept", get(t, other, site+"/changes"), result{200, "secret", cache.FromNetwork, ""})
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, "then", far, "/etag", "/vary")
	})
}

// A killed process loses the answers of the last second and no others: they are written
// while the call goes on.
func TestAnswersAreWrittenWhileACallGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, o := newRecorder(t), always(404, "no", "Cache-Control", "max-age=600")
		tr, _, end := visiting(t, far, o)
		defer end()
		get(t, tr, site+"/1")
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		get(t, tr, site+"/2")
		wantPaths(t, "as it is killed", far, "/1")
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		wantPaths(t, "later", far, "/1", "/2")
	})
}

// An answer that was asked for before a Purge of its URL is not written after it; nor does
// the Purge end other answers.
func TestALateAnswerIsNotInTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, o := newRecorder(t), always(404, "no", "Cache-Control", "max-age=600")
		first, l, end := visiting(t, far, o)
		get(t, first, site+"/1")
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		tr, l, end := visiting(t, far, o)
		get(t, tr, site+"/2") // waits to be written
		another := processWith(t, far, o, nil)
		u, err := url.Parse(site + "/2")
		if err != nil {
			t.Fatal(err)
		}
		if err := another.Purge(t.Context(), cache.OfURL(u)); err != nil {
			t.Fatal(err)
		}
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, "after the Purge", far, "/1")
	})
}

// A record that cannot be written is deleted and counted. If it cannot be deleted either,
// its old parts are not used any more by this process.
func TestARecordThatCannotBeWritten(t *testing.T) {
	full := errors.New("full")
	for name, row := range map[string]struct {
		fails int // calls
		from  string
	}{
		"the change":                  {1, cache.FromNetwork},
		"the change and the deletion": {2, cache.FromNetwork},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far, o := newRecorder(t), always(404, "no", "Cache-Control", "max-age=600")
				before, l, end := visiting(t, far, o)
				get(t, before, site+"/1")
				end()
				if err := l.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				tr, l, end := visiting(t, far, o)
				get(t, tr, site+"/1", "Cache-Control", "no-cache")
				failed := 0
				far.fail(func(context.Context) error {
					if failed++; failed > row.fails {
						return nil
					}
					return full
				})
				end()
				if err := l.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s := l.Stats(); s.Failed != 1 || s.Dropped != 0 {
					t.Errorf("%+v", s)
				}
				visits := l.Visits()
				defer visits.Close()
				own := cache.Ruled(newTransportOver(t, l, o, nil), func(_ *http.Request, a *cache.Ask) { a.Visits = visits })
				if err := l.Forget(t.Context(), site+"/1"); err != nil {
					t.Fatal(err)
				}
				want(t, "afterwards", get(t, own, site+"/1"), result{404, "no", row.from, ""})
			})
		})
	}
}

// Closing writes what waits, and nothing is written later.
func TestCloseWritesTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, o := newRecorder(t), always(404, "no", "Cache-Control", "max-age=600")
		tr, l, end := visiting(t, far, o)
		get(t, tr, site+"/1")
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, "closed", far, "/1")
		end()
		time.Sleep(2 * time.Second)
		if w := far.writes(); len(w) != 1 {
			t.Errorf("written: %q", w)
		}
	})
}

// A document that is too large for a record has an entry of its own, which the record identifies.
// An entry that another process has put there is not used.
func TestLargeAnswersHaveTheirOwnEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, text := newRecorder(t), string(make([]byte, 64<<10))
		o := always(200, text, "Cache-Control", "max-age=600")
		tr, l, end := visiting(t, far, o)
		get(t, tr, site+"/large")
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, "large", far, "/large")
		other, _, endOther := visiting(t, far, o)
		want(t, "alone", get(t, other, site+"/large"), result{200, text, "remote", ""})
		endOther()
		save(t, far.Store, "\n\nGET\n"+site+"/large", "of another time")
		last, l, end := visiting(t, far, always(200, "small", "Cache-Control", "max-age=600"))
		want(t, "another", get(t, last, site+"/large"), result{200, "small", cache.FromNetwork, ""})
		end()
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v, _ := far.Store.Load(t.Context(), "\n\nGET\n"+site+"/large"); v != nil {
			t.Error("it stands alone although the record has it")
		}
	})
}
