package tokens_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

func TestNothingOfOneUserServesAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		dpop    bool
		lasts   time.Duration
		request func(m *realm, who string) *tokens.Request
	}{
		"a login":       {request: func(m *realm, who string) *tokens.Request { return m.device(who, "read") }},
		"a client":      {request: func(m *realm, who string) *tokens.Request { return m.registering(who) }},
		"a key":         {dpop: true, request: func(m *realm, who string) *tokens.Request { return m.device(who, "read") }},
		"no scopes":     {request: func(m *realm, who string) *tokens.Request { return m.device(who) }},
		"other scopes":  {request: func(m *realm, who string) *tokens.Request { return m.device(who, who) }},
		"a known name":  {request: func(m *realm, who string) *tokens.Request { return m.device(strings.TrimPrefix(who, "alice"), "read") }},
		"a short token": {lasts: time.Second, request: func(m *realm, who string) *tokens.Request { return m.device(who, "read") }},
	} {
		inRealm(t, &clienttest.OAuth{DPoP: tt.dpop, Lifetime: tt.lasts}, func(t *testing.T, m *realm) {
			kept := newStore()
			k := tokens.NewKeeper(m.client, kept)
			alice := get(t, k, tt.request(m, "alice"))
			bob := get(t, k, tt.request(m, "bob"))
			if m.wantLogins(t, name, 2); alice == bob {
				t.Errorf("%s: two users have %s", name, alice)
			}
			again := tokens.NewKeeper(m.client, kept) // another process
			if get(t, again, tt.request(m, "bob")); m.logins != 2 {
				t.Errorf("%s: the store has lost the login", name)
			}
			if err := k.Forget(tt.request(m, "bob").Principal); err != nil {
				t.Fatal(err)
			}
			for key := range kept.kept {
				if key.Principal == "bob" {
					t.Errorf("%s: the store has %+v of one who is forgotten", name, key)
				}
			}
			get(t, k, tt.request(m, "alice"))
			m.wantLogins(t, name+": one who is not forgotten", 2)
			get(t, k, tt.request(m, "bob"))
			m.wantLogins(t, name+": one who is forgotten", 3)
		})
	}
}

func TestALoginOfAForgottenUserIsNotKept(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		k := tokens.NewKeeper(m.client, kept)
		r := m.device("alice", "read")
		r.Device = func(context.Context, string, string) error { return k.Forget("alice") }
		if token, err := k.Token(t.Context(), r); err == nil || len(kept.kept) != 0 {
			t.Errorf("%v, the store has %v", token, kept.kept)
		}
		get(t, k, m.device("alice", "read"))
	})
}

func TestAStoreThatCannotForgetSaysSo(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		full := errors.New("the disk is full")
		if err := tokens.NewKeeper(m.client, &store{turn: make(chan struct{}, 1), fail: full}).Forget("alice"); !errors.Is(err, full) {
			t.Error(err)
		}
	})
}

// crowd requests tokens at once, and returns how often each token was returned.
func crowd(t *testing.T, n int, ask func(i int) (*tokens.Token, error)) map[string]int {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	got := map[string]int{}
	for i := range n {
		all.Go(func() {
			token, err := ask(i)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[token.Authorization()]++
		})
	}
	all.Wait()
	return got
}

func TestOneRefreshServesAllScopesAndAllProcesses(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		get(t, tokens.NewKeeper(m.client, kept), m.device("alice", "read", "write"))
		processes := []*tokens.Keeper{tokens.NewKeeper(m.client, kept), tokens.NewKeeper(m.client, kept)}
		for round := range 5 {
			time.Sleep(2 * time.Hour)
			got := crowd(t, 100, func(i int) (*tokens.Token, error) {
				return processes[i%2].Token(t.Context(), m.device("alice", []string{"read", "write"}[i/2%2]))
			})
			if len(got) != 2 || m.Count("refresh_token") != 2*(round+1) || m.Reused() != 0 {
				t.Fatalf("round %d: tokens %v, %d refreshed, %d reused", round, got, m.Count("refresh_token"), m.Reused())
			}
		}
		m.wantLogins(t, "a login that has all scopes", 1)
	})
}

func TestAStepUpAsksForTheUnionOfScopes(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		get(t, k, m.device("alice", "read"))
		got := crowd(t, 50, func(int) (*tokens.Token, error) { return k.Token(t.Context(), m.device("alice", "write")) })
		if m.wantLogins(t, "a crowd that needs more", 2); len(got) != 1 {
			t.Errorf("%v", got)
		}
		both := get(t, k, m.device("alice", "write"))
		if narrow := get(t, k, m.device("alice", "read")); narrow != both {
			t.Errorf("%s has all scopes, and %s is sent", both, narrow)
		}
		more := m.device("alice", "write")
		more.More, more.Stale = []string{"admin"}, strings.TrimPrefix(both, "Bearer ")
		if admin := get(t, k, more); admin == both || get(t, k, m.device("alice", "read")) != admin {
			t.Errorf("the token of before is sent after the resource refused it")
		}
		m.wantLogins(t, "a challenge", 3)
		time.Sleep(2 * time.Hour)
		for _, scope := range []string{"read", "write", "admin"} {
			get(t, k, m.device("alice", scope))
		}
		if m.wantLogins(t, "scopes that were asked for before", 3); m.Count("refresh_token") != 1 || m.Reused() != 0 {
			t.Errorf("%d refreshed, %d reused", m.Count("refresh_token"), m.Reused())
		}
	})
}

