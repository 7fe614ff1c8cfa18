package cards

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// The digests equal the digests in the vectors.
func TestDigestsOfToolsAreThoseOfTheirVectors(t *testing.T) {
	type pair struct {
		Name, A, B string
		Same       bool   `json:"same_digest"`
		DigestA    string `json:"sha256_a"`
		DigestB    string `json:"sha256_b"`
	}
	vectors := golden.VectorJSON[struct{ Pairs []pair }](t, "mcp", "own_tool_digests.json")
	for _, p := range vectors.Pairs {
		a, errA := Digest([]byte(p.A))
		b, errB := Digest([]byte(p.B))
		if errA != nil || errB != nil || a != p.DigestA || b != p.DigestB || (a == b) != p.Same {
			t.Errorf("%s: %s %v, %s %v", p.Name, a, errA, b, errB)
		}
	}
	if len(vectors.Pairs) < golden.Least(t, golden.EnvVectors, 10) {
		t.Errorf("%d pairs, there were 10", len(vectors.Pairs))
	}
	t.Logf("%d pairs", len(vectors.Pairs))
}

// Two definitions never have the same digest because a double does not represent a number
// exactly.
func TestDigest_Numbers(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{`{"maximum":9007199254740992}`, `{"maximum":9007199254740993}`, `{"maximum":1e999}`, `{"maximum":2e999}`, `{"maximum":1}`} {
		digest, err := Digest([]byte(text))
		if err != nil || seen[digest] != "" {
			t.Errorf("%s: %v, the same as %s", text, err, seen[digest])
		}
		seen[digest] = text
		if again, err := Digest([]byte(" " + text[:1] + "\n" + text[1:])); again != digest {
			t.Errorf("%s: a blank changes the digest: %v", text, err)
		}
	}
	if one, err := Digest([]byte("[1,9007199254740993]")); err != nil {
		t.Error(err)
	} else if other, _ := Digest([]byte("[1.0,9007199254740993]")); one == other {
		t.Error("numbers beside an ambiguous one are not taken as they are written")
	}
	if digest, err := Digest([]byte(`{"a":1,"a":2}`)); err == nil || digest != "" {
		t.Errorf("a member twice: %s", digest)
	}
}
