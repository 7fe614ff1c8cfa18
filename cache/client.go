package cache

import "net/http"

// NewClient returns an [http.Client] that caches in store and asks by next, for
// example an [http.Transport]. Where an origin cannot be asked, its stored
// answer may stand in for 24 hours past its freshness, unless the answer says
// otherwise (RFC 9111 §4.2.4).
//
// The fields of the Client may be set before its first use: a Timeout, a
// CheckRedirect. Its Transport is a [*Transport]. Use [NewTransport] for Options
// of your own.
func NewClient(store Store, next http.RoundTripper) *http.Client {
	return &http.Client{Transport: NewTransport(store, next, &Options{StaleIfError: Retention})}
}
