package client

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
)

const (
	// cardFormat is the format whose documents can be signed so that it can be
	// checked (A2A 1.0 §8.4).
	cardFormat = "a2a"
	// keysFormat is the format of a JWK Set in a probe. No format reads it: it is
	// only there to check signatures with.
	keysFormat = "jwks"
	// keysAccept is the Accept field of a request for a JWK Set (RFC 7517 §8.5.2).
	keysAccept = "application/jwk-set+json, application/json;q=0.9"
	// maxKeySets bounds the key sets that are asked for in one Resolve.
	maxKeySets = 4
)

// keyring holds the keys for checking signatures: the caller's, and those
// behind the key URLs of protected headers.
type keyring struct {
	pinned  *cards.Keys
	fetched map[string]*cards.Keys
}

// card is a reading whose signatures can be checked. ok is false for any other.
func (k keyring) card(doc *reading.Contents, at reading.At, r reading.Located) (check cards.Card, ok bool) {
	if r.Format.Name != cardFormat || doc.Input() == nil {
		return check, false
	}
	check = cards.Card{Body: doc.Input().Body, Requested: at.Anchor(), Served: at.Final, Sites: at.Sites, Pinned: k.pinned, Fetched: k.fetched}
	for _, s := range r.Signed {
		check.Signatures = append(check.Signatures, cards.JWS(s))
	}
	return check, true
}

// verify checks the signatures of a reading, which it owns, over the original
// bytes of the document. A signature with a pinned key raises the rank of the
// origin's own statements; a bad one is reported, and takes nothing away.
func (k keyring) verify(doc *reading.Contents, at reading.At, r *reading.Located) []wayfind.Diagnostic {
	check, ok := k.card(doc, at, *r)
	if !ok {
		return nil
	}
	if len(check.Signatures) == 0 {
		return unsigned(r.Source.URL, k.pinned.Expects(check.Origins()...))
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

// doubt says why a signature does not count.
func doubt(source string, s wayfind.Signature, err error) wayfind.Diagnostic {
	d := signatureRule(s.Code).Diagnostic(source, "%v", cause(err))
	if len(s.Sources) > 0 {
		d.Pointer = s.Sources[0].Pointer
	}
	return d
}

// unsigned warns of a card without signatures from an origin that signs: an
// attacker who can change a card can remove them.
func unsigned(source string, expected bool) []wayfind.Diagnostic {
	if !expected {
		return nil
	}
	return []wayfind.Diagnostic{ruleUnsigned.Diagnostic(source, "the card is not signed, although a key is pinned for its origin")}
}

// keys asks for the key sets that would decide about signatures, if the caller
// wants that, and checks those signatures again.
func (r *run) keys(ctx context.Context) {
	if !r.client.opts.Trust.FetchKeys {
		return
	}
	wanted, candidates := r.wantedKeys()
	if len(candidates) == 0 {
		return
	}
	r.wave(ctx, candidates, nil)
	ring := keyring{pinned: r.client.opts.Trust.Keys, fetched: map[string]*cards.Keys{}}
	for text, u := range wanted {
		if o := r.outcome(u); o != nil && o.Candidate.Keys && o.Probe.Verdict != wayfind.VerdictSkipped {
			ring.fetched[text] = o.keys
		}
	}
	for i, o := range r.done {
		if again := r.recheck(ring, o); again != nil {
			r.done[i] = again
			r.emit(again)
		}
	}
}

// wantedKeys are the key URLs in protected headers, with the URLs that they
// mean, and the candidates to ask for those.
func (r *run) wantedKeys() (wanted map[string]string, candidates []places.Candidate) {
	wanted = map[string]string{}
	ring := keyring{pinned: r.client.opts.Trust.Keys}
	for _, o := range r.done {
		for _, found := range o.Readings {
			check, ok := ring.card(o.doc, r.client.placeOf(o), found)
			if !ok {
				continue
			}
			for _, text := range check.Wanted() {
				u, err := security.ParseURL(text, nil)
				if err != nil || len(wanted) == maxKeySets {
					continue
				}
				wanted[text] = u.String()
				candidate := keysCandidate(u.String(), o.Candidate.URL)
				known := func(c places.Candidate) bool { return c.URL == candidate.URL }
				if r.outcome(candidate.URL) == nil && !slices.ContainsFunc(candidates, known) {
					candidates = append(candidates, candidate)
				}
			}
		}
	}
	return wanted, candidates
}

// keysCandidate is a key set on the site of the card that names it.
func keysCandidate(u, from string) places.Candidate {
	limits := parse.Limits{Bytes: cards.MaxKeySetBytes, SameSiteOnly: true}.WithDefaults()
	return places.Candidate{URL: u, From: from, Accept: keysAccept, Limits: limits, Depth: 1, Detail: true, Keys: true}
}

// readKeys takes an answer for a key set.
func (o *outcome) readKeys(doc *reading.Contents) {
	keys, err := doc.Keys()
	if err != nil {
		o.fail(err)
		return
	}
	o.keys = keys
	if n := keys.Private(); n > 0 {
		o.Diagnostics = append(o.Diagnostics, rulePrivateKey.Diagnostic(o.Candidate.URL,
			"of the keys in the set %d are private or symmetric, so that every reader can sign with them", n))
	}
	o.Probe.Verdict, o.Probe.Reason, o.Probe.Format = wayfind.VerdictFound, "", keysFormat
}

// recheck returns an outcome with its signatures checked with more keys, nil
// when that changes nothing. The outcome itself was given out already.
func (r *run) recheck(ring keyring, o *outcome) *outcome {
	at, again := r.client.placeOf(o), *o
	again.Readings = slices.Clone(o.Readings)
	changed := false
	for i := range again.Readings {
		found := &again.Readings[i]
		check, ok := ring.card(o.doc, at, *found)
		if !ok || len(check.Wanted()) == 0 {
			continue
		}
		found.OwnSignatures()
		again.Diagnostics = slices.DeleteFunc(slices.Clone(again.Diagnostics), func(d wayfind.Diagnostic) bool {
			return strings.HasPrefix(d.Code, "signature.")
		})
		again.Diagnostics = append(again.Diagnostics, ring.verify(o.doc, at, found)...)
		changed = true
	}
	if !changed {
		return nil
	}
	return &again
}

// cause is the text of an error without its kind and code.
func cause(err error) error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return cmp.Or(e.Err, err)
	}
	return err
}
