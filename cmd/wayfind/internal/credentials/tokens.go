package credentials

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// schemaTokens is the schema of the file of --token-file.
const schemaTokens = "wayfind-tokens/2"

// KeptTokens is a key of a tokenFile with its value.
type KeptTokens struct {
	Principal string          `json:"principal"`
	Issuer    string          `json:"issuer"`
	Resource  string          `json:"resource"`
	Client    string          `json:"client"`
	Kept      json.RawMessage `json:"kept"`
}

func (k *KeptTokens) key() call.TokenKey {
	return call.TokenKey{Principal: k.Principal, Issuer: k.Issuer, Resource: k.Resource, Client: k.Client}
}

// TokenFile implements call.TokenStore with a file that only its owner may read. It keeps nothing
// in memory, because other processes write the file, too. It holds a lock of the key while a value
// changes, which may take a request. It holds a lock of the file only while it writes.
type TokenFile struct{ Name string }

// OpenTokens reads a file of tokens, or the one that a link leads to. A file that does not exist has no
// tokens.
func OpenTokens(name string) (*TokenFile, error) {
	target, err := privatefile.Target(name)
	if err != nil {
		return nil, ui.Usagef("--token-file: %w", err)
	}
	t := &TokenFile{Name: target}
	_, err = t.read()
	return t, err
}

// read reads the file.
func (t *TokenFile) read() ([]KeptTokens, error) {
	raw, err := ReadPrivate(t.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ui.Usagef("--token-file: %w", err)
	}
	var file struct {
		Schema string       `json:"schema"`
		Tokens []KeptTokens `json:"tokens"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, ui.Usagef("--token-file: %s is no file of tokens", t.Name) // the text of err may contain a token
	}
	if err := ui.CheckSchema(file.Schema, schemaTokens, errors.New("it is no file of tokens")); err != nil {
		return nil, ui.Usagef("--token-file: %s: %w", t.Name, err)
	}
	return file.Tokens, nil
}

// lock waits for the lock of a key.
func (t *TokenFile) lock(ctx context.Context, key call.TokenKey) (release func(), err error) {
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(name)
	return privatefile.Lock(ctx, t.Name+"."+hex.EncodeToString(sum[:8])+".lock")
}

// maxChange is the size of the value of one key, about.
const maxChange = 4 << 10

// Update implements call.TokenStore.
func (t *TokenFile) Update(ctx context.Context, key call.TokenKey, change func(kept []byte) ([]byte, error)) error {
	release, err := t.lock(ctx, key)
	if err != nil {
		return err
	}
	defer release()
	list, err := t.read()
	if err != nil {
		return err
	}
	var kept []byte
	if i := slices.IndexFunc(list, func(k KeptTokens) bool { return k.key() == key }); i >= 0 {
		kept = list[i].Kept
	}
	if err := privatefile.Replaceable(t.Name, maxChange+len(list)*maxChange); err != nil {
		return fmt.Errorf("--token-file: it could not be replaced: %w", err) // before a refresh token is spent
	}
	next, err := change(kept)
	if err != nil || string(next) == string(kept) {
		return err
	}
	return t.replace(ctx, key, next)
}

// replace writes the value of a key, whose lock the caller holds.
func (t *TokenFile) replace(ctx context.Context, key call.TokenKey, next []byte) error {
	release, err := privatefile.Lock(ctx, t.Name+".lock")
	if err != nil {
		return err
	}
	defer release()
	list, err := t.read()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(k KeptTokens) bool { return k.key() == key })
	if next != nil {
		list = append(list, KeptTokens{key.Principal, key.Issuer, key.Resource, key.Client, next})
	}
	raw, err := json.Marshal(map[string]any{"schema": schemaTokens, "tokens": list})
	if err != nil {
		return err
	}
	return privatefile.Write(t.Name, privatefile.Bytes(append(raw, '\n')))
}

// maxForget is the longest time that Forget waits for the updates of other processes.
const maxForget = time.Minute

// Forget implements call.TokenStore.
func (t *TokenFile) Forget(principal string) error {
	ctx, cancel := context.WithTimeout(context.Background(), maxForget)
	defer cancel()
	_, err := t.Remove(ctx, func(k *KeptTokens) bool { return k.Principal == principal })
	return err
}

// Remove removes the keys that match, and returns their number.
func (t *TokenFile) Remove(ctx context.Context, match func(*KeptTokens) bool) (n int, err error) {
	list, err := t.read()
	for i := range list {
		if err != nil {
			return n, err
		}
		if k := &list[i]; match(k) {
			err = t.Update(ctx, k.key(), func([]byte) ([]byte, error) { return nil, nil })
			n++
		}
	}
	return n, err
}
