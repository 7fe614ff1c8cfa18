package tokens_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

const (
	apiOrigin = "https://api.example.com"
	issuer    = "https://login.example.com"
)

// realm is an API with its authorization server.
type realm struct {
	*clienttest.OAuth
	client *client.Client
	login  *clienttest.Host
	api    *clienttest.Host

	mu     sync.Mutex
	logins int // of people
}

// inRealm runs a test in a bubble.
func inRealm(t *testing.T, oauth *clienttest.OAuth, test func(t *testing.T, m *realm)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		net := clienttest.New(t)
		oauth.Issuer = issuer
		m := &realm{OAuth: oauth}
		m.login = net.Host("login.example.com", oauth)
		open := func(*http.Request) []string { return nil }
		m.api = net.Host("api.example.com", oauth.Protect(apiOrigin, open, http.NotFoundHandler()))
		m.client = net.Client()
		test(t, m)
	})
}

// device returns a request of a user with another device.
func (m *realm) device(principal string, scopes ...string) *tokens.Request {
	return &tokens.Request{
		Config: &tokens.Config{Grant: tokens.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.logins++
			return nil
		}},
		Principal: principal, Resource: apiOrigin, Needed: scopes,
		Approve: func(context.Context, *url.URL) error { return errors.New("not approved") },
		Agree:   func(context.Context, []string) error { return errors.New("not agreed") },
	}
}

// machine returns a request of a client for itself.
func (m *realm) machine(scopes ...string) *tokens.Request {
	r := m.device("", scopes...)
	r.Config = &tokens.Config{Grant: tokens.ClientCredentials, Issuer: issuer, ClientID: "robot", ClientSecret: "s3cret"}
	return r
}

// registering returns a request of a client that is not registered yet.
func (m *realm) registering(principal string) *tokens.Request {
	r := m.device(principal, "read")
	r.ClientID, r.Register = "", true
	return r
}

func (m *realm) wantLogins(t *testing.T, name string, want int) {
	t.Helper()
	if m.logins != want {
		t.Errorf("%s: %d logins, want %d", name, m.logins, want)
	}
}

// get returns a token, and fails if there is none.
func get(t *testing.T, k *tokens.Keeper, r *tokens.Request) string {
	t.Helper()
	token, err := k.Token(t.Context(), r)
	if err != nil {
		t.Fatalf("no token: %v", err)
	}
	return token.Authorization()
}

// wantFailure checks that there is no token, and the reason.
func wantFailure(t *testing.T, name string, k *tokens.Keeper, r *tokens.Request, why tokens.Why) {
	t.Helper()
	token, err := k.Token(t.Context(), r)
	if e, ok := errors.AsType[*tokens.Error](err); token != nil || !ok || e.Why != why {
		t.Errorf("%s: %v, %v; want an error of kind %d", name, token, err, why)
	}
}

// store is a Store that two Keepers share, as two processes share a file.
type store struct {
	turn chan struct{} // for all keys
	kept map[tokens.Key]string
	fail error
}

func newStore() *store {
	return &store{turn: make(chan struct{}, 1), kept: map[tokens.Key]string{}}
}

func (s *store) Update(ctx context.Context, key tokens.Key, change func([]byte) ([]byte, error)) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	next, err := change([]byte(s.kept[key]))
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	if delete(s.kept, key); next != nil {
		s.kept[key] = string(next)
	}
	return nil
}

func (s *store) Forget(principal string) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	for key := range s.kept {
		if key.Principal == principal {
			delete(s.kept, key)
		}
	}
	return s.fail
}
