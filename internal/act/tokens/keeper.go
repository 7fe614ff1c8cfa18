package tokens

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/client"
)

// maxKept is the maximum number of accounts that a Keeper, or a store in memory, keeps.
const maxKept = 4096

// Keeper gets tokens and keeps them. It is safe for concurrent use.
type Keeper struct {
	client *client.Client
	store  Store

	mu   sync.Mutex
	kept map[Key]*account
}

// NewKeeper returns a Keeper that sends its requests through a Client. The store keeps refresh
// tokens and registrations. If it is nil, they are kept in memory, for the life of the Keeper.
func NewKeeper(c *client.Client, s Store) *Keeper {
	if s == nil {
		s = newMemory()
	}
	return &Keeper{client: c, store: s, kept: make(map[Key]*account)}
}

// Forget removes everything that was kept for a principal, in the Keeper and in the store. A
// login of the principal that is in progress fails.
func (k *Keeper) Forget(principal string) error {
	k.mu.Lock()
	for own, a := range k.kept {
		if own.Principal == principal {
			a.forget()
		}
	}
	maps.DeleteFunc(k.kept, func(own Key, _ *account) bool { return own.Principal == principal })
	k.mu.Unlock()
	return k.store.Forget(principal)
}

// Token returns an access token that has not expired, and fetches one if necessary. A token
// may have more scopes than the request needs.
func (k *Keeper) Token(ctx context.Context, r *Request) (*Token, error) {
	at, err := url.Parse(r.Resource)
	if err != nil {
		return nil, err
	}
	own := k.accountOf(Key{r.Principal, r.Issuer, r.Resource, r.ClientID})
	if t := own.token(r); t != nil {
		return t, nil
	}
	select {
	case own.turn <- struct{}{}:
		defer func() { <-own.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t := own.token(r); t != nil { // another call fetched it in the meantime
		return t, nil
	}
	t, err := (&fetcher{Request: r, client: k.client, store: k.store, at: at, own: own}).fetch(ctx)
	if err != nil {
		return nil, err
	}
	own.keep(t, r.Stale)
	return t, nil
}

// accountOf returns the account of a key. If there is no room, it removes another account that
// no call is using to fetch a token. The store still has the refresh token of that account.
func (k *Keeper) accountOf(own Key) *account {
	k.mu.Lock()
	defer k.mu.Unlock()
	a := k.kept[own]
	if a == nil {
		evictIdle(k.kept, func(a *account) bool { return len(a.turn) == 0 })
		a = &account{turn: make(chan struct{}, 1)}
		k.kept[own] = a
	}
	return a
}

// evictIdle removes one idle value of a full map.
func evictIdle[V any](kept map[Key]V, idle func(V) bool) {
	if len(kept) < maxKept {
		return
	}
	for key, v := range kept {
		if idle(v) {
			delete(kept, key)
			return
		}
	}
}

// account holds the access tokens of one principal, for one resource, issuer and client. One
// call fetches at a time. The calls that wait for it use the token that it fetched.
type account struct {
	turn chan struct{}

	// Guarded by turn.
	issuer  string   // the issuer of all values below
	machine state    // for client credentials; it is never stored
	agreed  []string // scopes that a person has agreed to
	// unkept are the states by client that the store could not keep.
	unkept map[string]unkept

	mu   sync.Mutex
	held []*Token // the newest first
	gone bool     // the principal was forgotten
}

// unkept is a state that a store could not keep. The refresh token in the store was spent for it, so it is
// used in the place of what the store holds, as long as that does not change: by a login, or a logout.
type unkept struct {
	state state
	held  string
}

// maxHeld is the maximum number of sets of scopes for which an account has tokens.
const maxHeld = 16

// token returns a token that has not expired and has the scopes; nil if there is no such
// token.
func (a *account) token(r *Request) *Token {
	a.mu.Lock()
	defer a.mu.Unlock()
	wanted, now := r.wanted(), time.Now()
	at := slices.IndexFunc(a.held, func(t *Token) bool {
		return t.grant == r.Grant && t.value != r.Stale && (t.proofs != nil || !r.Proofs) && covers(t.scopes, wanted) && (t.renew.IsZero() || now.Before(t.renew))
	})
	if at < 0 {
		return nil
	}
	return a.held[at]
}

// keep adds a token. It replaces the stale token and all tokens whose scopes the new token
// covers.
func (a *account) keep(t *Token, stale string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = slices.DeleteFunc(a.held, func(old *Token) bool {
		return old.value == stale || old.grant == t.grant && covers(t.scopes, old.scopes)
	})
	a.held = slices.Insert(a.held, 0, t)
	a.held = a.held[:min(len(a.held), maxHeld)]
}

// reset removes all tokens and sets the issuer of future tokens.
func (a *account) reset(issuer string) {
	a.issuer, a.machine, a.agreed, a.unkept = issuer, state{}, nil, nil
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = nil
}

// errForgotten is the error of a fetch whose principal was forgotten in the meantime.
var errForgotten = errors.New("the principal was forgotten")

func (a *account) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gone = true
}

func (a *account) isGone() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gone
}