func TestACallWaitsForNoLoginThatItDoesNotNeed(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		get(t, k, m.device("alice", "read"))
		slow := m.device("alice", "write")
		slow.Device = func(context.Context, string, string) error { time.Sleep(5 * time.Minute); return nil }
		done := make(chan error)
		go func() {
			_, err := k.Token(t.Context(), slow)
			done <- err
		}()
		time.Sleep(time.Minute)
		before := time.Now()
		get(t, k, m.device("alice", "read"))
		get(t, k, m.device("bob", "read"))
		if waited := time.Since(before); waited > time.Minute {
			t.Errorf("waited %v", waited)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestManyScopesAtOnceAreAskedAbout(t *testing.T) {
	many := make([]string, tokens.ManyScopes+1)
	for i := range many {
		many[i] = fmt.Sprintf("scope-%02d", i)
	}
	no := errors.New("no")
	for name, tt := range map[string]struct {
		change func(r *tokens.Request)
		asked  int
		answer error
	}{
		"as many as may be":          {func(r *tokens.Request) { r.Needed = many[1:] }, 0, no},
		"one more":                   {func(r *tokens.Request) { r.Needed = many }, 1, nil},
		"one more, and a no":         {func(r *tokens.Request) { r.Needed = many }, 1, no},
		"one more of a challenge":    {func(r *tokens.Request) { r.Needed, r.More = many[:1], many[1:] }, 1, no},
		"those of the configuration": {func(r *tokens.Request) { r.Config.Scopes = many }, 0, no},
	} {
		for _, person := range []bool{true, false} {
			inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
				k, asked := tokens.NewKeeper(m.client, nil), 0
				for range 2 {
					r := m.machine()
					if person {
						r = m.device("alice")
					}
					tt.change(r)
					r.Agree = func(_ context.Context, scopes []string) error {
						if asked++; !slices.Equal(scopes, many) {
							t.Errorf("%s: asked for %q", name, scopes)
						}
						return tt.answer
					}
					_, err := k.Token(t.Context(), r)
					if refused := tt.asked > 0 && tt.answer != nil; refused != errors.Is(err, no) || refused && len(m.Requests()) > 0 {
						t.Errorf("%s: %v, %d requests for a token", name, err, len(m.Requests()))
					} else if refused {
						asked = 1
					}
				}
				if asked != tt.asked {
					t.Errorf("%s: asked %d times, want %d", name, asked, tt.asked)
				}
			})
		}
	}
}

func TestALifetimeIsBelievedIfItCanBe(t *testing.T) {
	const hour = time.Hour
	for name, tt := range map[string]struct {
		says      any
		machine   bool
		kept, end time.Duration // how long it is surely kept, and when it surely is not; 0: for ever
	}{
		"an hour":                        {3600, false, 58 * time.Minute, hour},
		"ten seconds":                    {10, false, 4 * time.Second, 10 * time.Second},
		"none, with a refresh token":     {nil, false, 23 * hour, 25 * hour},
		"none, without one":              {nil, true, 400 * 24 * hour, 0},
		"an absurd one":                  {int64(1e18), false, 23 * hour, 25 * hour},
		"an absurd one of a machine":     {int64(9e18), true, 23 * hour, 25 * hour},
		"a month":                        {30 * 24 * 3600, false, 29 * 24 * hour, 30 * 24 * hour},
		"one that has ended":             {-5, false, 0, time.Nanosecond},
		"one that is a text of a number": {"3600", true, 58 * time.Minute, hour},
	} {
		inRealm(t, &clienttest.OAuth{Edit: func(r *http.Request, status int, answer map[string]any) int {
			if delete(answer, "expires_in"); tt.says != nil && r.URL.Path == "/token" {
				answer["expires_in"] = tt.says
			}
			return status
		}}, func(t *testing.T, m *realm) {
			k := tokens.NewKeeper(m.client, nil)
			r := m.device("alice", "read")
			if tt.machine {
				r = m.machine("read")
			}
			first := get(t, k, r)
			time.Sleep(tt.kept)
			if tt.kept > 0 && get(t, k, r) != first {
				t.Errorf("%s: the token is not kept for %v", name, tt.kept)
			}
			time.Sleep(tt.end - tt.kept)
			if tt.end > 0 && get(t, k, r) == first {
				t.Errorf("%s: the token is kept for %v", name, tt.end)
			}
		})
	}
}

func TestAKeyOfTheStoreNamesAllThatItIsFor(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		get(t, tokens.NewKeeper(m.client, kept), m.registering("alice"))
		want := []tokens.Key{{"alice", issuer, apiOrigin, ""}, {"alice", issuer, apiOrigin, "client-1"}}
		got := slices.SortedFunc(maps.Keys(kept.kept), func(a, b tokens.Key) int { return strings.Compare(a.Client, b.Client) })
		if !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}
