package fetch

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net/url"
	"sync"
)

// maxCertified bounds the certificates in use at a time, by origins.
const maxCertified = 256

// Certified contains the connections with client certificates.
type Certified struct {
	Options Options

	mu     sync.Mutex
	pools  map[certifiedKey]*Conns
	closed bool
}

// certifiedKey identifies the connections with one certificate to one origin.
type certifiedKey struct {
	origin string
	leaf   [sha256.Size]byte
}

// At returns the connections to an origin with a certificate.
func (c *Certified) At(origin string, cert *tls.Certificate) *Conns {
	key := certifiedKey{origin: origin}
	if len(cert.Certificate) > 0 {
		key.leaf = sha256.Sum256(cert.Certificate[0])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.pools[key]; have != nil {
		return have
	}
	if len(c.pools) >= maxCertified {
		c.forget()
	}
	o := c.Options
	o.Certificate = cert
	made := NewConns(o)
	if c.closed {
		_ = made.Close() // never fails
		return made
	}
	if c.pools == nil {
		c.pools = make(map[certifiedKey]*Conns)
	}
	c.pools[key] = made
	return made
}

// forget removes one entry. Its idle connections are closed, and running
// requests end by themselves.
func (c *Certified) forget() {
	for key, conns := range c.pools {
		if u, err := url.Parse(key.origin); err == nil {
			conns.CloseIdle(u.Hostname())
		}
		delete(c.pools, key)
		return
	}
}

// Close ends all connections.
func (c *Certified) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for _, conns := range c.pools {
		errs = append(errs, conns.Close())
	}
	clear(c.pools)
	return errors.Join(errs...)
}
