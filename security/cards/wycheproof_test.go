package cards

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// wycheproof is a file of test vectors of the project.
type wycheproof struct {
	TestGroups []struct {
		Comment         string
		Public, Private json.RawMessage
		Tests           []struct {
			TcID    int
			Comment string
			JWS     any
			Result  string
		}
	}
}

// accepts reports whether we accept a compact JWS with a key or a set of keys, by the rules for
// signatures of cards.
func accepts(t *testing.T, key json.RawMessage, jws any) bool {
	t.Helper()
	text, _ := jws.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return false // we do not read JSON serializations
	}
	if !strings.Contains(string(key), `"keys"`) {
		key = fmt.Appendf(nil, `{"keys":[%s]}`, key)
	}
	store, err := ParseKeySet(key)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	header, err := readHeader(parts[0])
	payload, wrong := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	if err != nil || wrong != nil {
		return false
	}
	for _, k := range store.keys {
		s := JWS{Protected: parts[0], Signature: parts[2]}
		if (header.keyID == "" || header.keyID == k.id) && s.verify(header.algorithm, payload, k) == nil {
			return true
		}
	}
	return false
}

// These are the vectors of Wycheproof for signatures. All vectors with symmetric keys are
// refused, including the valid ones. Four figures of RFC 7520 have keys whose "alg" differs
// from the algorithm of the signature. Other vectors require that such keys are refused. They
// are, and they are accepted if the key has the right "alg".
func TestWycheproof(t *testing.T) {
	for _, name := range []string{"signature", "key", "crypto"} {
		var file wycheproof
		if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "jws", "wycheproof_json_web_"+name+"_test.json")), &file); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, g := range file.TestGroups {
			for _, c := range g.Tests {
				if c.JWS == nil {
					count["not of signatures"]++
					continue
				}
				want, key := c.Result == "valid", g.Public
				switch {
				case key == nil:
					key, want = g.Private, false
					count["symmetric"]++
				case want && (c.Comment == "Figure20" || c.Comment == "Figure27"):
					if accepts(t, key, c.JWS) {
						t.Errorf("%s %d: a key for another algorithm was used", name, c.TcID)
					}
					key = json.RawMessage(strings.NewReplacer(`"PS256"`, `"PS384"`, `"ES521"`, `"ES512"`).Replace(string(key)))
					count["with the alg mended"]++
				}
				got := accepts(t, key, c.JWS)
				if got != want {
					t.Errorf("%s %d, %s, %q: accepted %t, want %t", name, c.TcID, g.Comment, c.Comment, got, want)
				}
				count[map[bool]string{true: "accepted", false: "refused"}[got]]++
			}
		}
		if count["accepted"] == 0 || count["refused"] == 0 {
			t.Errorf("%s: %v", name, count)
		}
		t.Logf("%s: %v", name, count)
	}
}
