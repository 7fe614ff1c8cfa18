// Package urlref judges the URLs and references that documents state, and the values of their
// variables.
package urlref

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURL is the longest URL that is read, in bytes. RFC 9110 §4.1 recommends 8,000; the
// endpoints and links of discovery documents need less than a quarter of that.
const maxURL = 2048

// The errors of this file are half sentences that follow a colon: "detail_url cannot be used:
// %s". They never repeat foreign text.

// errNoReference is common, because many capabilities have no detail document.
var errNoReference = errors.New("it is empty")

// CheckReference returns the reason why text is not a URL or reference that all readers
// understand alike. If a reference begins with two slashes, or with a slash and a character
// that other readers drop or take for a slash, some readers find a host and others a path. A
// mail address is a path only by its grammar. Braces are not checked: see [CheckLink].
func CheckReference(text string) error {
	switch {
	case text == "" || text[0] == '#':
		return errNoReference
	case len(text) > maxURL:
		return errors.New("it is longer than 2048 bytes")
	case strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' || unicode.IsSpace(c) }):
		return errors.New("it holds a blank, a control character or a backslash")
	case strings.HasPrefix(text, "//"):
		return errors.New("it begins with two slashes, which name a host")
	case strings.ContainsAny(text, "<>\""):
		return errors.New("it holds a placeholder or a quotation mark")
	case isMail(firstOf(text)):
		return errors.New("it is an address of mail")
	}
	return nil
}

// firstOf returns the first segment of a relative path, where a reader expects the name of a
// file. It returns "" for a URL with a scheme.
func firstOf(text string) string {
	i := strings.IndexAny(text, ":/?#")
	switch {
	case i < 0:
		return text
	case text[i] == ':':
		return ""
	}
	return text[:i]
}

// isMail reports whether a first segment is a mail address.
func isMail(first string) bool {
	user, host, at := strings.Cut(first, "@")
	return at && user != "" && host != ""
}

// isHost reports whether a text begins with the name of a host: with "www.", or with a name
// that has at least two dots and is followed by more text. Names of folders are not like that.
func isHost(first, text string) bool {
	return strings.HasPrefix(strings.ToLower(first), "www.") || strings.Count(first, ".") >= 2 && len(first) < len(text) && isHostName(first)
}

// IsBareHost reports whether a reference begins with a name that a person takes for a host, as
// "api.example.com/v1" does. Names of files have one dot.
func IsBareHost(text string) bool { return isHost(firstOf(text), text+"/") }

// HasPort reports whether a reference begins with a host and a port: "localhost:3000". Its grammar
// takes the host for a scheme.
func HasPort(text string) bool {
	_, port, found := strings.Cut(text, ":")
	return found && port != "" && port[0] >= '0' && port[0] <= '9'
}

// isHostName reports whether text consists of labels of letters, digits and hyphens, the last
// with at least two characters and only letters.
func isHostName(text string) bool {
	last := ""
	for last = range strings.SplitSeq(text, ".") {
		if strings.Trim(strings.ToLower(last), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || last == "" {
			return false
		}
	}
	return len(last) >= 2 && strings.Trim(strings.ToLower(last), "abcdefghijklmnopqrstuvwxyz") == ""
}

// CheckLink returns the reason why text is not a URL of a document or page, or a reference to
// one: a reason of [CheckReference], the name of a host without a scheme, or a placeholder
// that was not filled in. A URL with a scheme is taken as it is written.
func CheckLink(text string) error {
	if err := CheckReference(text); err != nil {
		return err
	}
	if u, err := url.Parse(text); err == nil && u.Scheme != "" {
		return nil
	}
	path, _, _ := strings.Cut(text, "?")
	switch {
	case isHost(firstOf(text), text):
		return errors.New("it begins with the name of a host, and has no scheme")
	case strings.ContainsAny(path, "\"^`|"):
		return errors.New("it holds a character that no URL has")
	}
	return CheckFilled(text)
}

// CheckFilled returns an error if text has placeholders of templates that were not filled in.
func CheckFilled(text string) error {
	if strings.ContainsAny(text, "{}<>") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "$") || isFiller(text) {
		return errors.New("it is a placeholder")
	}
	return nil
}

// isFiller reports whether text is one of the words that people write if they have no URL.
func isFiller(text string) bool {
	switch strings.ToLower(text) {
	case "n/a", "na", "none", "null", "nil", "undefined", "unknown", "tbd", "tba", "todo", "string", "url", "uri", "false", "-", "...", "…":
		return true
	}
	return false
}

// AbsoluteURL reads a URL that names a host, or returns the reason why text is not one. It
// refuses schemes other than http and https, which never lead to a described capability, and
// user names and passwords, which make people mistake one host for another. The caller decides
// whether http is enough.
func AbsoluteURL(text string) (u *url.URL, err error) {
	u, err = url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case u.Scheme == "":
		return nil, errors.New("it has no scheme")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("its scheme is neither https nor http")
	case u.Opaque != "" || !NamesHost(u):
		return nil, errors.New("it names no host")
	case u.User != nil:
		return nil, errors.New("it holds a user name or a password")
	}
	return u, nil
}

// NamesHost reports whether a URL has the name of a host. Percent-encoded bytes in the name
// must be UTF-8 (RFC 3986 §3.2.2).
func NamesHost(u *url.URL) bool { return u.Hostname() != "" && utf8.ValidString(u.Host) }

// TidyURL returns a URL without its dot segments (RFC 3986 §5.2.4) and without its fragment.
func TidyURL(u *url.URL) string {
	t := u
	if path := u.EscapedPath(); path != "" && path[0] != '/' || strings.Contains(path, "/.") {
		t = new(url.URL).ResolveReference(u)
	}
	tidy := t.Scheme + "://" + t.Host + t.EscapedPath() // String would percent-encode an internationalised host
	if t.RawQuery != "" || t.ForceQuery {
		tidy += "?" + t.RawQuery
	}
	return tidy
}

// ClimbsUp reports whether a reference has segments that lead upwards, plain or
// encoded.
func ClimbsUp(ref string) bool {
	path, _, _ := strings.Cut(ref, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if decoded, err := url.PathUnescape(segment); err == nil && decoded == ".." {
			return true
		}
	}
	return false
}

// OddHost returns the reason why the host of a URL is not a host of the public Internet, or
// why its port is not the port of https. It checks names only: package security judges
// addresses, and decides.
func OddHost(u *url.URL) error {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case isNumeric(last):
		return errors.New("its host is an IP address")
	case strings.Contains(host, ":"):
		if _, err := netip.ParseAddr(host); err == nil {
			return errors.New("its host is an IP address")
		}
		return errors.New("its host is not a name")
	case last == host:
		return errors.New("its host is no public name")
	}
	switch last {
	case "localhost", "local", "internal", "test", "invalid", "onion", "alt", "arpa":
		return errors.New("its host is under a name for special use")
	}
	if port := u.Port(); port != "" && port != "443" {
		return errors.New("its port is not 443")
	}
	return nil
}

// isNumeric reports whether resolvers take a label for a part of an IPv4 address: digits, or
// 0x and hexadecimal digits.
func isNumeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}
