package crawl_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// end closes the queue and the store.
func (l *lab) end() {
	if err := errors.Join(l.queue.Close(), l.store.Close()); err != nil {
		l.Error(err)
	}
}

// A worker that is stopped while requests have no answer keeps the pause for them too. Before
// robots.txt is read, it keeps the pause for a worker that was killed.
func TestStoppedWhileItAsks(t *testing.T) {
	const delay = 5 * time.Second
	for name, test := range map[string]struct {
		stop time.Duration // after the start; each answer takes a second
		want func(requests int) time.Duration
	}{
		"before the first request":      {0, func(int) time.Duration { return 0 }},
		"before robots.txt is answered": {500 * time.Millisecond, func(int) time.Duration { return killRest - time.Second }},
		"before the others are":         {1500 * time.Millisecond, func(n int) time.Duration { return time.Duration(n) * delay }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := emptyLab(t, delay)
				defer l.end()
				pages := l.pages("a.site.com")
				l.host("a.site.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Second)
					pages.ServeHTTP(w, r)
				}))
				ctx, cancel := context.WithTimeout(t.Context(), test.stop)
				defer cancel()
				if _, _, err := l.workUntil(ctx, 1<<40); err == nil {
					t.Fatal("the worker came to its end")
				}
				first := len(l.internet.Requests())
				if _, _, err := l.work(1 << 40); err != nil {
					t.Fatal(err)
				}
				all := l.internet.Requests()
				if first == 0 {
					return
				}
				if gap, want := all[first].Time.Sub(all[first-1].Time), test.want(first); gap < want {
					t.Errorf("the site was asked again %v after %d requests, want %v", gap, first, want)
				}
			})
		})
	}
}

// Redirects and retries are requests for the pause of a site.
func TestPauseCountsEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := emptyLab(t, 3*time.Second)
		defer l.end()
		for _, name := range []string{"moved.site.com", "failing.site.com", "moved2.site.com", "plain.site.com"} {
			pages, asked := l.pages(name), 0
			pages["/moved.txt"] = pages["/llms.txt"]
			l.host(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case name[0] == 'm' && r.URL.Path == "/llms.txt":
					http.Redirect(w, r, "/moved.txt", http.StatusFound)
				case name[0] == 'f' && r.URL.Path == "/llms.txt" && asked == 0:
					asked++
					w.WriteHeader(http.StatusBadGateway)
				default:
					pages.ServeHTTP(w, r)
				}
			}))
		}
		if _, _, err := l.work(1 << 40); err != nil {
			t.Fatal(err)
		}
		l.wantDone(-1)
	})
}

// The rate of a site applies to that site, and not to the sites of its redirects.
func TestARateOfAnotherSitePausesNoSiteOfACrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := emptyLab(t, time.Hour)
		defer l.end()
		slow := l.pages("evil.site.com")
		l.host("evil.site.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/llms.txt" {
				http.Redirect(w, r, "https://bank.other.com/llms.txt", http.StatusFound)
				return
			}
			slow.ServeHTTP(w, r)
		}))
		bank := l.pages("bank.other.com")
		delete(bank, "/robots.txt")
		l.host("bank.other.com", bank)
		began := time.Now()
		if _, _, err := l.work(1 << 40); err != nil {
			t.Fatal(err)
		}
		l.wantDone(-1)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the crawl took %v", took)
		}
	})
}
