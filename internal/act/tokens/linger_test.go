package tokens_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

// afterWork makes the token endpoint call do between its work and its answer.
func (m *realm) afterWork(do func()) {
	m.login.Handle("/token", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		m.ServeHTTP(answer, r)
		do()
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
}

// The server has replaced a refresh token when the caller gives up. The new token is kept, so
// that this process, and another process that waits for its turn, can use it.
func TestARenewalThatNobodyWaitsForIsKept(t *testing.T) {
	for _, dpop := range []bool{false, true} {
		inRealm(t, &clienttest.OAuth{DPoP: dpop}, func(t *testing.T, m *realm) {
			kept := newStore()
			k, other := tokens.NewKeeper(m.client, kept), tokens.NewKeeper(m.client, kept)
			get(t, k, m.device("alice", "read"))
			for range 3 {
				time.Sleep(2 * time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				m.afterWork(func() { cancel(); time.Sleep(3 * time.Second) })
				done := make(chan error)
				go func() {
					time.Sleep(time.Second) // the first has its turn
					_, err := other.Token(t.Context(), m.device("alice", "read"))
					done <- err
				}()
				_, _ = k.Token(ctx, m.device("alice", "read"))
				if err := <-done; err != nil {
					t.Error(err)
				}
				get(t, k, m.device("alice", "read"))
			}
			if m.wantLogins(t, "callers who gave up", 1); m.Reused() != 0 {
				t.Errorf("%d refresh tokens were used twice", m.Reused())
			}
		})
	}
}

// A renewal ends after a time, and a renewal that waits for its turn is not begun.
func TestARenewalThatNobodyWaitsForHasAnEnd(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		k, other := tokens.NewKeeper(m.client, kept), tokens.NewKeeper(m.client, kept)
		get(t, k, m.device("alice", "read"))
		time.Sleep(2 * time.Hour)
		m.afterWork(func() { time.Sleep(time.Hour) })
		asked, begun := m.Count("refresh_token"), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() { _, _ = k.Token(ctx, m.device("alice", "read")) }()
		time.Sleep(500 * time.Millisecond)
		if _, err := other.Token(ctx, m.device("alice", "read")); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		kept.turn <- struct{}{}
		if lasted := time.Since(begun); lasted > 15*time.Second || m.Count("refresh_token") != asked+1 {
			t.Errorf("%d renewals last %v", m.Count("refresh_token")-asked, lasted)
		}
		<-kept.turn
	})
}

// A login is kept even if its user gives up while the store is busy.
func TestALoginThatNobodyWaitsForIsKept(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		ctx, cancel := context.WithCancel(t.Context())
		m.afterWork(func() {
			kept.turn <- struct{}{} // another process has it
			go func() { time.Sleep(time.Second); cancel(); time.Sleep(time.Second); <-kept.turn }()
		})
		_, _ = tokens.NewKeeper(m.client, kept).Token(ctx, m.device("alice", "read"))
		m.afterWork(func() {})
		get(t, tokens.NewKeeper(m.client, kept), m.device("alice", "read"))
		m.wantLogins(t, "one who gave up", 1)
	})
}
