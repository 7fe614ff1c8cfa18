package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
)

// keyOf returns the primary key of a GET of a canonical URL: view, partition,
// method and URL. Nothing in it comes from a response. A Host of its own is
// part of it, since it decides who answers.
func (t *Transport) keyOf(req *http.Request, url, partition string) string {
	key := t.opts.View + "\n" + partition + "\nGET\n" + url
	if req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host) {
		key += "\nhost=" + strings.ToLower(req.Host)
	}
	return key
}

// partition keeps the responses of different credentials apart.
func (t *Transport) partition(req *http.Request) string {
	if t.opts.Partition != nil {
		return t.opts.Partition(req)
	}
	var said strings.Builder
	for _, name := range credentialFields() {
		for _, line := range req.Header[name] {
			said.WriteString(name + "\x00" + line + "\x00")
		}
	}
	if said.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(said.String()))
	return hex.EncodeToString(sum[:16])
}

// credentialFields are the request fields that say who asks.
func credentialFields() [3]string {
	return [...]string{"Authorization", "Cookie", "Proxy-Authorization"}
}

// canonicalURL writes a URL so that spellings of one resource are one key (RFC
// 9110 §4.2.3): scheme and host in lower case, no default port, no empty path,
// no fragment, no user information.
func canonicalURL(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	scheme, host := authorityOf(u)
	if u.RawQuery != "" || u.ForceQuery {
		return scheme + "://" + host + path + "?" + u.RawQuery
	}
	return scheme + "://" + host + path
}

// originOf is scheme and host with the port, unless it is the scheme's.
func originOf(u *url.URL) string {
	scheme, host := authorityOf(u)
	return scheme + "://" + host
}

func authorityOf(u *url.URL) (scheme, host string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme, strings.TrimSuffix(host, ":")
}
