package parse

import "bytes"

// HTML reports whether the body is a web page, which many servers send with
// status 200 for every missing path. It is one when it begins, behind a byte
// order mark, blanks, comments and an XML declaration, with a doctype or a tag
// of HTML's skeleton, or when its media type says so and it neither is JSON nor
// begins like an object or array: broken JSON is malformed, not a page.
func (in *Input) HTML() bool {
	in.html.once.Do(func() {
		in.html.is = sniffHTML(in.Body) || in.claimsHTML()
	})
	return in.html.is
}

// Sectioned reports whether [Input.Markdown] can have front matter or a heading below the
// title, of level 2 to 6. It takes one pass without memory; large texts of other kinds,
// such as descriptions in YAML, seldom have any.
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

// claimsHTML looks at the media type.
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

// sniffHTML looks at the first tag. The rules are those of WHATWG MIME
// Sniffing §7.1, without the tags that Markdown files begin with.
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

// trimFront drops a byte order mark and blanks.
func trimFront(text []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n\f")
}

// skipMarkup steps over one comment or processing instruction.
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
