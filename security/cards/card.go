// Package cards checks the signatures of A2A Agent Cards: a [Card] with [Keys]
// of the caller or, where the caller wants that, with keys of the card's own
// site. It checks properties that the library below it does not: the use, type
// and size of a key, the length of a salt, headers that must not be relied on.
// [Digest] identifies a definition in JSON independently of its spelling.
//
// No function panics on any input. Errors are *wayfind.Error with a
// stable Code. All functions may be called concurrently.
package cards

import (
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
	"github.com/wayfindhq/wayfind/security"
)

// maxSignatures bounds the signatures of a card; with more, none is checked,
// because the card's author could make us work without end.
const maxSignatures = 8

// Statuses of a signature (wayfind.Signature.Status).
const (
	// Valid: the key signed the card. KeySource says who vouches for the key.
	Valid = "valid"
	// Invalid: it was checked and does not hold.
	Invalid = "invalid"
	// Unverifiable: the signature cannot prove anything.
	Unverifiable = "unverifiable"
	// Unverified: the key is unknown.
	Unverified = "unverified"
)

// Sources of a key (wayfind.Signature.KeySource).
const (
	// KeyPinned: the caller's key store. It proves the signer's identity.
	KeyPinned = "pinned"
	// KeySameSite: the site that serves the card. It proves no more than that
	// the card was not changed after it was signed.
	KeySameSite = "same_site_jku"
)

// Card is a card whose signatures are to be checked.
type Card struct {
	// Body is the card in its original bytes.
	Body []byte
	// Signatures as they stand in it.
	Signatures []JWS
	// Requested and Served are the URLs that were asked for and that answered.
	Requested, Served *url.URL
	// Sites says which hosts are one site; nil is the bundled list.
	Sites *security.SuffixList
	// Pinned are the keys of the caller: they come first.
	Pinned *Keys
	// Fetched are the keys that the URLs in protected headers led to.
	Fetched map[string]*Keys
}

// Signature is the result for one signature.
type Signature struct {
	// Status is one of the constants.
	Status string
	// Err says why it is not valid: a *wayfind.Error with one of the codes of
	// signatures. Nil when it is.
	Err error
	// Profile in which the card was signed, when that is known.
	Profile string
	// KeySource of the key that it was checked with, "" without one.
	KeySource string
}

// Code is the code of Err.
func (s Signature) Code() wayfind.Code { return codeIn(s.Err) }

// Check checks each signature, in their order (A2A 1.0 §8.4.3): its protected
// header alone counts; keys are pinned ones with its key ID, else those at its
// key URL; and the card counts in the forms of [ProfileRaw] and
// [ProfileProto], if every number in it means the same to every reader (RFC
// 7493 §2.2).
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

// signedCard is a card with the forms of it that were needed so far.
type signedCard struct {
	root     jsonscan.Node
	payloads map[string][]byte // by profile
}

// card reads the card, or says why no signature on it can count.
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

// payload is the signed text if the card was signed in a form.
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

// over finds the form of a card that a key signed. Forms that are made of the
// same bytes are told apart by their order alone.
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

// keys are those that a protected header may mean, and where they are from.
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
	default: // which one counts would be a guess, and each costs
		return nil, "", sigError(wayfind.CodeSigJKU, "there are %d keys %+.100q where the card says", len(found), h.keyID)
	}
}

// keyURL is where a protected header says that the keys are, if that is a place
// that may be asked: https, port 443, on the site that was asked and that
// served the card.
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

// Wanted are the URLs of key sets that would decide about a signature: those of
// keys that are not pinned, each once, where they may be asked. They are the
// texts of the protected headers, for [Card.Fetched].
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

// belongs refuses a genuine card of another site. A key that is pinned for
// the origin answers for it; one without origins does if all endpoints are on
// the site; one for another origin was copied from there.
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

// Origins are those that a card speaks for: the one that was asked, and the one
// that answered if it is of the same site.
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

// cardURLs are the endpoints of a card, as versions 0.2 to 1.0 write them.
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
