// Package secret finds and removes keys, tokens and passwords that a text contains by mistake.
//
// No function panics on any input, and all functions take time and memory that are linear in
// the text.
package secret

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	words "github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Match is a secret in a text. It does not contain the value.
type Match struct {
	// Rule is the name of the kind of secret: "github-token".
	Rule string
	// Start and End are its place in the text, in bytes.
	Start, End int
}

// Find returns the secrets in a text that are probably valid: keys and tokens in the shapes
// that their issuers publish, private keys, signed tokens, credentials in header fields and
// URLs, and random values under a name such as api_key. name is the name of the member or
// header field whose value is text, or "". The results are in order and do not overlap.
//
// Placeholders of documentation are not secrets: templates ("{{TOKEN}}", "<token>"), words
// ("YOUR_API_KEY"), repetitions ("xxxx"), keys for testing ("sk_test_…") and the examples of
// specifications. A secret may be encoded with compatibility characters, percent escapes or
// base64. Time and memory are linear in the text.
func Find(name, text string) []Match {
	if !MayHold(text) {
		return nil
	}
	s := scanner{text: text}
	s.plain(name)
	s.dressed(name)
	return s.sorted()
}

// find is Find without decoding.
func find(name, text string) []Match {
	s := scanner{text: text}
	s.plain(name)
	return s.sorted()
}

// plain looks for secrets that are not encoded.
func (s *scanner) plain(name string) {
	s.pairs.add(s.text)
	shapes := secretShapes()
	for rank := range shapes {
		s.apply(rank, &shapes[rank])
	}
	s.assigned()
	if rule, ok := namedSecret(name, s.text, false); ok {
		s.add(rankNamed, rule, 0, len(s.text))
	}
}

// Redact replaces each secret that Find finds with a mark. It also returns the names of the
// rules, without duplicates. The result contains no secret that Find would find, so a second
// call changes nothing. A text without secrets is returned unchanged.
func Redact(name, text string) (clean string, rules []string) {
	for range maxRedactions {
		found := Find(name, text)
		if len(found) == 0 {
			return text, rules
		}
		text = mark(text, found, Mark)
		for _, s := range found {
			if !slices.Contains(rules, s.Rule) {
				rules = append(rules, s.Rule)
			}
		}
	}
	if len(Find(name, text)) > 0 {
		text = Mark(rules[0])
	}
	return text, rules
}

// maxRedactions is the maximum number of rounds in which a text is redacted, if the removal of
// secrets reveals new ones. All known texts need at most two rounds. After the last round the
// whole text is replaced.
const maxRedactions = 3

// RedactURL is [Redact] for a URL. The marks are encoded, so the result is a URL.
// security.ParseURL refuses the result, because a URL without one of its parts leads nowhere.
func RedactURL(ref string) (clean string, rules []string) {
	clean, rules = Redact("", ref)
	if !strings.Contains(clean, "[redacted: ") {
		return clean, rules
	}
	return plainMark.ReplaceAllString(clean, "%5Bredacted%3A${1}%5D"), rules
}

var plainMark = regexp.MustCompile(`\[redacted: ([a-z-]+)\]`)

// Mark returns the text that replaces a secret. It contains the rule and nothing of the value.
func Mark(rule string) string { return "[redacted: " + rule + "]" }

// IsRedacted reports whether a secret was removed from a URL.
func IsRedacted(ref string) bool {
	lower := strings.ToLower(ref)
	return strings.Contains(lower, "[redacted:") || strings.Contains(lower, "%5bredacted%3a")
}

// mark replaces secrets with marks.
func mark(text string, found []Match, as func(rule string) string) string {
	var b strings.Builder
	last := 0
	for _, s := range found {
		b.WriteString(text[last:s.Start])
		b.WriteString(as(s.Rule))
		last = s.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// minSecret is the length of the shortest secret that Find looks for.
const minSecret = 4

// MayHold reports whether a text may contain something that Find finds. Most texts consist of
// words and need only this one pass.
func MayHold(text string) bool {
	found, dressed := scan(text)
	switch {
	case dressed:
		return mayHoldDressed(text)
	case found:
		return true
	}
	return strings.Contains(text, "PRIVATE KEY")
}

// MayHoldPlain is MayHold for a text in ASCII.
func MayHoldPlain(text []byte) bool {
	found, dressed := scan(text)
	return found || dressed || bytes.Contains(text, []byte("PRIVATE KEY"))
}

// scan reports whether a text has a run of characters as secrets have. dressed means that it is
// not ASCII, and was not read to its end.
func scan[T string | []byte](text T) (found, dressed bool) {
	run, digit := 0, false
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			return false, true
		case isTokenByte(b):
			run++
			digit = digit || '0' <= b && b <= '9'
		case strings.IndexByte("_+/=.~%", b) >= 0:
			run++
		case b == '@' && run >= minSecret:
			return true, false // "user:word@host"
		default:
			run, digit = 0, false
		}
		if run >= 8 && digit || run >= 20 {
			return true, false
		}
	}
	return false, false
}

