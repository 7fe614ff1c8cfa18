package tokens

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
)

// Key is a key of a [Store]. The value of one key is never used for another.
type Key struct{ Principal, Issuer, Resource, Client string }

// Store keeps the values that outlive access tokens: refresh tokens, registrations, and the
// keys that tokens are bound to. call.TokenStore describes it.
type Store interface {
	Update(ctx context.Context, key Key, change func(kept []byte) ([]byte, error)) error
	Forget(principal string) error
}

// state is a value of a Store.
type state struct {
	Registered string   `json:"registered,omitempty"` // the ID of a client that was registered
	Secret     string   `json:"secret,omitempty"`     // of this client
	Method     string   `json:"method,omitempty"`     // by which it authenticates at the token endpoint
	Until      int64    `json:"until,omitempty"`      // the Unix time at which the secret expires; 0 for never
	Refresh    string   `json:"refresh,omitempty"`
	Login      string   `json:"login,omitempty"`    // identifies the login that Refresh is of; the same while it is refreshed
	Scopes     []string `json:"scopes,omitempty"`   // the scopes that the user was asked for
	Audience   string   `json:"audience,omitempty"` // of the refresh token; "" is the URL that was asked
	Proofs     *prover  `json:"proofs,omitempty"`   // contains the key that tokens are bound to
}

// readState reads a value. If it cannot be read, the state is empty, so that the user logs in
// again.
func readState(kept []byte) (s state) {
	if json.Unmarshal(kept, &s) != nil {
		return state{}
	}
	return s
}

func (s *state) encode() ([]byte, error) {
	if s.Registered == "" && s.Refresh == "" {
		return nil, nil
	}
	return json.Marshal(s)
}

// memory is a Store in memory.
type memory struct {
	mu   sync.Mutex
	kept map[Key]*slot
}

// slot is the value of one key. Only one caller changes it at a time.
type slot struct {
	turn chan struct{}
	kept []byte
}

func newMemory() *memory { return &memory{kept: make(map[Key]*slot)} }

// Update implements Store.
func (m *memory) Update(ctx context.Context, key Key, change func([]byte) ([]byte, error)) error {
	own := m.slotOf(key)
	select {
	case own.turn <- struct{}{}:
		defer func() { <-own.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	next, err := change(own.kept)
	if err == nil {
		own.kept = next
	}
	return err
}

func (m *memory) slotOf(key Key) *slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.kept[key]
	if s == nil {
		evictIdle(m.kept, func(s *slot) bool { return len(s.turn) == 0 })
		s = &slot{turn: make(chan struct{}, 1)}
		m.kept[key] = s
	}
	return s
}

// Forget implements Store. An Update in progress changes a slot that no other Update can reach
// any more.
func (m *memory) Forget(principal string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.kept, func(key Key, _ *slot) bool { return key.Principal == principal })
	return nil
}
