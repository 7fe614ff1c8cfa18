package cache

import "net/http"

// NewClient returns an [http.Client] that caches in store and sends requests by next. If next is
// nil, [http.DefaultTransport] is used. If an origin cannot be asked, its stored answer may stand
// in for 24 hours past its freshness, unless the answer forbids it (RFC 9111 §4.2.4).
//
// The fields of the Client may be set before its first use, for example Timeout and CheckRedirect.
// Its Transport is a [*Transport]. Use [NewTransport] for Options of your own. [Close] ends it; the
// caller closes the store afterwards.
func NewClient(store Store, next http.RoundTripper) *http.Client {
	return &http.Client{Transport: NewTransport(store, next, &Options{StaleIfError: Retention})}
}

// Close closes the [Transport] of a Client that NewClient returned: see [Engine.Close]. It does
// nothing if the Client has another RoundTripper.
func Close(client *http.Client) error {
	if t, ok := client.Transport.(*Transport); ok {
		return t.Close()
	}
	return nil
}
