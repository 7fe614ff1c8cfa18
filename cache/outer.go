package cache

import (
	"crypto/tls"
	"maps"
	"net/http"
)

// outer is what net/http says of a response beside its fields and its content.
// Entries of Transport have it, in this process.
type outer struct {
	proto        string
	major, minor int
	tls          *tls.ConnectionState
	uncompressed bool        // net/http has undone a coding of the content
	trailer      http.Header // set at the end of the content
}

func outerOf(resp *http.Response) *outer {
	return &outer{proto: resp.Proto, major: resp.ProtoMajor, minor: resp.ProtoMinor, tls: resp.TLS, uncompressed: resp.Uncompressed}
}

// ended is o once the content of its response has ended.
func (o *outer) ended(trailer http.Header) *outer {
	if o == nil || len(trailer) == 0 {
		return o
	}
	n := *o
	n.trailer = maps.Clone(trailer)
	return &n
}

// validated is what holds of a response that a 304 has validated: the exchange
// is the new one, the content is not.
func (o *outer) validated(by *outer) *outer {
	if by == nil || o == nil {
		return o
	}
	n := *by
	n.uncompressed, n.trailer = o.uncompressed, o.trailer
	return &n
}

// give tells the response that an entry is made into.
func (o *outer) give(resp *http.Response) {
	if o == nil {
		return
	}
	if o.proto != "" {
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor = o.proto, o.major, o.minor
	}
	resp.TLS, resp.Uncompressed, resp.Trailer = o.tls, o.uncompressed, o.trailer.Clone()
}

// size is what it occupies, estimated. Connections to one host share its
// certificates.
func (o *outer) size() int64 {
	if o == nil {
		return 0
	}
	n := int64(96)
	if o.tls != nil && len(o.tls.PeerCertificates) > 0 {
		n += int64(len(o.tls.PeerCertificates[0].Raw))
	}
	return n
}
