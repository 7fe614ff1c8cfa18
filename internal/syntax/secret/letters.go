package secret

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// tags are the kinds of tags that are left out between letters. Each set of the kinds in a text is tried,
// because a site may write a secret inside a tag.
type tags int

const (
	noTags    tags = 0
	angled    tags = 1 // of markup
	bracketed tags = 2 // as forums have them
)

// tagsIn returns the kinds of tags that a text may have.
func tagsIn(said []byte) (have tags) {
	for i, c := range said {
		switch {
		case c == '<':
			have |= angled
		case c == '[' && i+1 < len(said) && (said[i+1] == '/' || isTokenByte(said[i+1])):
			have |= bracketed
		}
	}
	return have
}

// lettersOf returns the letters and digits of a text in lower case, as ASCII where they resemble it;
// and without tags of the given kinds. A quotation mark stays, because a secret does not go beyond
// the string that it is in.
func lettersOf(said []byte, skip tags) []byte {
	own := make([]byte, 0, len(said))
	l := letters{said: said, tags: skip}
	for {
		for l.at < len(said) && plainly[said[l.at]] != special { // the short way for most texts
			if c := plainly[said[l.at]]; c != dropped {
				own = append(own, c)
			}
			l.at++
		}
		if !l.next() {
			return own
		}
		own = append(own, l.own...)
	}
}

// plainly says how a byte is compared, if that does not depend on others.
var plainly = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf, c == '<', c == '[', c == '0':
			table[c] = special
		case 'A' <= c && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		case c == '"', isAlphanumeric(byte(c)):
			table[c] = byte(c)
		}
	}
	return table
}()

const (
	dropped = 0 // it is not compared
	special = 1 // the bytes behind it decide
)

// letters reads the letters of a text one after the other.
type letters struct {
	said       []byte
	start, at  int    // the last letter
	own        []byte // how it is compared
	read       int    // the number of bytes that were read, as they are compared
	tags       tags   // that are left out
	noComments bool   // no comment ends after this place
}

// next reads a letter.
func (l *letters) next() bool {
	for l.at < len(l.said) {
		l.start = l.at
		c := l.said[l.at]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(l.said[l.at:])
			l.at += n
			if !shows(r) {
				continue
			}
			l.own = l.own[:0]
			for _, c := range text.AppendFolded(l.own, r) {
				if isAlphanumeric(c) {
					l.own = append(l.own, c)
				}
			}
			if len(l.own) == 0 {
				continue
			}
			l.read += len(l.own)
			return true
		}
		if skip := l.skip(); skip > 0 {
			l.at += skip
			continue
		}
		l.at++
		if c == '"' || isAlphanumeric(c) {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			l.own = append(l.own[:0], c)
			l.read++
			return true
		}
	}
	return false
}

func isAlphanumeric(c byte) bool { return isTokenByte(c) && c != '-' }

// skip returns the length of the tag, the comment or the "0x" at the present place, or 0.
func (l *letters) skip() int {
	rest := l.said[l.at:]
	switch {
	case rest[0] == '0' && len(rest) > 3 && rest[1]|0x20 == 'x' && unhex(rest[2]) < 16 && unhex(rest[3]) < 16 && (l.at == 0 || !isAlphanumeric(l.said[l.at-1])):
		return 2
	case len(rest) < 3:
		return 0
	case rest[0] == '[' && l.tags&bracketed != 0 && (rest[1] == '/' || isTokenByte(rest[1])):
		return bracketedTag(rest)
	case rest[0] != '<' || l.tags&angled == 0:
		return 0
	case bytes.HasPrefix(rest, []byte("<!--")) && !l.noComments:
		if end := bytes.Index(rest, []byte("-->")); end >= 0 {
			return end + 3
		}
		l.noComments = true
	case rest[1] == '/' || rest[1] == '!' || rest[1] == '?' || isTokenByte(rest[1]):
		return tag(rest)
	}
	return 0
}

// maxBracketed is the maximum length of a tag in brackets, as forums have them.
const maxBracketed = 256

// bracketedTag returns the length of the tag in brackets at the beginning of a text, or 0.
func bracketedTag(said []byte) int {
	if end := bytes.IndexAny(said[1:min(len(said), maxBracketed)], `[]"`); end >= 0 && said[end+1] == ']' {
		return end + 2
	}
	return 0
}

// tag returns the length of the tag at the beginning of a text, or 0. The quotation marks of an
// attribute are part of the tag, but not those of JSON around it. A tag that begins within the attribute
// of another ends at the next "<", so that the cost is linear.
func tag(said []byte) int {
	for i := 1; i < len(said); i++ {
		switch said[i] {
		case '>':
			return i + 1
		case '<':
			return 0
		case '"':
			end := bytes.IndexByte(said[i+1:], '"')
			if end < 0 || strings.IndexByte(`=\`, said[i-1]) < 0 {
				return 0
			}
			i += end + 1
		}
	}
	return 0
}

// place returns where the letter with an index is. Indexes do not decrease.
func (l *letters) place(index int) int {
	for l.read <= index && l.next() {
	}
	return l.start
}

// end returns where the letters before an index end.
func (l *letters) end(index int) int {
	ahead := *l
	ahead.own = nil
	for ahead.read < index && ahead.next() {
	}
	return ahead.at
}
