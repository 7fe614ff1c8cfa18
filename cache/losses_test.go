package cache_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// TestLostAnswersAreCountedByReason: what a store did not give or take is in the Stats of a
// Transport, for a store alone and behind memory.
func TestLostAnswersAreCountedByReason(t *testing.T) {
	for name, layered := range map[string]bool{"alone": false, "behind memory": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				var store cache.Store = far
				if layered {
					store = newLayered(t, newStore(t), far)
				}
				var out strings.Builder
				tr := newTransportOver(t, store, always(200, "one", "Cache-Control", "max-age=600"), &cache.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
				far.fail(func(context.Context) error { return errors.New("down") })
				get(t, tr, home)
				synctest.Wait()
				s := tr.Stats()
				if s.Unread != (cache.LostStats{Failed: s.Unread.Failed}) || s.Unread.Failed == 0 || s.Unwritten.Failed == 0 || s.Resting {
					t.Errorf("after an error: %+v", s)
				}
				before := s.Unread
				far.fail(silent)
				for range lateCalls + 5 {
					get(t, tr, home+"/other")
				}
				s = tr.Stats()
				if s.Unread.Late == 0 || !layered && s.Unread.Late+s.Unwritten.Late != lateCalls || !layered && s.Unread.Resting == 0 || s.Unread.Failed != before.Failed || !layered && !s.Resting {
					t.Errorf("after a silence: %+v", s)
				}
				if n := strings.Count(out.String(), "op=load"); n != 2 {
					t.Errorf("%d warnings of look-ups, want one for each cause:\n%s", n, out.String())
				}
				time.Sleep(cache.WriteBudget)
			})
		})
	}
}

// busy is a store that times itself, and that answers others while it does not answer.
type busy struct{ *remote }

func (b busy) Timed(of any) bool { return of == any(b) }

// TestABusyStoreDoesNotRest: answers that come too late while a store answers other callers leave
// it alone for nobody.
func TestABusyStoreDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := busy{newRemote(t)}
		tr := newTransportOver(t, far, always(200, "one", "Cache-Control", "max-age=600"), nil)
		get(t, tr, home)
		far.fail(func(context.Context) error { return cache.ErrBusy })
		for range 10 * lateCalls {
			want(t, "while it is busy", get(t, tr, home+"/large"), result{200, "one", cache.FromNetwork, ""})
		}
		far.fail(nil)
		want(t, "a small one", get(t, tr, home), result{200, "one", "remote", ""})
		if s := tr.Stats(); s.Unread.Busy < 10*lateCalls || s.Unread.Late != 0 || s.Resting {
			t.Errorf("%+v", s)
		}
	})
}

// TestVariantsThatTheNearStoreCannotHold: a variant that is written to the far store does not
// remove the others there.
func TestVariantsThatTheNearStoreCannotHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, err := memory.New(64 << 10)
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far := newRemote(t)
		body := strings.Repeat("x", 256<<10)
		o := always(200, body, "Cache-Control", "max-age=600", "Vary", "Accept-Language")
		tr := newTransportOver(t, newLayered(t, near, far), o, nil)
		for range 3 {
			for _, language := range []string{"de", "en"} {
				get(t, tr, home, "Accept-Language", language)
				synctest.Wait()
			}
		}
		wantCount(t, "requests", o, 2)
	})
}
