package cache

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// keyOf returns the primary key of a GET: view, partition, method and URL, and
// the canonical URL as a part of it. Nothing in it comes from a response. A Host
// of its own is part of it, since it decides which host answers.
func (t *Engine) keyOf(a *Ask) (key, canonical string) {
	var room [512]byte
	b, from, to := t.appendKey(room[:0], a)
	key = string(b)
	return key, key[from:to]
}

// appendKey appends the primary key; from and to are the canonical URL's place in b.
func (t *Engine) appendKey(b []byte, a *Ask) (_ []byte, from, to int) {
	b = append(b, t.opts.View...)
	b = append(append(b, '\n'), a.Partition...)
	b = append(b, "\nGET\n"...)
	from = len(b)
	b, _ = urlkey.Append(b, a.URL)
	to = len(b)
	if a.host != "" && !strings.EqualFold(a.host, a.URL.Host) {
		b = append(append(b, "\nhost="...), strings.ToLower(a.host)...)
	}
	return b, from, to
}

// credentialFields are the request fields that identify a user.
func credentialFields() [3]string {
	return [...]string{"Authorization", "Cookie", "Proxy-Authorization"}
}
