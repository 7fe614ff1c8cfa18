// Package cards checks the signatures of A2A Agent Cards: a [Card] with [Keys] of the caller
// or, if the caller allows it, with keys of the card's own site. It checks properties that the
// library below it does not check: the use, type and size of a key, the length of a salt, and
// headers that must not be relied on. [Digest] identifies a definition in JSON independently of
// its spelling.
//
// No function panics on any input. Errors are *wayfind.Error with a stable Code. All functions
// may be called concurrently.
package cards

import (
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/security"
)

// maxSignatures is the maximum number of signatures of a card. If a card has more, none of them
// is checked, because the author of the card could cause an unlimited amount of work.
const maxSignatures = 8

// Values of wayfind.Signature.Status.
const (
	// Valid: the key signed the card. KeySource is the source of the key.
	Valid = "valid"
	// Invalid: the signature was checked and is wrong.
	Invalid = "invalid"
	// Unverifiable: the signature cannot prove anything.
	Unverifiable = "unverifiable"
	// Unverified: the key is unknown.
	Unverified = "unverified"
)

// Values of wayfind.Signature.KeySource.
const (
	// KeyPinned: the key is from the caller's key store. It proves the identity of the signer.
	KeyPinned = "pinned"
	// KeySameSite: the key is from the site that serves the card. It only proves that the card
	// was not changed after it was signed.
	KeySameSite = "same_site_jku"
)

// Card is a card with the data that is needed to check its signatures.
type Card struct {
	// Body is the card in its original bytes.
	Body []byte
	// Signatures are the signatures in the card, unchanged.
	Signatures []JWS
	// Requested is the URL that was requested, and Served the URL that answered.
	Requested, Served *url.URL
	// Sites decides which hosts are one site; nil is the bundled list.
	Sites *security.SuffixList
	// Pinned are the keys of the caller. They are tried first.
	Pinned *Keys
	// Fetched are the key sets that were fetched, by the URL in the protected headers.
	Fetched map[string]*Keys
}

// Signature is the result for one signature.
type Signature struct {
	// Status is Valid, Invalid, Unverifiable or Unverified.
	Status string
	// Err is the reason why the signature is not valid: a *wayfind.Error with one of the codes
	// of signatures. It is nil if the signature is valid.
	Err error
	// Profile is the form in which the card was signed, or empty if it is not known.
	Profile string
	// KeySource is the source of the key that was used for the check, or empty if there was no
	// key.
	KeySource string
}

// Code returns the code of Err.
func (s Signature) Code() wayfind.Code { return codeIn(s.Err) }

// Check checks the signatures, and returns the results in the same order (A2A 1.0 §8.4.3). Only
// the protected header is used. The keys are the pinned keys with its key ID or, if there are
// none, the keys at its key URL. The card may be signed in the forms [ProfileRaw] and
// [ProfileProto], if every number in it means the same to every reader (RFC 7493 §2.2).
func (c *Card) Check() []Signature {
	checked := make([]Signature, len(c.Signatures))
	card, err := c.card()
	for i, s := range c.Signatures {
		if err != nil {
			checked[i] = Signature{Status: Unverifiable, Err: err}
			continue
		}
		checked[i] = c.check(card, s)
	}
	return checked
}

// signedCard is a card with those of its forms that were needed so far.
type signedCard struct {
	root     jsonscan.Node
	payloads map[string][]byte // by profile
}

// card reads the card, or returns the reason why no signature of it can be valid.
func (c *Card) card() (*signedCard, error) {
	if len(c.Signatures) > maxSignatures {
		return nil, sigError(wayfind.CodeLimit, "the card has more than %d signatures", maxSignatures)
	}
	doc, err := jsonscan.Scan(c.Body)
	if err == nil {
		err = doc.Ambiguous()
	}
	if err != nil {
		return nil, err
	}
	return &signedCard{root: doc.Root(), payloads: map[string][]byte{}}, nil
}

// payload returns the text that was signed if the card was signed in the given form.
func (s *signedCard) payload(form cardForm) ([]byte, error) {
	if payload, done := s.payloads[form.profile]; done {
		return payload, nil
	}
	payload, err := form.payload(s.root)
	s.payloads[form.profile] = payload
	return payload, err
}

func (c *Card) check(card *signedCard, s JWS) Signature {
	header, err := readHeader(s.Protected)
	if err == nil && header.keyID == "" {
		err = sigError(wayfind.CodeSigHeader, "the protected header names no key") // §8.4.2
	}
	if err != nil {
		return Signature{Status: Invalid, Err: err}
	}
	keys, source, err := c.keys(header)
	if err != nil {
		return Signature{Status: Unverified, Err: err}
	}
	checked := Signature{Status: Invalid, KeySource: source}
	for _, key := range keys {
		var form cardForm
		if form, checked.Err = s.over(card, header.algorithm, key); checked.Err != nil {
			continue
		}
		checked.Status, checked.Profile = Valid, form.profile
		if form.lossy {
			checked.Err = sigError(wayfind.CodeSigProfile, "it was signed in the form %s, which other cards have as well", form.profile)
		} else if source == KeyPinned {
			checked.Err = c.belongs(card.root, key)
		}
		if checked.Err != nil {
			checked.Status = Unverifiable
		}
		return checked
	}
	return checked
}

