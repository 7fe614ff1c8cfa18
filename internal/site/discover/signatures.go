package discover

import (
	"context"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
)

const (
	// keysFormat is the format of a JWK Set in a probe. No format reads it, because it is only used
	// to check signatures.
	keysFormat = "jwks"
	// keysAccept is the Accept field of a request for a JWK Set (RFC 7517 §8.5.2).
	keysAccept = "application/jwk-set+json, application/json;q=0.9"
	// maxKeySets bounds the key sets that are asked for in one Resolve.
	maxKeySets = 4
)

// keys requests the key sets that are needed to check signatures, if the caller wants it, and
// checks those signatures again.
func (r *run) keys(ctx context.Context) {
	if !r.engine.Opts.Trust.FetchKeys {
		return
	}
	wanted, candidates := r.wantedKeys()
	if len(candidates) == 0 {
		return
	}
	r.wave(ctx, candidates, nil)
	ring := provenance.Keyring{Pinned: r.engine.Opts.Trust.Keys, Fetched: map[string]*cards.Keys{}}
	for text, u := range wanted {
		if o := r.outcome(u); o != nil && o.Candidate.Keys && o.Probe.Verdict != wayfind.VerdictSkipped {
			ring.Fetched[text] = o.keys
		}
	}
	for i, o := range r.done {
		if again := r.recheck(ring, o); again != nil {
			r.done[i] = again
			r.emit(again)
		}
	}
}

// wantedKeys returns the key URLs in protected headers, with the URLs that they refer to, and the
// candidates for requesting them.
func (r *run) wantedKeys() (wanted map[string]string, candidates []*places.Candidate) {
	wanted = map[string]string{}
	ring := provenance.Keyring{Pinned: r.engine.Opts.Trust.Keys}
	for _, o := range r.done {
		for _, found := range o.Readings {
			check, ok := ring.Card(o.Doc, r.engine.PlaceOf(o), found)
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
				candidate.Led = o.led
				known := func(c *places.Candidate) bool { return c.URL == candidate.URL }
				if r.outcome(candidate.URL) == nil && !slices.ContainsFunc(candidates, known) {
					candidates = append(candidates, candidate)
				}
			}
		}
	}
	return wanted, candidates
}

// keysCandidate returns the candidate of a key set on the site of the card that names it.
func keysCandidate(u, from string) *places.Candidate {
	limits := parse.Limits{Bytes: cards.MaxKeySetBytes, SameSiteOnly: true}.WithDefaults()
	return &places.Candidate{URL: u, From: from, Accept: keysAccept, Limits: limits, Depth: 1, Detail: true, Keys: true}
}

// readKeys reads an answer with a key set.
func (o *Outcome) readKeys(doc *reading.Contents) {
	keys, err := doc.Keys()
	if err != nil {
		o.fail(err)
		return
	}
	o.keys = keys
	o.Diagnostics = append(o.Diagnostics, provenance.PrivateKeys(o.Candidate.URL, keys)...)
	o.Probe.Verdict, o.Probe.Reason, o.Probe.Format = wayfind.VerdictFound, "", keysFormat
}

// recheck returns an outcome whose signatures were checked again with more keys, or nil if no
// signature needs another key. It returns a copy, because callers already have the outcome.
func (r *run) recheck(ring provenance.Keyring, o *Outcome) *Outcome {
	at, again := r.engine.PlaceOf(o), *o
	again.Readings = slices.Clone(o.Readings)
	changed := false
	for i := range again.Readings {
		found := &again.Readings[i]
		check, ok := ring.Card(o.Doc, at, *found)
		if !ok || len(check.Wanted()) == 0 {
			continue
		}
		found.OwnSignatures()
		again.Diagnostics = slices.DeleteFunc(slices.Clone(again.Diagnostics), func(d wayfind.Diagnostic) bool {
			return strings.HasPrefix(d.Code, "signature.")
		})
		again.Diagnostics = append(again.Diagnostics, ring.Verify(o.Doc, at, found)...)
		changed = true
	}
	if !changed {
		return nil
	}
	return &again
}
