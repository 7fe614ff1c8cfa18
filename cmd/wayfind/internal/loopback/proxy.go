package loopback

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxFirstByte is the time in which a client must send its first byte.
const maxFirstByte = 5 * time.Second

// recordTLS is the first byte of a TLS handshake (RFC 8446 §5.1).
const recordTLS = 0x16

// siteProxy shares a listener between the sites and an HTTP proxy that leads to them, for clients
// that take no other way than HTTPS_PROXY. The first byte of a connection decides between the two.
// The proxy connects to nothing: it passes the connection of the client on to the sites.
type siteProxy struct {
	net.Listener
	places []string // "shop.example:443"
	sites  http.Handler
	tls    *pipes // connections that begin with a TLS handshake
	plain  *pipes // all others
	server *http.Server
	// firstByte is maxFirstByte, except in tests.
	firstByte time.Duration
	work      sync.WaitGroup

	mu     sync.Mutex
	closed bool
	silent map[net.Conn]bool // connections whose first byte has not arrived
}

// newSiteProxy returns a listener for the TLS server of the sites, which it starts to fill.
func newSiteProxy(listener net.Listener, places []string, sites http.Handler) *siteProxy {
	p := &siteProxy{Listener: listener, places: places, sites: sites, tls: NewPipes(), plain: NewPipes(), firstByte: maxFirstByte, silent: map[net.Conn]bool{}}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: maxFirstByte, ErrorLog: log.New(io.Discard, "", 0)}
	p.work.Go(p.accept)
	p.work.Go(func() { _ = p.server.Serve(p.plain) }) // ends with Close
	return p
}

// Accept returns the next connection that begins with a TLS handshake.
func (p *siteProxy) Accept() (net.Conn, error) { return p.tls.Accept() }

// Close stops the proxy and its listener.
func (p *siteProxy) Close() error {
	err := errors.Join(p.Listener.Close(), p.tls.Close(), p.plain.Close(), p.server.Close())
	p.mu.Lock()
	p.closed = true
	for conn := range p.silent {
		_ = conn.Close() // ends the wait for its first byte
	}
	p.mu.Unlock()
	p.work.Wait()
	return err
}

// accept divides the connections between the sites and the proxy.
func (p *siteProxy) accept() {
	for {
		conn, err := p.Listener.Accept()
		if err != nil {
			_ = p.tls.Close() // the server of the sites then ends
			return
		}
		p.work.Go(func() { p.divide(conn, bufio.NewReader(conn)) })
	}
}

// divide passes a connection on by its first byte. unread holds the bytes that were read of it.
func (p *siteProxy) divide(conn net.Conn, unread *bufio.Reader) {
	p.await(conn, true)
	_ = conn.SetReadDeadline(time.Now().Add(p.firstByte)) // without a deadline, Close still ends the wait
	first, err := unread.Peek(1)
	p.await(conn, false)
	if err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	to := p.plain
	if first[0] == recordTLS {
		to = p.tls
	}
	to.put(&readConn{conn, unread})
}

// await adds a connection to those whose first byte is awaited, or removes it.
func (p *siteProxy) await(conn net.Conn, silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !silent:
		delete(p.silent, conn)
	case p.closed:
		_ = conn.Close()
	default:
		p.silent[conn] = true
	}
}

// ServeHTTP answers a request to the proxy.
func (p *siteProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	port := "80"
	if r.Method == http.MethodConnect {
		port = "443"
	}
	if u := (url.URL{Host: r.Host}); u.Port() == "" {
		r.Host = u.Hostname() + ":" + port
	}
	if !p.leadsTo(r) {
		p.refuse(w, r)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w)
		return
	}
	r.Host = strings.TrimSuffix(r.Host, ":80")
	r.RequestURI = r.URL.RequestURI()
	p.sites.ServeHTTP(w, r)
}

// leadsTo reports whether a request names a site. A site that is at port 443 is at port 80, too,
// for http: some clients send CONNECT before any request.
func (p *siteProxy) leadsTo(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	if name, ok := strings.CutSuffix(host, ":80"); ok {
		host = name + ":443"
	}
	return slices.Contains(p.places, host)
}

// refuse answers a request for another name. Many clients show only the reason phrase of an answer
// to CONNECT, so it holds the whole sentence.
func (p *siteProxy) refuse(w http.ResponseWriter, r *http.Request) {
	var sites []string
	for _, place := range p.places {
		sites = append(sites, strings.TrimSuffix(place, ":443"))
	}
	text := fmt.Sprintf("%+.300q is no site of wayfind serve, which connects to nothing else; the sites are: %s", r.Host, strings.Join(sites, ", "))
	if r.Method != http.MethodConnect {
		http.Error(w, text, http.StatusBadGateway)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the proxy speaks HTTP/1.1, which has Hijack
	}
	fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n",
		http.StatusBadGateway, text, len(text)+1, text)
	_ = conn.Close() // the client may have left
}

// tunnel passes the connection on to the sites, as if the client had connected to one.
func (p *siteProxy) tunnel(w http.ResponseWriter) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // as in refuse
	}
	_ = conn.SetDeadline(time.Time{})
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = conn.Close()
		return
	}
	p.divide(conn, buffered.Reader)
}

// readConn is a connection of which some bytes were read already.
type readConn struct {
	net.Conn
	unread *bufio.Reader
}

// Read implements net.Conn.
func (c *readConn) Read(b []byte) (int, error) { return c.unread.Read(b) }
