package cards

import (
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/security"
)

// Limits of key sets that documents refer to.
const (
	// MaxKeySetBytes is the maximum size of a JWK Set of a site, in bytes.
	MaxKeySetBytes = 64 << 10
	// maxKeySetKeys is the maximum number of keys in it.
	maxKeySetKeys = 16
)

// Limits of keys. Smaller RSA keys can be broken, and larger ones make checks expensive.
const (
	minRSABits = 2048
	maxRSABits = 8192
)

// Keys contains public keys for checking signatures, by origin and key ID. It is immutable. A
// nil Keys is empty.
type Keys struct {
	keys    []*storedKey
	private int
}

// storedKey is a public key with its permitted uses.
type storedKey struct {
	id string
	// origins are the origins that it signs for, in canonical form; empty for any origin.
	origins []string
	// algorithm is the algorithm that it may be used with; empty for all of its type.
	algorithm string
	public    any
}

// ParseKeys reads the keys that a caller trusts: a JWK Set (RFC 7517 §5) in which each key has
// a "kid" and may have the member "origins", a list of the origins whose documents it signs
// ("https://example.com"). A key without origins signs for any site, but it is only valid for
// documents whose endpoints are all on the site that serves them.
//
// A caller's file is read strictly: a key that could never be used, a private or symmetric key,
// and two keys with the same ID and origin are errors. The errors are of kind
// wayfind.ErrInvalid with the code of the cause, and contain the line.
func ParseKeys(data []byte) (*Keys, error) {
	doc, err := jsonscan.Scan(data)
	if err != nil {
		return nil, err
	}
	list := doc.Root().Get("keys")
	if list.Kind() != jsonscan.Array {
		return nil, sigError(wayfind.CodeSchema, "line 1: a JWK Set has a list named \"keys\"")
	}
	store := &Keys{}
	for i := range list.Len() {
		n := list.Child(i)
		key, err := readKey(n)
		switch {
		case err != nil:
		case key.id == "":
			err = sigError(wayfind.CodeSigKey, "it has no kid")
		default:
			if key.origins, err = readOrigins(n.Get("origins")); err == nil {
				err = store.add(key)
			}
		}
		if err != nil {
			return nil, sigError(codeIn(err), "line %d: keys[%d]: %w", n.Line(), i, causeOf(err))
		}
	}
	return store, nil
}

// ParseKeySet reads a JWK Set that a site serves. Unusable keys are skipped (RFC 7517 §5). All
// keys with the same ID are skipped too, because it is not known which of them signs.
// Keys.Private returns the number of keys that should never have been published. The error is
// of kind wayfind.ErrInvalid with code wayfind.CodeSigJKU.
func ParseKeySet(data []byte) (*Keys, error) {
	if len(data) > MaxKeySetBytes {
		return nil, sigError(wayfind.CodeSigJKU, "the key set is larger than %d bytes", MaxKeySetBytes)
	}
	doc, err := jsonscan.Scan(data)
	if err != nil {
		return nil, sigError(wayfind.CodeSigJKU, "the key set cannot be read: %w", causeOf(err))
	}
	list := doc.Root().Get("keys")
	switch {
	case list.Kind() != jsonscan.Array:
		return nil, sigError(wayfind.CodeSigJKU, "it is no JWK Set")
	case list.Len() > maxKeySetKeys:
		return nil, sigError(wayfind.CodeSigJKU, "the key set has %d keys, at most %d are read", list.Len(), maxKeySetKeys)
	}
	store, ofID := &Keys{}, map[string]int{}
	for i := range list.Len() {
		if isSecret(list.Child(i)) {
			store.private++
		}
		if key, err := readKey(list.Child(i)); err == nil {
			store.keys = append(store.keys, key)
			ofID[key.id]++
		}
	}
	store.keys = slices.DeleteFunc(store.keys, func(k *storedKey) bool { return k.id != "" && ofID[k.id] > 1 })
	return store, nil
}

// Private returns the number of private and symmetric keys in a set that a site serves. Every
// reader of the set can sign with them.
func (s *Keys) Private() int {
	if s == nil {
		return 0
	}
	return s.private
}

// Len returns the number of keys.
func (s *Keys) Len() int {
	if s == nil {
		return 0
	}
	return len(s.keys)
}

// Expects reports whether a key is pinned for one of the origins. If so, the documents of the
// origins should be signed.
func (s *Keys) Expects(origins ...string) bool {
	return s != nil && slices.ContainsFunc(s.keys, func(k *storedKey) bool { return k.signsFor(origins) })
}

// withID returns the keys with an ID.
func (s *Keys) withID(id string) (keys []*storedKey) {
	if s == nil {
		return nil
	}
	for _, k := range s.keys {
		if k.id == id {
			keys = append(keys, k)
		}
	}
	return keys
}

// add refuses a second key for an existing ID and origin, because the order of the keys would
// decide which one is used.
func (s *Keys) add(key *storedKey) error {
	for _, other := range s.withID(key.id) {
		if len(other.origins) == 0 && len(key.origins) == 0 || other.signsFor(key.origins) {
			return sigError(wayfind.CodeSigKey, "another key has the kid %+.100q for the same origin", key.id)
		}
	}
	s.keys = append(s.keys, key)
	return nil
}

// signsFor reports whether a key is pinned for one of the origins by name.
func (k *storedKey) signsFor(origins []string) bool {
	return slices.ContainsFunc(k.origins, func(o string) bool { return slices.Contains(origins, o) })
}

// readOrigins reads the origins of a key in canonical form.
func readOrigins(n jsonscan.Node) (origins []string, err error) {
	switch {
	case n.Kind() == jsonscan.Missing:
		return nil, nil
	case n.Kind() != jsonscan.Array || n.Len() == 0:
		return nil, sigError(wayfind.CodeSigKey, "its origins are no list of origins")
	}
	for i := range n.Len() {
		text, _ := n.Child(i).Str()
		origin, err := security.ReadOrigin(text)
		if err != nil {
			return nil, sigError(wayfind.CodeSigKey, "its origin %+.100q: %w", text, causeOf(err))
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

func codeIn(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}

// causeOf returns the cause of an error without its kind and code, which the outer error has.
func causeOf(err error) error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}