// over returns the form of a card that a key signed. If two forms have the same bytes, the
// first one is returned.
func (s JWS) over(card *signedCard, algorithm string, key *storedKey) (form cardForm, err error) {
	for _, form = range allForms() {
		payload, formErr := card.payload(form)
		if formErr != nil {
			return form, formErr
		}
		if err = s.verify(algorithm, payload, key); codeIn(err) != wayfind.CodeSigInvalid {
			return form, err
		}
	}
	return form, sigError(wayfind.CodeSigInvalid,
		"the key signed neither the card (%s) nor the card without defaults (%s): it was changed, or signed in another way", ProfileRaw, ProfileProto)
}

// keys returns the keys that a protected header may mean, and their source.
func (c *Card) keys(h protectedHeader) ([]*storedKey, string, error) {
	if pinned := c.Pinned.withID(h.keyID); len(pinned) > 0 {
		own := slices.DeleteFunc(slices.Clone(pinned), func(k *storedKey) bool { return !k.signsFor(c.Origins()) })
		if len(own) > 0 {
			return own, KeyPinned, nil
		}
		return pinned, KeyPinned, nil
	}
	if h.keyURL == "" {
		return nil, "", sigError(wayfind.CodeSigUnverified, "the key %+.100q is not known", h.keyID)
	}
	if _, err := c.keyURL(h.keyURL); err != nil {
		return nil, "", err
	}
	fetched, asked := c.Fetched[h.keyURL]
	if !asked {
		return nil, "", sigError(wayfind.CodeSigUnverified, "the key %+.100q is not known, and was not asked for", h.keyID)
	}
	switch found := fetched.withID(h.keyID); len(found) {
	case 0:
		return nil, "", sigError(wayfind.CodeSigJKU, "there is no usable key %+.100q where the card says", h.keyID)
	case 1:
		return found, KeySameSite, nil
	default: // choosing one would be a guess, and checking each of them is expensive
		return nil, "", sigError(wayfind.CodeSigJKU, "there are %d keys %+.100q where the card says", len(found), h.keyID)
	}
}

// keyURL returns the URL of the keys in a protected header, if it may be requested: https, port
// 443, on the site that was requested and that served the card.
func (c *Card) keyURL(text string) (*url.URL, error) {
	u, err := security.ParseURL(text, nil)
	if err != nil {
		return nil, sigError(wayfind.CodeSigJKU, "the place of the keys: %w", causeOf(err))
	}
	if t := c.Sites.TrustOf(c.Requested, c.Served, u); t != wayfind.TrustSameOrigin && t != wayfind.TrustSameSite {
		return nil, sigError(wayfind.CodeSigJKU, "the keys are on another site than the card")
	}
	return u, nil
}

// Wanted returns the URLs of the key sets that are needed to check the signatures whose keys
// are not pinned. Each URL is returned once, and only if it may be requested. The URLs are
// written as in the protected headers, for [Card.Fetched].
func (c *Card) Wanted() (texts []string) {
	if len(c.Signatures) > maxSignatures {
		return nil
	}
	for _, s := range c.Signatures {
		h, err := readHeader(s.Protected)
		if err != nil || h.keyID == "" || h.keyURL == "" || len(c.Pinned.withID(h.keyID)) > 0 || slices.Contains(texts, h.keyURL) {
			continue
		}
		if _, err := c.keyURL(h.keyURL); err == nil {
			texts = append(texts, h.keyURL)
		}
	}
	return texts
}

// belongs returns an error for a genuine card of another site. A key that is pinned for the
// origin is sufficient. A key without origins is sufficient if all endpoints are on the site.
// If the key is pinned for another origin, the card was copied from there.
func (c *Card) belongs(card jsonscan.Node, key *storedKey) error {
	switch {
	case key.signsFor(c.Origins()):
		return nil
	case len(key.origins) > 0:
		return sigError(wayfind.CodeSigDomain, "the key is pinned for %s, not for this site", key.origins[0])
	}
	for _, text := range cardURLs(card) {
		u, err := security.ParseURL(text, nil)
		if err != nil || c.Sites.TrustOf(c.Requested, c.Served, u) == wayfind.TrustCrossSite {
			return sigError(wayfind.CodeSigDomain, "the card is about %+.100q, which is not on the site that serves it", text)
		}
	}
	return nil
}

// Origins returns the origins that a card is valid for: the origin that was requested, and the
// origin that answered if it is on the same site.
func (c *Card) Origins() []string {
	if c.Requested != nil && security.IsException(c.Requested) { // a site of its own
		return []string{security.Origin(c.Requested)}
	}
	var origins []string
	for _, u := range []*url.URL{c.Requested, c.Served} {
		t := c.Sites.TrustOf(c.Requested, c.Requested, u)
		if t != wayfind.TrustSameOrigin && t != wayfind.TrustSameSite {
			continue
		}
		if origin, err := security.CanonicalOrigin("https://" + u.Host); err == nil && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return origins
}

// cardURLs returns the endpoints of a card of the versions 0.2 to 1.0.
func cardURLs(card jsonscan.Node) (texts []string) {
	add := func(n jsonscan.Node) {
		if text, ok := n.Str(); ok {
			texts = append(texts, text)
		}
	}
	add(card.Get("url"))
	for _, list := range [...]string{"supportedInterfaces", "additionalInterfaces"} {
		for i := range card.Get(list).Len() {
			add(card.Get(list).Child(i).Get("url"))
		}
	}
	return texts
}