// mayHoldDressed is MayHold for a text that is not ASCII. Compatibility characters of letters
// and digits form runs, and few other texts have such runs.
func mayHoldDressed(text string) bool {
	run, digit := 0, false
	plain := text
	if !words.IsCompatible(text) {
		plain, _ = words.Compatible(text)
	}
	for _, r := range plain {
		switch {
		case r < utf8.RuneSelf && isTokenByte(byte(r)):
			run++
			digit = digit || '0' <= r && r <= '9'
		case strings.ContainsRune("_+/=.~%", r):
			run++
		case r == '@' && run >= minSecret:
			return true
		default:
			run, digit = 0, false
		}
		if run >= 8 && digit || run >= 20 {
			return true
		}
	}
	return strings.Contains(text, "PRIVATE KEY")
}

// isTokenByte reports whether b is a letter, a digit or the hyphen. Keys and tokens consist of
// them.
func isTokenByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '-'
}

// scanner looks for secrets in one text.
type scanner struct {
	text  string
	lower string // created when a rule needs it
	pairs pairs  // the pairs of the text
	found []ranked
}

// ranked is a secret and the index of its rule in the list. If two secrets overlap, the earlier
// rule is more specific.
type ranked struct {
	Match
	rank int
}

// rankNamed is the rank of secrets that are found by name, after all shapes.
const rankNamed = 1 << 10

// apply runs one rule.
func (s *scanner) apply(rank int, r *secretShape) {
	if !s.hints(r) {
		return
	}
	for _, at := range r.shape.FindAllStringSubmatchIndex(s.text, -1) {
		if start, end := at[2], at[3]; r.live(s.text[start:end]) {
			s.add(rank, r.name, start, end)
		}
	}
}

// hints reports whether the text contains a hint of a rule.
func (s *scanner) hints(r *secretShape) bool {
	if r.also != "" && !strings.Contains(s.text, r.also) {
		return false
	}
	return slices.ContainsFunc(r.hints, func(h string) bool {
		return s.pairs.mayHave(h) && (!r.fold && strings.Contains(s.text, h) || r.fold && strings.Contains(s.folded(), h))
	})
}

// pairs is the set of the pairs of neighbouring bytes in a text, in any case. It may contain
// further pairs. Most texts have no pair of most hints, so the hints need not be searched.
type pairs [64]uint64

func (p *pairs) add(text string) {
	for i := 1; i < len(text); i++ {
		word, bit := pairAt(text, i)
		p[word] |= bit
	}
}

// mayHave reports whether a text with these pairs may contain part.
func (p *pairs) mayHave(part string) bool {
	for i := 1; i < len(part); i++ {
		if word, bit := pairAt(part, i); p[word]&bit == 0 {
			return false
		}
	}
	return true
}

// pairAt returns the place of the pair that ends at an offset: six bits of each byte.
func pairAt(text string, i int) (word, bit uint64) {
	return uint64(text[i-1]|0x20) & 63, 1 << ((text[i] | 0x20) & 63)
}

// folded returns the text in lower case.
func (s *scanner) folded() string {
	if s.lower == "" {
		s.lower = strings.ToLower(s.text)
	}
	return s.lower
}

// add records a secret with the rest of its word. The mark then ends at the end of a word, so
// no new secret can begin there.
func (s *scanner) add(rank int, rule string, start, end int) {
	for end < len(s.text) && (isTokenByte(s.text[end]) || s.text[end] == '_') {
		end++
	}
	s.found = append(s.found, ranked{Match{Rule: rule, Start: start, End: end}, rank})
}

// sorted merges overlapping secrets.
func (s *scanner) sorted() []Match {
	slices.SortStableFunc(s.found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.rank, b.rank))
	})
	var out []Match
	rank := 0
	for _, next := range s.found {
		n := len(out)
		if n == 0 || next.Start >= out[n-1].End {
			out, rank = append(out, next.Match), next.rank
			continue
		}
		last := &out[n-1]
		last.End = max(last.End, next.End)
		if next.rank < rank {
			last.Rule, rank = next.Rule, next.rank
		}
	}
	return out
}
