package call_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// If the state of work cannot be read, the call may have done its work: the next one of the same intention
// is a question that says so, also if the handle was saved and opened again. Work whose failure the service
// reports, and work that can be read, is not lost.
func TestWorkWhoseStateCannotBeReadIsALostCall(t *testing.T) {
	answer := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, tt := range map[string]struct {
		poll http.HandlerFunc
		lost bool
	}{
		"an HTML page": {answer(200, "text/html", "<!doctype html><title>Shop</title><p>Welcome"), true},
		"a login":      {answer(200, "text/html", `<!doctype html><form><input type="password"></form>`), true},
		"401":          {answer(401, "application/json", `{}`), true},
		"403":          {answer(403, "application/json", `{}`), true},
		"404":          {answer(404, "application/json", `{}`), true},
		"500":          {answer(500, "application/json", `{"title":"no"}`), true},
		"503":          {answer(503, "text/plain", "later"), true},
		"no answer":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
		"done":         {answer(200, "application/json", `{"status":"done"}`), false},
	} {
		for _, saved := range []bool{false, true} {
			bubble(t, func(t *testing.T) {
				s := newShop(t, document("", operation("post", "/api/order", "order", priced+jsonBody)), func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						w.Header().Set("Location", "/api/work/7")
						w.WriteHeader(http.StatusAccepted)
						return
					}
					tt.poll(w, r)
				})
				y := &yes{verdict: call.AllowOnce}
				kept := &lostFile{t: t, kept: map[string]string{}, till: map[string]time.Time{}}
				c := s.caller(&call.Options{Confirm: y.confirm, Lost: kept})
				res, err := c.Call(t.Context(), s.box, "order", []byte(`{"reason":"x"}`))
				if wantCode(t, res, err, made); res.Program.Handle == nil || len(kept.till) != 0 {
					t.Fatalf("%s: handle %v, %d kept", name, res.Program.Handle, len(kept.till))
				}
				h := res.Program.Handle
				if saved {
					raw, err := h.Save()
					if err != nil {
						t.Fatal(err)
					}
					if h, err = c.Open(t.Context(), s.box, raw); err != nil {
						t.Fatal(err)
					}
				}
				res, err = c.Wait(t.Context(), h)
				if told := strings.Contains(res.Model.Note, "not known whether the work is done"); (err != nil) != tt.lost || told != tt.lost || (len(kept.till) == 1) != tt.lost {
					t.Errorf("%s, saved %v: %v, note %q, %d kept", name, saved, err, res.Model.Note, len(kept.till))
				}
				before := y.count()
				_, _ = c.Call(t.Context(), s.box, "order", []byte(`{"reason": "\u0078"}`))
				if asked := y.count() > before && slices.Contains(y.asked[before].Reasons, call.ReasonLost); asked != tt.lost {
					t.Errorf("%s, saved %v: asked about as lost %v, want %v", name, saved, asked, tt.lost)
				}
			})
		}
	}
}

// A call that must not be made twice is kept before it is sent, so that it is known after the program is
// killed, and forgotten after its answer. Calls of the same intention that are under way do not ask about
// each other, and a call that may be repeated is not kept.
func TestACallIsKeptWhileItIsUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kept := &lostFile{t: t, kept: map[string]string{}, till: map[string]time.Time{}}
		var during atomic.Int32
		begun, goOn := make(chan bool, 2), make(chan bool)
		s := newShop(t, document("", operation("post", "/api/buy", "buy", priced+jsonBody), operation("get", "/api/show", "show", "")), func(w http.ResponseWriter, r *http.Request) {
			kept.mu.Lock()
			during.Store(int32(len(kept.till)))
			kept.mu.Unlock()
			if r.Method == http.MethodPost {
				begun <- true
				<-goOn
			}
		})
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm, Lost: kept})
		buy := func(c *call.Caller) chan error {
			done := make(chan error)
			go func() {
				_, err := c.Call(context.WithoutCancel(t.Context()), s.box, "buy", []byte(`{"reason":"x"}`))
				done <- err
			}()
			return done
		}
		first := buy(c)
		<-begun
		second := buy(c)
		<-begun
		if n := during.Load(); n != 1 {
			t.Errorf("%d calls are kept while they are under way", n)
		}
		for _, q := range y.asked {
			if slices.Contains(q.Reasons, call.ReasonLost) {
				t.Error("a call under way is asked about as lost")
			}
		}
		killed := &yes{verdict: call.Deny} // another process, after this one was killed
		other := s.caller(&call.Options{Confirm: killed.confirm, Lost: kept})
		if _, err := other.Call(t.Context(), s.box, "buy", []byte(`{"reason":"x"}`)); err == nil || killed.count() != 1 || killed.asked[0].Reasons[0] != call.ReasonLost {
			t.Errorf("another process is asked %+v, %v", killed.asked, err)
		}
		goOn <- true
		goOn <- true
		if err, err2 := <-first, <-second; err != nil || err2 != nil || len(kept.till) != 0 {
			t.Errorf("%v, %v; %d kept after the answers", err, err2, len(kept.till))
		}
		if _, err := c.Call(t.Context(), s.box, "show", []byte(`{}`)); err != nil || during.Load() != 0 {
			t.Errorf("%v; %d kept while a call reads", err, during.Load())
		}
	})
}

// A call that was lost stays known if another one of its intention fails, which was under way with it.
func TestALostCallIsKnownWhateverEndsBesideIt(t *testing.T) {
	for name, second := range map[string]struct {
		status int
		kept   int
	}{"the other fails": {422, 1}, "the other succeeds": {200, 0}} {
		bubble(t, func(t *testing.T) {
			kept := &lostFile{t: t, kept: map[string]string{}, till: map[string]time.Time{}}
			begun, abort, answer := make(chan bool, 2), make(chan bool), make(chan bool)
			s := newShop(t, document("", operation("post", "/api/buy", "buy", priced+jsonBody)), func(w http.ResponseWriter, _ *http.Request) {
				begun <- true
				select {
				case <-abort:
					panic(http.ErrAbortHandler)
				case <-answer:
					w.WriteHeader(second.status)
				}
			})
			c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Lost: kept})
			done := make(chan error, 2)
			for range 2 {
				go func() {
					_, err := c.Call(context.WithoutCancel(t.Context()), s.box, "buy", []byte(`{"reason":"x"}`))
					done <- err
				}()
				<-begun
			}
			abort <- true
			<-done
			answer <- true
			<-done
			if n := len(kept.till); n != second.kept {
				t.Errorf("%s: %d kept", name, n)
			}
		})
	}
}
