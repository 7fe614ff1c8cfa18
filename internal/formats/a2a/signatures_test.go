package a2a_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// signedCard is a row of the vectors.
type signedCard struct {
	Name string
	Card string `json:"card_text"`
}

// listed returns the number of signatures, valid or not.
func (c signedCard) listed() int {
	switch c.Name {
	case "signatures empty", "signatures null", "signatures string":
		return 0
	case "two signatures, one valid":
		return 2
	case "33 signatures":
		return 32
	}
	return 1
}

// For each signature of a card a reading contains the values of the protected header, and never
// the status verified.
func TestParsingCallsNoSignatureVerified(t *testing.T) {
	var vectors struct {
		Cases []signedCard
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "jws", "own_agentcards.json")), &vectors); err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, c := range vectors.Cases {
		r, err := a2a.Format().Parse(served(t, []byte(c.Card)))
		if err != nil {
			continue // duplicate members and similar faults are refused before
		}
		headers := protectedHeaders(c.Card)
		if c.Name == "duplicate alg in protected" || c.Name == "padded base64" {
			headers = []map[string]string{{}} // nothing is read from a faulty signature
		}
		if len(r.Signed) != len(r.Signatures) {
			t.Errorf("%s: %d signatures and the pieces of %d", c.Name, len(r.Signatures), len(r.Signed))
		}
		for i, s := range r.Signatures {
			if want := rawParts(c.Card, i); r.Signed[i] != want {
				t.Errorf("%s: handed on %+v, want %+v", c.Name, r.Signed[i], want)
			}
			got := wayfind.Signature{Status: "unverified", Algorithm: s.Algorithm, KeyID: s.KeyID, KeyURL: s.KeyURL, Sources: s.Sources}
			if diff := cmp.Diff(got, s); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.Name, diff)
			}
			if !slices.ContainsFunc(headers, func(h map[string]string) bool {
				return h["alg"] == s.Algorithm && h["kid"] == s.KeyID && (s.KeyURL == "" || h["jku"] == s.KeyURL)
			}) {
				t.Errorf("%s: no protected header says %+v", c.Name, s)
			}
		}
		if len(r.Signatures) != c.listed() {
			t.Errorf("%s: %d signatures, want %d: %q", c.Name, len(r.Signatures), c.listed(), codes(r.Diagnostics))
		}
		listed += len(r.Signatures)
	}
	if listed == 0 {
		t.Error("no signature was listed")
	}
	t.Logf("%d cards, %d signatures", len(vectors.Cases), listed)
}

// rawParts returns the parts of a signature with another reader.
func rawParts(card string, i int) parse.SignedPart {
	var doc struct{ Signatures []parse.SignedPart }
	if err := json.Unmarshal([]byte(card), &doc); err != nil {
		return parse.SignedPart{}
	}
	return doc.Signatures[i]
}

// protectedHeaders returns the texts in the protected headers of a card, decoded with another
// reader.
func protectedHeaders(card string) []map[string]string {
	var doc struct {
		Signatures []struct{ Protected string }
	}
	_ = json.Unmarshal([]byte(card), &doc) // a document of another type has none
	var list []map[string]string
	for _, s := range doc.Signatures {
		decoded, _ := base64.RawURLEncoding.DecodeString(s.Protected)
		var members map[string]any
		_ = json.Unmarshal(decoded, &members)
		header := map[string]string{}
		for member, value := range members {
			header[member], _ = value.(string)
		}
		list = append(list, header)
	}
	return list
}
