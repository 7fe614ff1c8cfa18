package cache

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// keyOf returns the primary key of a GET, which consists of view, partition, method and URL, and
// the canonical URL as a part of it. Nothing in it comes from a response. If the request has
// another Host than its URL, that is part of the key, because it decides which host answers.
func (t *Engine) keyOf(a *Ask) (key, canonical string) {
	var scratch [512]byte
	b, from, to := t.appendKey(scratch[:0], a)
	key = string(b)
	return key, key[from:to]
}

// appendKey appends the primary key; from and to are the canonical URL's place in b.
func (t *Engine) appendKey(b []byte, a *Ask) (_ []byte, from, to int) {
	b = append(b, t.opts.View...)
	b = append(append(b, '\n'), a.Partition...)
	b = append(b, methodInKey...)
	from = len(b)
	b, _ = urlkey.Append(b, a.URL)
	to = len(b)
	return append(b, hostInKey(a.host, a.URL)...), from, to
}

// hostInKey returns the part of a key for a Host that is not the host of the URL, or "".
func hostInKey(host string, u *url.URL) string {
	if host == "" || strings.EqualFold(host, u.Host) {
		return ""
	}
	return "\nhost=" + strings.ToLower(host)
}
