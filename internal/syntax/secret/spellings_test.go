package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// A credential is hidden however a site spells it, in texts, in JSON and in binary data. Valid JSON
// stays valid, and nothing else is hidden.
func TestEachSpellingIsHidden(t *testing.T) {
	for _, own := range []string{"vQ9zKx7LmP2wRvYbN7c", "sk_live_51HxYzAbCdEfGhIj/Kl+Mn==", "Correct Horse 77 Battery", "8e1f0c77-2b1d-4a60-9a3e-6f2f6f7a1c55"} {
		veil := secret.Veil(nil).And(own)
		for name, said := range testkit.Spellings(own) {
			quoted, _ := json.Marshal(said)
			for _, body := range []string{"before " + said + " after", `{"name":1,"said":` + string(quoted) + `,"rest":["x"]}`, `{` + string(quoted) + `:{"a":"b"}}`, "\x89PNG\x00" + said + "\x00\xff"} {
				got := string(veil.Over([]byte(body), "•••"))
				if strings.Contains(got, said) || strings.Contains(got, own) || !strings.Contains(got, "•••") || json.Valid([]byte(body)) != json.Valid([]byte(got)) {
					t.Errorf("%s of %s: %.200q became %.200q", name, own, body, got)
				}
				if strings.HasPrefix(body, "before ") && (!strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after")) {
					t.Errorf("%s of %s: %q became %q", name, own, body, got)
				}
			}
		}
		for _, harmless := range []string{
			"vQ9z Kx7L: a word, a list.", `["vQ9zKx7L","mP2wRvYbN7c"]`, "Correct the horse with 77 batteries", "live 51", strings.Repeat("sk_live ", 40), own[:len(own)/2] + `","` + own[len(own)/2:],
			base64.StdEncoding.EncodeToString([]byte(strings.Repeat("harmless data ", 40))),
		} {
			if got := string(veil.Over([]byte(harmless), "•••")); got != harmless {
				t.Errorf("%s: %q became %q", own, harmless, got)
			}
		}
	}
}

// No character that a reader does not see splits a spelling so that a part of it is left to read.
func TestEachSplitSpellingIsHidden(t *testing.T) {
	const own = "vQ9zKx7LmP2wRvYbN7c"
	veil := secret.Veil(nil).And(own)
	for name, said := range testkit.Spellings(own) {
		for split, text := range testkit.Splits(said) {
			got := string(veil.Over([]byte("before "+text+" after"), "•••"))
			if strings.Contains(got, own) || name != "strings of JSON" && len(got) > len("before ••• after")+16 {
				t.Errorf("%s with %s: %.200q became %.200q", name, split, text, got)
			}
		}
	}
}

// The cost of hiding is linear in hostile texts.
func BenchmarkVeil(b *testing.B) {
	veil := secret.Veil(nil).AndField("Bearer vQ9zKx7LmP2wRvYbN7c")
	fill := func(s string) string { return strings.Repeat(s, 256<<10/len(s)) }
	for name, text := range map[string]string{
		"words": fill("A list of orders and of their places. "), "percent": fill("%2525"), "tags": fill(`<a="`), "comments": fill("<!--"), "beginnings": fill("vQ9zKx7LmP2wRvYbN7"), "blanks": fill("v Q 9 z "), "references": fill("&amp;"), "wide": fill("ｖＱ９ｚ"),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				veil.Over([]byte(text), "•••")
			}
		})
	}
}

// Words, dates and tables are no credential whose letters have others between them, and characters that are
// no letters of ASCII hide none of its letters from a search.
func TestWhatStandsBetweenTheLetters(t *testing.T) {
	for own, harmless := range map[string]string{
		"correct-horse-battery": "The correct horse. Battery included.",
		"demo account":          "This is a demo. Account numbers follow.",
		"20261130074500":        "2026-11-30 07:45:00",
		"1111111111":            "[1,1,1,1,1,1,1,1,1,1,1]",
	} {
		if got := string(secret.Veil(nil).And(own).Over([]byte(harmless), "•••")); got != harmless {
			t.Errorf("%s: %q became %q", own, harmless, got)
		}
	}
	const own = "vQ9zKx7LmP2wRvYbN7c"
	veil := secret.Veil(nil).And(own)
	for _, between := range []string{"·", "—", "→", "😀", "日", `\r`, `\f`, `\b`, `\r\n`} {
		for _, said := range []string{strings.Join(strings.Split(own, ""), between), own[:8] + between + own[8:]} {
			if got := string(veil.Over([]byte("before "+said+" after"), "•••")); got != "before ••• after" {
				t.Errorf("%q became %q", said, got)
			}
		}
	}
}

func BenchmarkPeriodicSecret(b *testing.B) {
	veil := secret.Veil(nil).And(strings.Repeat("ab1", 1333) + "x").And(strings.Repeat("a1", 1500))
	for name, body := range map[string][]byte{
		"spaced": []byte(strings.Repeat("a b 1 ", 256<<10/6)), "plain": []byte(strings.Repeat("ab1", 256<<10/3)), "other": []byte(strings.Repeat("a 1 ", 256<<10/4)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				veil.Over(body, "•••")
			}
		})
	}
}
