package loopback

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever a stranger sends to the port, the connection ends with the sites, and no connection
// leaves the machine.
func TestServe_OddConnections(t *testing.T) {
	base, hosts := NewPipes(), []string{"shop.example"}
	proxy := newSiteProxy(base, withPorts(hosts), http.NotFoundHandler())
	proxy.firstByte = time.Hour // no connection has begun
	d, err := StartAt(proxy, hosts, http.NotFoundHandler(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n":                                  "HTTP/1.1 200 ",
		"CONNECT SHOP.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n": "HTTP/1.1 200 ",
		"CONNECT shop.example:22 HTTP/1.1\r\nHost: shop.example\r\n\r\n":                                   "HTTP/1.1 502 \"shop.example:22\" is no site",
		"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                         "HTTP/1.1 502 ",
		"CONNECT [::1]:22 HTTP/1.1\r\nHost: x\r\n\r\n":                                                     "HTTP/1.1 502 ",
		"CONNECT caf\u00e9.example:443 HTTP/1.1\r\nHost: x\r\n\r\n":                                        "HTTP/1.1 ",
		"GET http://other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n":                                "HTTP/1.1 502 ",
		"GET http://shop.example/ HTTP/1.1\r\nHost: shop.example\r\n\r\n":                                  "HTTP/1.1 404 ",
		"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                                        "HTTP/1.1 502 ",
		"hello\r\n\r\n": "HTTP/1.1 400 ",
		"\x16hello":     "",
	} {
		conn, err := base.Connect(t.Context(), d.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, text)
		if want == "" {
			continue
		}
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, want) || strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("%q: %q, want %q", text, line, want)
		}
	}
	silent, err := base.Connect(t.Context(), d.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := d.Close(); err != nil { // returns although a client is silent for up to an hour
		t.Error(err)
	}
	if n, err := io.Copy(io.Discard, silent); n > 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
