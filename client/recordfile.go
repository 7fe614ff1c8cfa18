package client

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxSlug bounds a part of a name: with its hash and the directories above it, a path stays below
// the 260 characters of Windows.
const maxSlug = 64

// recordedName returns the name of the file for a URL, made of host, path and query.
func recordedName(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return fileSlug("", text, "url") // such a URL is never requested
	}
	path := strings.TrimPrefix(u.EscapedPath(), "/")
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return fileSlug("", u.Host, "host") + "/" + fileSlug(wellKnownPrefix, path, "index") + ".http"
}

// wellKnownPrefix loses its dot in a name, because a name that begins with a dot is hidden and not
// embedded.
const wellKnownPrefix = ".well-known/"

// fileSlug makes a name of a text. If the name loses a part of the text, it gets a hash after a
// "~", so two texts never share a name. dotted is a prefix that may lose its first character. empty
// is the name for the empty text.
func fileSlug(dotted, text, empty string) string {
	slug := text
	if dotted != "" && strings.HasPrefix(text, dotted) {
		slug = text[1:]
	}
	slug = strings.Map(slugRune, slug)
	slug = strings.TrimLeft(slug[:min(len(slug), maxSlug)], ".-_")
	slug = strings.TrimRight(slug, ".")
	if slug == "" {
		slug = empty
	}
	if isDevice(slug) {
		slug = "x-" + slug
	}
	if unslug(dotted, slug, empty) == text {
		return slug
	}
	sum := sha256.Sum256([]byte(text))
	return slug + "~" + hex.EncodeToString(sum[:8])
}

// slugRune keeps characters that every file system keeps. Upper case is folded, because some file
// systems do not distinguish it.
func slugRune(r rune) rune {
	switch {
	case r == '/':
		return '_'
	case 'A' <= r && r <= 'Z':
		return r - 'A' + 'a'
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '-':
		return r
	}
	return '-'
}

// unslug returns the one text whose name needs no hash.
func unslug(dotted, slug, empty string) string {
	if slug == empty {
		return ""
	}
	text := strings.ReplaceAll(slug, "_", "/")
	if dotted != "" && strings.HasPrefix(text, dotted[1:]) {
		text = "." + text
	}
	return text
}

// isDevice reports whether Windows treats a name, with any extension, as a device.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, stem) {
		return true
	}
	number, ok := strings.CutPrefix(stem, "com")
	if !ok {
		number, ok = strings.CutPrefix(stem, "lpt")
	}
	return ok && len(number) == 1 && number[0] >= '0' && number[0] <= '9'
}

// fieldLetters are the characters in the names of registered fields.
const fieldLetters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// statusPrefix begins a message.
const statusPrefix = "HTTP/1.1 "

// message returns the exchange as an HTTP message (RFC 9112 §2.1) with Unix line ends.
func (x *Exchange) message() []byte {
	var head bytes.Buffer
	status := strings.TrimSpace(fmt.Sprintf("%03d %s", x.Status, http.StatusText(x.Status)))
	head.WriteString(statusPrefix + status + "\r\n")
	_ = x.Header.Write(&head) // sorted; a bytes.Buffer takes everything
	head.WriteString("\r\n")
	return append(bytes.ReplaceAll(head.Bytes(), []byte("\r\n"), []byte("\n")), x.Body...)
}

// parse reads a message. Its head may have either kind of line ends, because version control
// changes them.
func (x *Exchange) parse(message []byte) error {
	r := bufio.NewReader(bytes.NewReader(message))
	text := textproto.NewReader(r)
	line, err := text.ReadLine()
	code, ok := strings.CutPrefix(line, statusPrefix)
	if err != nil || !ok || len(code) < 3 {
		return fmt.Errorf("it does not begin with %q and a status", statusPrefix)
	}
	if x.Status, err = strconv.Atoi(code[:3]); err != nil || x.Status < 0 {
		return fmt.Errorf("%q is not a status", code[:3])
	}
	header, err := text.ReadMIMEHeader()
	if err != nil {
		return errors.New("no header fields up to an empty line")
	}
	for name := range header {
		if strings.Trim(name, fieldLetters) != "" {
			return fmt.Errorf("%q is not the name of a header field", name)
		}
	}
	x.Header = http.Header(header)
	x.Body, err = io.ReadAll(r)
	return err
}
