package arch

import (
	"go/ast"
	"slices"
	"testing"
)

// dialling returns members of standard packages that open connections. In tests, the dialer of
// a test network connects (clienttest, the world of internal/web/fetch). It fails the test if an
// address does not belong to the network or is not loopback.
func dialling() map[string][]string {
	return map[string][]string{
		"net": {
			"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer", "Resolver",
			"LookupHost", "LookupIP", "LookupAddr", "LookupCNAME", "LookupMX", "LookupNS", "LookupPort", "LookupSRV", "LookupTXT",
		},
		"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
		"net/http":   {"Transport"},
		"net/smtp":   {"Dial", "SendMail"},
	}
}

// mayDial returns the tests that may open connections, each with the reason why they stay on
// this machine.
func mayDial() map[string]string {
	return map[string]string{
		"cache/loopback_test.go":                "asks httptest servers by their own addresses",
		"cache/example_test.go":                 "asks an httptest server by its own address",
		"cache/suite_wire_test.go":              "a transport over connections in memory",
		"cache/redis/tls_test.go":               "dials the Redis server that the test has started on loopback",
		"cache/redis/slow_test.go":              "dials the Redis server that the test has started on loopback",
		"client/bench_test.go":                  "dials the httptest server whose address it was made with",
		"client/coldallocs_test.go":             "dials the server whose listener the test has opened on loopback",
		"client/faults_test.go":                 "a resolver whose Dial always fails, and connects nowhere",
		"client/globals_test.go":                "traps in the place of globals: a resolver whose Dial fails, a proxy on loopback",
		"client/pairs_test.go":                  "dials the httptest server that is under development, by its own address",
		"client/unsafe_test.go":                 "names types of options, and connects nowhere",
		"cmd/wayfind/script_test.go":            "a proxy that connects to the demo on loopback",
		"internal/web/fetch/dns_test.go":        "Go's resolver over connections in memory",
		"internal/show/inspect/checked_test.go": "dials loopback addresses, to see which of them listen",
		"internal/lab/memconn/listener_test.go": "a transport over connections in memory",
		"security/addresses_test.go":            "dials loopback addresses, to see them refused before a packet leaves",
	}
}

// connects returns the uses in a file that open connections.
func connects(f *source) (list []*ast.SelectorExpr) {
	for importPath, names := range dialling() {
		f.selectors(importPath, func(sel *ast.SelectorExpr) {
			if slices.Contains(names, sel.Sel.Name) {
				list = append(list, sel)
			}
		})
	}
	return list
}

func TestTestsStayOnLoopback(t *testing.T) {
	unused := mayDial()
	for _, p := range load(t) {
		for _, f := range p.files {
			if !f.test {
				continue
			}
			for _, sel := range connects(f) {
				if mayDial()[f.path] == "" {
					t.Errorf("%s: %s in a test: use the dialer of a test network", f.at(sel), sel.Sel.Name)
				}
				delete(unused, f.path)
			}
		}
	}
	for path := range unused {
		t.Errorf("%s may dial and does not", path)
	}
}

func TestDialsAreCaught(t *testing.T) {
	p := parseText(t, `package x

import (
	"crypto/tls"
	sock "net"
	"net/http"
)

func f() {
	_, _ = sock.Dial("tcp", "x")
	_ = sock.Dialer{}
	_ = &http.Transport{}
	_, _ = tls.Dial("tcp", "x", nil)
	_ = http.MethodGet
	_, _ = sock.Listen("tcp", "127.0.0.1:0")
	x.Dial()
}
`)
	if got := connects(p.files[0]); len(got) != 4 {
		t.Errorf("%d uses were caught, want 4: %v", len(got), got)
	}
}
