// Package provenance checks the source of a document: its signatures, and the endpoints, names
// and publishers of other sites that it claims.
package provenance

import (
	"cmp"
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/security/cards"
)

// cardFormat is the format whose documents can have verifiable signatures (A2A 1.0 §8.4).
const cardFormat = "a2a"

// Keyring contains the keys that check signatures: the keys of the caller, and the keys at the
// URLs in protected headers.
type Keyring struct {
	Pinned  *cards.Keys
	Fetched map[string]*cards.Keys
}

// Card returns the card of a reading whose signatures can be checked. ok is false for any other
// reading.
func (k Keyring) Card(doc *reading.Contents, at reading.At, r reading.Located) (check cards.Card, ok bool) {
	if r.Format.Name != cardFormat || doc.Input() == nil {
		return check, false
	}
	check = cards.Card{Body: doc.Input().Body, Requested: at.Anchor(), Served: at.Final, Sites: at.Sites, Pinned: k.Pinned, Fetched: k.Fetched}
	for _, s := range r.Signed {
		check.Signatures = append(check.Signatures, cards.JWS(s))
	}
	return check, true
}

// Verify checks the signatures of a reading over the original bytes of the document. It may
// change the reading. A signature with a pinned key raises the rank of the origin's own
// statements. An invalid signature is reported and does not lower the rank.
func (k Keyring) Verify(doc *reading.Contents, at reading.At, r *reading.Located) []wayfind.Diagnostic {
	check, ok := k.Card(doc, at, *r)
	if !ok {
		return nil
	}
	if len(check.Signatures) == 0 {
		return unsigned(r.Source.URL, k.Pinned.Expects(check.Origins()...))
	}
	var diags []wayfind.Diagnostic
	for i, checked := range check.Check() {
		s := &r.Source.Signatures[i]
		s.Status, s.Code, s.Profile, s.KeySource = checked.Status, checked.Code(), checked.Profile, checked.KeySource
		if checked.Err != nil {
			diags = append(diags, doubt(r.Source.URL, *s, checked.Err))
		}
	}
	if slices.ContainsFunc(r.Source.Signatures, pinnedValid) {
		r.Verified()
	}
	return diags
}

func pinnedValid(s wayfind.Signature) bool {
	return s.Status == cards.Valid && s.KeySource == cards.KeyPinned
}

// doubt returns the diagnostic for a signature that is not accepted.
func doubt(source string, s wayfind.Signature, err error) wayfind.Diagnostic {
	d := SignatureRule(s.Code).Diagnostic(source, "%v", cause(err))
	if len(s.Sources) > 0 {
		d.Pointer = s.Sources[0].Pointer
	}
	return d
}

// unsigned warns if an origin that signs serves a card without signatures. An attacker who can
// change a card can remove them.
func unsigned(source string, expected bool) []wayfind.Diagnostic {
	if !expected {
		return nil
	}
	return []wayfind.Diagnostic{ruleUnsigned.Diagnostic(source, "the card is not signed, although a key is pinned for its origin")}
}

// PrivateKeys warns if a key set contains keys that must not be published.
func PrivateKeys(source string, keys *cards.Keys) []wayfind.Diagnostic {
	n := keys.Private()
	if n == 0 {
		return nil
	}
	return []wayfind.Diagnostic{rulePrivateKey.Diagnostic(source,
		"of the keys in the set %d are private or symmetric, so every reader can sign with them", n)}
}

// cause returns the text of an error without its kind and code.
func cause(err error) error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return cmp.Or(e.Err, err)
	}
	return err
}
