package text

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// confusableTable is the table of UTS 39. See unicode/README.md for its origin.
//
//go:embed unicode/confusables.txt
var confusableTable string

// confusables maps characters to the characters for which they can be taken.
var confusables = sync.OnceValue(func() map[rune]string {
	table := make(map[rune]string, strings.Count(confusableTable, "\n"))
	for line := range strings.Lines(confusableTable) {
		var from rune
		var to []byte
		for i, word := range strings.Fields(line) {
			code, err := strconv.ParseUint(word, 16, 21)
			switch {
			case err != nil:
				panic("confusables: " + word) // a test reads the whole table
			case i == 0:
				from = rune(code)
			default:
				to = utf8.AppendRune(to, rune(code))
			}
		}
		table[from] = string(to)
	}
	return table
})

// Skeleton returns the visual form of a name. If two names have the same skeleton, they can be
// taken for each other (UTS 39 §4). Spaces at the ends, which are invisible, are removed, and
// several spaces become one. A skeleton is for comparison only.
func Skeleton(s string) string {
	table := confusables()
	if plainSkeleton(table, s) {
		return s
	}
	if like, ok := asciiSkeleton(table, s); ok {
		return like
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if classOf(r) >= bidi {
			continue
		}
		if like, ok := table[r]; ok {
			b.WriteString(like)
		} else {
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(norm.NFD.String(b.String())), " ")
}

// asciiSkeleton is Skeleton for a short name in ASCII whose characters look like ASCII, too: it has
// nothing to decompose. ok is false for others.
func asciiSkeleton(table map[rune]string, s string) (skeleton string, ok bool) {
	var scratch [128]byte
	out := scratch[:0]
	for i := range len(s) {
		b := s[i]
		if b < ' ' || b >= 0x7f || len(out) > len(scratch)-utf8.UTFMax {
			return "", false
		}
		like, has := table[rune(b)]
		switch {
		case b == ' ' && (len(out) == 0 || out[len(out)-1] == ' '):
		case !has:
			out = append(out, b)
		case isASCIIWord(like):
			out = append(out, like...)
		default:
			return "", false
		}
	}
	return strings.TrimSuffix(string(out), " "), true
}

func isASCIIWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// AppendFolded appends a character in lower case, without accents, and as the ASCII letters
// that it resembles or is compatible with. The result is for comparison only.
func AppendFolded(to []byte, r rune) []byte {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf || 0x3040 <= r && r <= 0xD7FF {
		return utf8.AppendRune(to, r)
	}
	var own [utf8.UTFMax]byte
	parts := own[:utf8.EncodeRune(own[:], r)]
	if apart := norm.NFKD.Properties(parts).Decomposition(); len(apart) > 0 && len(apart) <= maxFolded {
		parts = apart
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		parts = parts[size:]
		switch like := confusables()[part]; {
		case unicode.Is(unicode.M, part):
		case part >= utf8.RuneSelf && len(like) == 1:
			to = append(to, like...)
		default:
			to = utf8.AppendRune(to, unicode.ToLower(part))
		}
	}
	return to
}

// maxFolded is the maximum number of bytes of a ligature that AppendFolded splits.
const maxFolded = 2 * utf8.UTFMax

// plainSkeleton reports whether a name is its own skeleton, which is true for most names.
func plainSkeleton(table map[rune]string, s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
		if _, like := table[rune(s[i])]; like {
			return false
		}
	}
	return true
}

// Alike returns groups of different names that have the same skeleton, so that they can be
// taken for each other. Groups and names are in the order of their first occurrence.
func Alike(names []string) [][]string {
	if len(names) < 2 {
		return nil
	}
	first := make(map[string]string, len(names)) // by skeleton
	groups, grouped := map[string][]string{}, map[string]bool{}
	var order []string
	for _, name := range names {
		skeleton := Skeleton(name)
		earlier, ok := first[skeleton]
		switch {
		case name == "" || ok && earlier == name || grouped[name]:
		case !ok:
			first[skeleton] = name
		case groups[skeleton] == nil:
			groups[skeleton] = []string{earlier, name}
			grouped[name] = true
			order = append(order, earlier)
		default:
			groups[skeleton] = append(groups[skeleton], name)
			grouped[name] = true
		}
	}
	var alike [][]string
	for _, name := range order {
		alike = append(alike, groups[Skeleton(name)])
	}
	return alike
}

// Telling returns a function that writes names so that a reader can distinguish them. It writes
// names that look like others, and names with invisible spaces, in the form of Distinct, and
// returns all others unchanged.
func Telling(names []string) func(name string) string {
	mistakable := map[string]bool{}
	for _, group := range Alike(names) {
		for _, name := range group {
			mistakable[name] = true
		}
	}
	return func(name string) string {
		if mistakable[name] || HasHiddenBlank(name) {
			return Distinct(name)
		}
		return name
	}
}

// HasHiddenBlank reports whether a name has invisible spaces: at an end, or several in a row.
func HasHiddenBlank(name string) bool {
	return strings.TrimSpace(name) != name || strings.Contains(name, "  ")
}

// Distinct writes a name so that it differs from similar names: characters outside ASCII are
// escaped, and quotes mark the ends.
func Distinct(name string) string { return fmt.Sprintf("%+q", name) }
