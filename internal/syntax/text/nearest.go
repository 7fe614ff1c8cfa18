package text

import (
	"fmt"
	"strings"
)

// maxName is the longest name that is compared. Names may be from strangers.
const maxName = 256

// Nearest returns the name that is closest to a mistyped word, or "" if no name is close.
func Nearest(word string, names []string) string {
	best, least := "", 1+min(2, len([]rune(word))/3)
	for _, name := range names {
		if d := Edits(word, name, least-1); d < least {
			best, least = name, d
		}
	}
	return best
}

// NearestKey returns the key that is closest to a mistyped one, or "" if none is close. The name of
// a capability may stand for its key, without the format and the document before it.
func NearestKey(word string, keys []string) string {
	keyOf := map[string]string{}
	var names []string
	for _, key := range keys {
		_, behind, _ := strings.Cut(key, ":")
		for _, name := range []string{key, behind, key[strings.LastIndexByte(key, '/')+1:]} {
			if name != "" && keyOf[name] == "" {
				keyOf[name] = key
				names = append(names, name)
			}
		}
	}
	if near := Nearest(word, names); near != "" {
		return keyOf[near]
	}
	// The name is right and the document is not, as in a key of "wayfind parse" for a document without a URL.
	return keyOf[word[strings.LastIndexByte(word, '/')+1:]]
}

// Misspelt reports whether a name is probably another one that is meant: it is written in
// another style, or has up to two edits, of which a short name allows fewer. edits is 0 for
// another style. Names of fewer than four letters are too short, unless a required one has
// three.
func Misspelt(name, meant string, required bool) (edits int, probably bool) {
	mark := strings.ContainsAny(name[:min(1, len(name))], "_$@") // such names are of other rules
	switch {
	case name == "" || mark && name[0] != meant[0]:
		return 0, false
	case plain(name) == plain(meant):
		return 0, true
	}
	most := min(2, len(meant)/3)
	if len(meant) < 4 && (len(meant) < 3 || !required) {
		return 0, false
	}
	edits = Edits(name, meant, most)
	return edits, edits <= most
}

// NotKnown suggests a known name for an unknown one.
func NotKnown(name, meant string) string {
	return fmt.Sprintf("member %q is not known, and %q is missing: is that meant? It is ignored", name, meant)
}

// plain is a name without its style.
func plain(name string) string { return strings.ToLower(styles.Replace(name)) }

// styles removes the marks between the words of a name.
var styles = strings.NewReplacer("_", "", "-", "")

// Edits returns the number of letters to insert, to remove, to replace, or to swap with the
// next letter, to turn a into b, ignoring case. If the number is larger than most, or a word is
// long, the result is most + 1.
func Edits(a, b string, most int) int {
	if d := len(a) - len(b); d > 4*most+3 || d < -4*most-3 || max(len(a), len(b)) > maxName {
		return most + 1 // a letter takes at most four bytes
	}
	return min(distance(strings.ToLower(a), strings.ToLower(b)), most+1)
}

// distance returns the number of letters to insert, to remove, to replace, or to swap with the
// next letter, to turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range t {
		rows[0][j+1] = j + 1
	}
	for i := range s {
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			rows[i+1][j+1] = min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				rows[i+1][j+1] = min(rows[i+1][j+1], rows[i-1][j-1]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
