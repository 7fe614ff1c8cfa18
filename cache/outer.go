package cache

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"net/http"
)

// outer contains the facts of net/http about a response in addition to its fields and its content.
// Entries of Transport have it, and so do entries whose content was decoded. It is immutable.
type outer struct {
	proto        string
	major, minor int
	tls          *tls.ConnectionState
	peers        []digest    // digests of the certificates that tls lacks, because it was serialised
	uncompressed bool        // net/http has decoded the content
	trailer      http.Header // set at the end of the content
}

// digest is a SHA-256.
type digest = [sha256.Size]byte

func outerOf(resp *http.Response) *outer {
	return &outer{proto: resp.Proto, major: resp.ProtoMajor, minor: resp.ProtoMinor, tls: resp.TLS, uncompressed: resp.Uncompressed}
}

// orDecoded returns o. If an Origin told nothing but that it decoded the content, the result says
// that alone.
func (o *outer) orDecoded(decoded bool) *outer {
	if o == nil && decoded {
		return &outer{uncompressed: true}
	}
	return o
}

// ended returns o with the trailer of the response, after its content has ended. The trailer
// contains only fields that may be stored.
func (o *outer) ended(trailer http.Header) *outer {
	if o == nil || len(trailer) == 0 {
		return o
	}
	n := *o
	n.trailer = storedHeader(trailer)
	return &n
}

// validated returns the facts about a response that a 304 has validated. Those about the exchange
// are from the 304, those about the content are from o.
func (o *outer) validated(by *outer) *outer {
	if by == nil {
		return o
	}
	n := *by
	n.uncompressed, n.trailer = false, nil
	if o != nil {
		n.uncompressed, n.trailer = o.uncompressed, o.trailer
	}
	return &n
}

// give sets the facts in a response that is made from an entry.
func (o *outer) give(resp *http.Response) {
	if o == nil {
		return
	}
	if o.proto != "" {
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor = o.proto, o.major, o.minor
	}
	resp.TLS, resp.Uncompressed, resp.Trailer = o.tls, o.uncompressed, o.trailer.Clone()
}

// size returns the estimated number of bytes that it occupies. Connections to one host share its
// certificates.
func (o *outer) size() int64 {
	if o == nil {
		return 0
	}
	n := 120 + sha256.Size*int64(len(o.peers)) + headerSize(o.trailer)
	if o.tls != nil && len(o.tls.PeerCertificates) > 0 {
		n += int64(len(o.tls.PeerCertificates[0].Raw))
	}
	return n
}

func (o *outer) digests() []digest {
	switch {
	case o == nil:
		return nil
	case o.tls == nil || len(o.tls.PeerCertificates) == 0:
		return o.peers
	}
	sums := make([]digest, 0, len(o.tls.PeerCertificates))
	for _, c := range o.tls.PeerCertificates {
		sums = append(sums, sha256.Sum256(c.Raw))
	}
	return sums
}

// Bits of the byte with the flags of an outer.
const (
	outerKnown = 1 << iota
	outerUncompressed
	outerTLS
	outerUnused
)

// maxProto is the largest number of a protocol's version that can be serialised.
const maxProto = 255

// writable reports whether the serialised form can be read back.
func (o *outer) writable() bool {
	switch {
	case o == nil:
		return true
	case min(o.major, o.minor) < 0, max(o.major, o.minor) > maxProto:
		return false
	case o.tls != nil && len(o.tls.PeerCertificates) > wireLines:
		return false
	}
	return max(len(o.trailer), headerLines(o.trailer)) <= wireLines
}

// appendTo appends the serialised form. Of the state of a connection, it contains the version of
// TLS, the cipher suite and the digests of the certificates.
func (o *outer) appendTo(b []byte) []byte {
	if o == nil {
		return append(b, 0)
	}
	b = append(b, outerKnown|flag(o.uncompressed, outerUncompressed)|flag(o.tls != nil, outerTLS))
	b = appendText(b, o.proto)
	b = append(b, byte(o.major), byte(o.minor))
	b = appendHeader(b, o.trailer)
	if o.tls == nil {
		return b
	}
	b = binary.AppendUvarint(b, uint64(o.tls.Version))
	b = binary.AppendUvarint(b, uint64(o.tls.CipherSuite))
	sums := o.digests()
	b = binary.AppendUvarint(b, uint64(len(sums)))
	for _, sum := range sums {
		b = append(b, sum[:]...)
	}
	return b
}
