package cache

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"net/http"
)

// outer holds the facts of net/http about a response beside its fields and its
// content. Entries of Transport have it. It is immutable.
type outer struct {
	proto        string
	major, minor int
	tls          *tls.ConnectionState
	peers        []digest    // of certificates that tls lacks, because it was written down
	uncompressed bool        // net/http has undone a coding of the content
	trailer      http.Header // set at the end of the content
}

// digest is a SHA-256.
type digest = [sha256.Size]byte

func outerOf(resp *http.Response) *outer {
	return &outer{proto: resp.Proto, major: resp.ProtoMajor, minor: resp.ProtoMinor, tls: resp.TLS, uncompressed: resp.Uncompressed}
}

// ended is o once the content of its response has ended. Of the trailer it has
// the fields that may be stored of a header.
func (o *outer) ended(trailer http.Header) *outer {
	if o == nil || len(trailer) == 0 {
		return o
	}
	n := *o
	n.trailer = storedHeader(trailer)
	return &n
}

// validated returns the facts about a response that a 304 has validated: the
// exchange is the new one, the content is not.
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

// size estimates the bytes that it occupies. Connections to one host share its
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

// PeerDigests returns the SHA-256 of each certificate of the chain that the
// origin has shown, its own first; nil without TLS, or where the store keeps
// nothing of it. Of an entry that was written down and read again, only these
// digests of the certificates remain. The TLS state of its responses has the
// version and the cipher suite, no certificates and no secrets to export keys
// from.
func (e *Entry) PeerDigests() [][sha256.Size]byte { return e.outer.digests() }

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

// Bits of the byte that holds the flags of an outer.
const (
	outerKnown = 1 << iota
	outerUncompressed
	outerTLS
	outerUnused
)

// maxProto is the largest number of a protocol's version that is written down.
const maxProto = 255

// writable reports whether it could be read back.
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

// appendTo writes it. Of a connection's state remain the version of TLS, the
// cipher suite and the digests of the certificates.
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

// outer reads what appendTo wrote.
func (c *cursor[S]) outer() *outer {
	bits := c.bits(outerUnused)
	if bits&outerKnown == 0 {
		if bits != 0 {
			c.fail("an unknown flag")
		}
		return nil
	}
	o := &outer{uncompressed: bits&outerUncompressed != 0, proto: string(c.text()), major: int(c.byte()), minor: int(c.byte())}
	if h := c.header(); len(h) > 0 {
		o.trailer = h
	}
	if bits&outerTLS == 0 {
		return o
	}
	version, suite := c.uvarint(), c.uvarint()
	if max(version, suite) > 0xffff {
		c.fail("no version of TLS")
	}
	o.tls = &tls.ConnectionState{Version: uint16(version), CipherSuite: uint16(suite), HandshakeComplete: true}
	n := c.count(wireLines)
	all := c.take(uint64(n) * sha256.Size)
	for ; len(all) > 0; all = all[sha256.Size:] {
		var sum digest
		copy(sum[:], all)
		o.peers = append(o.peers, sum)
	}
	return o
}
