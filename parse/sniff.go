package parse

import "bytes"

// HTML reports whether the body is a web page, which many servers return with status 200 for
// every missing path. It is a page if it begins, after a byte order mark, white space,
// comments and an XML declaration, with a doctype or a tag of HTML's skeleton. It is also a
// page if its media type is HTML and it is not JSON and does not begin like an object or
// array: broken JSON is malformed, not a page.
func (in *Input) HTML() bool {
	in.html.once.Do(func() {
		in.html.is = sniffHTML(in.Body) || in.claimsHTML()
	})
	return in.html.is
}

// Sectioned reports whether [Input.Markdown] can have front matter or a heading below the
// title, of level 2 to 6. It takes one pass and allocates no memory. Large texts of other
// kinds, such as descriptions in YAML, seldom have any.
func (in *Input) Sectioned() bool {
	text := bytes.TrimPrefix(in.Body, []byte("\xef\xbb\xbf"))
	fence := []byte("---")
	if bytes.HasPrefix(text, fence) && bytes.Contains(text[len(fence):], []byte("\n---")) {
		return true
	}
	for line := range bytes.Lines(text) {
		if mayHead(line) {
			return true
		}
	}
	return false
}

// mayHead reports whether a line can be a heading of level 2 to 6.
func mayHead(line []byte) bool {
	signs := bytes.TrimLeft(line, " ")
	title := bytes.TrimLeft(signs, "#")
	return len(line)-len(signs) <= 3 && len(signs)-len(title) >= 2 && (len(title) == 0 || title[0] <= ' ')
}

// claimsHTML reports whether the media type is HTML.
func (in *Input) claimsHTML() bool {
	if in.MediaType != "text/html" && in.MediaType != "application/xhtml+xml" {
		return false
	}
	text := trimFront(in.Body)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return false
	}
	_, err := in.JSON()
	return err != nil
}

// sniffHTML reports whether the first tag is a tag of HTML. The rules are the rules of WHATWG
// MIME Sniffing §7.1, without the tags that Markdown files begin with.
func sniffHTML(body []byte) bool {
	rest := trimFront(body)
	for {
		after, ok := skipMarkup(rest)
		if !ok {
			return beginsHTML(rest)
		}
		rest = trimFront(after)
	}
}

// trimFront removes a byte order mark and white space.
func trimFront(text []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n\f")
}

// skipMarkup skips one comment or processing instruction.
func skipMarkup(text []byte) (after []byte, ok bool) {
	for _, m := range [...]struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"}} {
		if bytes.HasPrefix(text, []byte(m.begin)) {
			_, after, ok = bytes.Cut(text[len(m.begin):], []byte(m.end))
			return after, ok
		}
	}
	return nil, false
}

// beginsHTML reports whether text begins with a tag that only web pages have.
func beginsHTML(text []byte) bool {
	for _, tag := range [...]string{"<!doctype html", "<html", "<head", "<body", "<script", "<title", "<meta", "<style"} {
		if len(text) < len(tag) || !bytes.EqualFold(text[:len(tag)], []byte(tag)) {
			continue
		}
		if len(text) == len(tag) || bytes.IndexByte([]byte(" \t\r\n\f>/"), text[len(tag)]) >= 0 {
			return true
		}
	}
	return false
}
