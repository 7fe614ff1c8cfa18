package rank

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestForeignQueries checks that the queries in other languages among the shared vectors are
// detected, and hardly any other.
func TestForeignQueries(t *testing.T) {
	// The first words, as the sets contain them. The last two are not from English sentences.
	want := map[string][]string{
		"livemcp": {"What does this base64 image "},
		"bfcl": {"Kak rok shimmer nya ada size", "Hai, bisakah Anda memeriksa ", "ka kapan ready stok ukuran L", "北京后天的天气如何？", "获取阿迪达斯的p4工单",
			"我想在 mbox 系统中创建一个", "play Baby Shark"},
		"metatool":       {"Could you please provide me "}, // "閼块妶鍕╀罕" is in it
		"metatool-multi": {},
	}
	if !golden.Published(t, golden.EnvVectors) {
		want = map[string][]string{"bfcl": {"我想买"}}
	}
	for _, set := range [][2]string{{"livemcp", "livemcp"}, {"bfcl", "bfcl"}, {"metatool", "metatool"}, {"metatool", "metatool-multi"}} {
		x, _, asked := rankingSet(t, set[0], set[1])
		var foreign []string
		for _, q := range asked {
			if x.Foreign(q.Query) {
				foreign = append(foreign, q.Query)
			}
		}
		begins := func(q, begin string) bool { return len(q) >= len(begin) && q[:len(begin)] == begin }
		for _, q := range foreign {
			if !slices.ContainsFunc(want[set[1]], func(w string) bool { return begins(q, w) }) {
				t.Errorf("%s: %.80q", set[1], q)
			}
		}
		for _, w := range want[set[1]] {
			if !slices.ContainsFunc(foreign, func(q string) bool { return begins(q, w) }) {
				t.Errorf("%s: %q is not foreign", set[1], w)
			}
		}
	}
}

// TestForeignToGermanTools checks that the language of the entries is used for the comparison.
func TestForeignToGermanTools(t *testing.T) {
	var entries []Entry
	for _, text := range []string{"Erstattet das Geld für eine Bestellung und schreibt der Kundin eine Nachricht darüber.", "Listet alle Bestellungen einer Kundin auf, mit ihren Preisen und Tagen der Lieferung.",
		"Sucht ein Hotel in der Stadt, die gewünscht ist, und bucht dort ein Zimmer für einen oder mehrere Tage.", "Zeigt das Wetter der nächsten Tage in einer Stadt, mit Temperatur, Wind und Regen."} {
		entries = append(entries, Entry{Name: text[:6], Text: [Fields]string{Description: text}})
	}
	x := indexOf(entries)
	for query, foreign := range map[string]bool{"Geld für eine Bestellung": false, "Wetter in der Stadt": false, "give the money of an order back": true, "what is the weather like in a city": true} {
		if x.Foreign(query) != foreign {
			t.Errorf("%s: %t", query, !foreign)
		}
	}
}
