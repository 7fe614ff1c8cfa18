package security

import (
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// checkLabel judges a U-label that UTS 46 accepted.
func checkLabel(label string) error {
	if isASCII(label) {
		return nil
	}
	runes := []rune(label)
	for i, r := range runes {
		if text.IsHidden(r) {
			return fmt.Errorf("it hides %U", r)
		}
		if !allowedSymbol(runes, i) {
			return fmt.Errorf("%U is not for names", r)
		}
	}
	if mixedDigits(label) {
		return fmt.Errorf("the label %+q mixes two kinds of Arabic digits", label)
	}
	if used := scripts(label); !highlyRestrictive(used) {
		return fmt.Errorf("the label %+q mixes scripts", label)
	}
	return nil
}

// allowedSymbol refuses punctuation and mathematical signs, including the look-alikes of slash
// and dot. It allows the exceptions and the CONTEXTO rules of RFC 5892 §2.6 and appendix A.
// Pictures (So) are left to UTS 46.
func allowedSymbol(label []rune, i int) bool {
	at := func(i int) rune {
		if i < 0 || i >= len(label) {
			return -1
		}
		return label[i]
	}
	switch r := label[i]; r {
	case '-', '\u0F0B': // Tibetan tsheg, PVALID
		return true
	case '\u00B7': // A.3, middle dot: Catalan l·l
		return at(i-1) == 'l' && at(i+1) == 'l'
	case '\u0375': // A.4, Greek keraia
		return unicode.Is(unicode.Greek, at(i+1))
	case '\u05F3', '\u05F4': // A.5, A.6, Hebrew geresh and gershayim
		return unicode.Is(unicode.Hebrew, at(i-1))
	case '\u30FB': // A.7, Katakana middle dot
		return strings.ContainsFunc(string(label), func(r rune) bool {
			return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
		})
	default:
		return !unicode.In(r, unicode.P, unicode.Sm, unicode.Sc, unicode.Sk)
	}
}

// mixedDigits implements RFC 5892 appendix A.8 and A.9.
func mixedDigits(label string) bool {
	arabicIndic := strings.ContainsFunc(label, func(r rune) bool { return '\u0660' <= r && r <= '\u0669' })
	extended := strings.ContainsFunc(label, func(r rune) bool { return '\u06F0' <= r && r <= '\u06F9' })
	return arabicIndic && extended
}

// scripts returns the scripts of a label except Common and Inherited.
func scripts(label string) map[string]bool {
	used := map[string]bool{}
	for _, r := range label {
		if unicode.In(r, unicode.Common, unicode.Inherited) || inAny(r, used) {
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				used[name] = true
				break
			}
		}
	}
	return used
}

func inAny(r rune, names map[string]bool) bool {
	for name := range names {
		if unicode.Is(unicode.Scripts[name], r) {
			return true
		}
	}
	return false
}

// highlyRestrictive implements the restriction level of UTS 39 §5.2: one script, or Latin
// together with the scripts of Japanese, Chinese or Korean.
func highlyRestrictive(used map[string]bool) bool {
	if len(used) <= 1 {
		return true
	}
	for _, set := range [][]string{
		{"Latin", "Han", "Hiragana", "Katakana"},
		{"Latin", "Han", "Bopomofo"},
		{"Latin", "Han", "Hangul"},
	} {
		rest := maps.Clone(used)
		for _, name := range set {
			delete(rest, name)
		}
		if len(rest) == 0 {
			return true
		}
	}
	return false
}

// hostNotes returns remarks for people about a name that was accepted.
func hostNotes(host, canon, shown string) []Note {
	var notes []Note
	if mapped(host, canon, shown) {
		notes = append(notes, Note{noteHostMapped, fmt.Sprintf("the host %+q stands for %s", host, canon)})
	}
	labels := strings.Split(strings.TrimSuffix(shown, "."), ".")
	if !isASCII(labels[len(labels)-1]) {
		return notes // a name whose top-level domain is also foreign does not imitate a Latin one
	}
	for _, label := range labels {
		if isHomograph(label) {
			notes = append(notes, Note{noteHostHomograph, fmt.Sprintf("the label %+q of %s looks like Latin letters and is not", label, canon)})
		}
	}
	return notes
}

// mapped reports whether the written name differs from the canonical name in more than case and
// spelling (A-labels, normal form).
func mapped(host, canon, shown string) bool {
	written := strings.Split(norm.NFC.String(strings.ToLower(host)), ".")
	aLabels, uLabels := strings.Split(canon, "."), strings.Split(shown, ".")
	if len(written) != len(aLabels) || len(written) != len(uLabels) {
		return true
	}
	for i, label := range written {
		if label != aLabels[i] && label != uLabels[i] {
			return true
		}
	}
	return false
}

// lookAlikes are letters that look like ASCII letters, by script: Cyrillic, Greek, Armenian,
// Georgian, Hebrew, Coptic, Cherokee, Lisu, and Latin itself. They are taken from the
// confusables of UTS 39, in lower case if it exists.
const lookAlikes = "аԁеԍһіјӏорԗԛсѕԝхуъыьҽпгѵѡюԥ" +
	"αγεηικνορσςτυχωϲϳ" +
	"ագզհյլոսուցօքվք" +
	"იოყძხჽჿ" +
	"וחטיןסװײ" +
	"ⲁⲅⲏⲓⲕⲛⲟⲣⲥⲧⲩⲭⲱ" +
	"ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎵᎷᎻᏀᏂᏃᏎᏒᏔᏚᏞᏟᏢᏦᏧᏩᏪᏮᏴᏵ" +
	"ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓡꓢꓣꓤꓦꓧꓨꓪꓫꓬꓭꓮꓰꓲꓳꓴ" +
	"ɑɡıɩɪȷƅᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢ"

func isHomograph(label string) bool {
	if isASCII(label) {
		return false
	}
	for _, r := range label {
		if r >= utf8.RuneSelf && !strings.ContainsRune(lookAlikes, r) {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
