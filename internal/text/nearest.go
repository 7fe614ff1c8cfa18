package text

import "strings"

// maxName is the longest name that is compared: they may be of strangers.
const maxName = 256

// Nearest returns the one of the names that a mistyped word is closest to, "" where
// none is close.
func Nearest(word string, names []string) string {
	best, least := "", 1+min(2, len([]rune(word))/3)
	for _, name := range names {
		if d := len(name) - len(word); d > 4*least || d < -4*least || len(name) > maxName {
			continue // a letter takes at most four bytes
		}
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, to remove, to replace, or to swap with the
// next one, that make b of a.
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
