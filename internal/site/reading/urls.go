package reading

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxDataURL is the longest data: URL that is passed on, for icons. Without the limit, members that
// the model has no place for could carry any load to the program that shows them.
const maxDataURL = 8 << 10

// unsafeURLs collects the URLs that were left out because of their scheme or content.
type unsafeURLs struct {
	count int
	first string // the field of the first
}

// drop records a URL that is left out.
func (u *unsafeURLs) drop(field string) {
	if u.count == 0 {
		u.first = field
	}
	u.count++
}

func (u *unsafeURLs) diagnostics() []wayfind.Diagnostic {
	if u.count == 0 {
		return nil
	}
	return []wayfind.Diagnostic{ruleTextUnsafeURL.Diagnostic("",
		"%d URLs are code, name files of the reader, or hold more than %d KiB of data, and were left out, first in the field %s", u.count, maxDataURL>>10, u.first)}
}

// dropUnsafe empties the strings of a JSON value that are unsafe URLs. Only members that the model
// does not know contain them, because the others were checked when they were read.
func (w *walker) dropUnsafe(raw []byte, field string) []byte {
	if field != "extensions" && field != "hints" || !mayHoldUnsafe(raw) {
		return raw
	}
	clean, err := text.RewriteJSON(raw, func(s string) string {
		if isUnsafeURL(s) {
			w.unsafe.drop(field)
			return ""
		}
		return s
	})
	if err != nil {
		return nil
	}
	return clean
}

// mayHoldUnsafe is a cheap test that is false for nearly every document. It looks for a colon after
// the last letter of one of the schemes; the colons of JSON follow quotes and blanks.
func mayHoldUnsafe(raw []byte) bool {
	for i, b := range raw {
		if b == '\\' {
			return true
		}
		if b == ':' && i > 0 && strings.IndexByte("aebmtAEBMT", raw[i-1]) >= 0 {
			return true
		}
	}
	return false
}

// isUnsafeURL reports whether a text is a URL that runs code where it is shown, names a file or
// memory of the reader, or contains a document or a large load itself. Browsers drop blanks and
// line breaks in a scheme, and ignore case.
func isUnsafeURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || len(scheme) > 64 {
		return false
	}
	scheme = strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, strings.ToLower(scheme))
	switch scheme {
	case "javascript", "vbscript":
		// "JavaScript: The Good Parts" is a title.
		return !strings.HasPrefix(rest, " ") || strings.ContainsAny(rest, "(=`;")
	case "data":
		mediaType, _, isURL := strings.Cut(strings.ToLower(rest), ",")
		return isURL && (len(s) > maxDataURL || strings.Contains(mediaType, "html") || strings.Contains(mediaType, "script"))
	case "file", "blob", "filesystem":
		return strings.HasPrefix(rest, "/") || scheme != "file" && strings.Contains(rest, ":")
	}
	return false
}
