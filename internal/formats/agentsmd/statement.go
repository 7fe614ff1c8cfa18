package agentsmd

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// statement is the content of an item.
type statement struct {
	item
	// name is the statement on one line, without its check box and its hints.
	name string
	// needsAuth and needsPerson come from the hints in parentheses.
	needsAuth, needsPerson bool
	// slug is the slug of the name alone. path also contains the names of the items
	// around it.
	slug, path string
}

// read returns the statement in an item.
func read(i item) statement {
	s := statement{item: i}
	s.name = withoutBox(oneLine(i.paragraphs[0]))
	for {
		before, hint, ok := cutHint(s.name)
		if !ok {
			break
		}
		s.needsAuth = s.needsAuth || saysAuth(hint)
		s.needsPerson = s.needsPerson || saysPerson(hint)
		s.name = before
	}
	s.slug = slug(s.name)
	var names []string
	for _, p := range i.parents {
		names = append(names, withoutBox(p))
	}
	s.path = slug(strings.Join(append(names, s.name), " "))
	return s
}

// withoutBox removes the check box of a task list.
func withoutBox(text string) string {
	for _, box := range [...]string{"[ ] ", "[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(text, box); ok {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// cutHint cuts off the text in parentheses at the end of a statement if it names a
// requirement for the caller: "Place orders (authenticated)" (§2).
func cutHint(text string) (before, hint string, ok bool) {
	rest, found := strings.CutSuffix(strings.TrimRight(text, ". "), ")")
	open := strings.LastIndexByte(rest, '(')
	if !found || open <= 0 {
		return text, "", false
	}
	before, hint = strings.TrimSpace(rest[:open]), lower(rest[open+1:])
	return before, hint, before != "" && (saysAuth(hint) || saysPerson(hint))
}

func saysAuth(hint string) bool {
	return says(hint, "authenticated", "authentication", "authorized", "authorised", "auth", "login", "log-in", "sign-in", "signin", "signed-in",
		"logged", "signed", "oauth", "oauth2", "api key", "api-key", "apikey", "account", "token") &&
		!says(hint, "no", "not", "without", "unauthenticated", "optional", "anonymous")
}

func saysPerson(hint string) bool {
	return says(hint, "human", "person", "confirmation", "confirm", "confirmed", "approval", "approved", "consent") &&
		!says(hint, "no", "not", "without", "optional")
}

// says reports whether a hint contains one of the words.
func says(hint string, words ...string) bool {
	padded := " " + strings.Join(strings.FieldsFunc(hint, func(c rune) bool { return c == ' ' || c == ',' || c == ';' || c == '.' || c == '/' || c == ':' }), " ") + " "
	for _, w := range words {
		if strings.Contains(padded, " "+w+" ") {
			return true
		}
	}
	return false
}

// maxSlug bounds an ID, in bytes.
const maxSlug = 64

// slug makes an ID from a text: its letters and digits in lower case, with a dash for
// the characters between them. The ID changes only if the words change. The end of a
// long ID is replaced by a digest of the whole text. The ID of a text without letters
// and digits is only the digest.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.In(c, unicode.L, unicode.M, unicode.Nd)
	})
	s := strings.Join(words, "-")
	if s != "" && len(s) <= maxSlug {
		return s
	}
	sum := sha256.Sum256([]byte(text))
	digest := hex.EncodeToString(sum[:4])
	if s == "" {
		return digest
	}
	cut := maxSlug - len(digest) - 1
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], "-") + "-" + digest
}
