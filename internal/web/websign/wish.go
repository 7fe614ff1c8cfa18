package websign

import (
	"net/http"
	"slices"

	"github.com/dunglas/httpsfv"
)

// A site may ask for a label and a nonce of at most this many bytes, because both are returned
// to it.
const (
	maxLabel = 64
	maxNonce = 512
)

// Wish is a signature that a site asks for.
type Wish struct {
	label   string
	covered []string
	nonce   string
}

// Wish reads the field Accept-Signature of an answer (RFC 9421 §5.1) and returns the
// first signature in it that the Signer can make, or nil.
func (s *Signer) Wish(answer http.Header) *Wish {
	lines := answer.Values(fieldWish)
	if len(lines) == 0 {
		return nil
	}
	d, err := httpsfv.UnmarshalDictionary(lines)
	if err != nil {
		return nil
	}
	for _, label := range d.Names() {
		member, _ := d.Get(label)
		if list, ok := member.(httpsfv.InnerList); ok && len(label) <= maxLabel {
			if w, ok := s.wish(label, list); ok {
				return w
			}
		}
	}
	return nil
}

func (s *Signer) wish(label string, list httpsfv.InnerList) (*Wish, bool) {
	w := &Wish{label: label}
	for _, item := range list.Items {
		name, _ := item.Value.(string)
		params := item.Params.Names()
		switch {
		case name == agentName && fitsKey(item.Params, label):
		case !slices.Contains(components(), name), len(params) > 0:
			return nil, false
		case !slices.Contains(w.covered, name):
			w.covered = append(w.covered, name)
		}
	}
	if !slices.Contains(w.covered, "@authority") && !slices.Contains(w.covered, "@target-uri") {
		w.covered = append(w.covered, "@authority")
	}
	return w, s.accepts(w, list.Params)
}

// components returns the derived components that a site may ask for.
func components() []string {
	return []string{"@authority", "@method", "@path", "@query", "@scheme", "@target-uri"}
}

// fitsKey reports whether the parameters of Signature-Agent name the member with the label, or
// no member.
func fitsKey(params *httpsfv.Params, label string) bool {
	key, named := params.Get("key")
	return len(params.Names()) == 0 || named && key == label && len(params.Names()) == 1
}

// accepts reports whether the Signer can make a signature with the parameters that a site asks
// for. It copies the nonce from them.
func (s *Signer) accepts(w *Wish, params *httpsfv.Params) bool {
	for _, name := range params.Names() {
		value, _ := params.Get(name)
		fits := value == true // the value is irrelevant
		switch name {
		case "tag":
			fits = fits || value == tag
		case "keyid":
			fits = fits || value == s.id
		case "alg":
			fits = fits || value == algorithm
		case "nonce":
			nonce, isText := value.(string)
			fits = fits || isText && len(nonce) <= maxNonce
			w.nonce = nonce
		}
		if !fits {
			return false
		}
	}
	return true
}
