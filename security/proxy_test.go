package security

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

func TestParseProxy(t *testing.T) {
	for text, want := range map[string]struct {
		shown, host, auth string
		port              uint16
		secure            bool
	}{
		"http://proxy.corp.example:3128":      {"http://proxy.corp.example:3128", "proxy.corp.example", "", 3128, false},
		"HTTP://Proxy/":                       {"http://proxy:80", "proxy", "", 80, false},
		"https://10.0.0.1":                    {"https://10.0.0.1:443", "10.0.0.1", "", 443, true},
		"https://[fd00::1]:8443":              {"https://[fd00::1]:8443", "fd00::1", "", 8443, true},
		"http://localhost:1":                  {"http://localhost:1", "localhost", "", 1, false},
		"http://user:s3cr%3At%40@proxy_1:80/": {"http://user:redacted@proxy_1:80", "proxy_1", "Basic dXNlcjpzM2NyOnRA", 80, false},
		"http://user@proxy":                   {"http://user:redacted@proxy:80", "proxy", "Basic dXNlcjo=", 80, false},
	} {
		p, err := ParseProxy(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if p.String() != want.shown || p.Host() != want.host || p.Port() != want.port || p.Secure() != want.secure || p.Authorization() != want.auth {
			t.Errorf("%s: %s, %s, %d, %v, %q", text, p, p.Host(), p.Port(), p.Secure(), p.Authorization())
		}
	}
	for _, text := range []string{
		"", "proxy:3128", "//proxy:3128", "socks5://proxy:1080", "ftp://proxy", "http:proxy", "http://", "http://:3128", "http://proxy:0", "http://proxy:65536",
		"http://proxy:x", "http://proxy/path", "http://proxy?q", "http://proxy/?", "http://proxy#f", "http://pro xy", "http://prøxy", "http://proxy\r\nX: y",
		"http://us%3Aer:p@proxy", "http://u:s3cret%0d%0aX:@proxy", "http://u:s3cret@proxy:x", "http://u:s3cret@pro%zzxy", "http://u:s3cret@[::1", "http://u:s3cret@proxy/x",
	} {
		p, err := ParseProxy(text)
		if err == nil || code(err) == "?" || code(err) == "" || p != nil {
			t.Errorf("%q: %v, %v", text, p, err)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: the error shows the password: %v", text, err)
		}
	}
}

// TestProxyHidesItsPassword checks the usual ways to print a value, alone and inside a Guard.
func TestProxyHidesItsPassword(t *testing.T) {
	p, err := ParseProxy("http://user:s3cret@proxy:3128")
	if err != nil {
		t.Fatal(err)
	}
	policy := Guard{UnsafeProxy: p, ConnectTo: map[string]netip.AddrPort{}}
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "proxy", p, "value", *p, "policy", policy)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "proxy", p, "value", *p)
	texts := []string{log.String(), policy.Fingerprint()}
	for _, v := range []any{p, *p, policy, &policy, []any{p}} {
		raw, err := json.Marshal(v)
		texts = append(texts, fmt.Sprintf("%v %+v %#v %s %q %x", v, v, v, v, v, v), fmt.Sprint(v), string(raw))
		if err != nil && len(raw) > 0 {
			t.Error(err)
		}
	}
	for _, s := range texts {
		for _, secret := range []string{"s3cret", fmt.Sprintf("%x", "s3cret"), "dXNlcjpzM2NyZXQ"} {
			if strings.Contains(s, secret) {
				t.Errorf("%q is shown in %s", secret, s)
			}
		}
	}
	if !strings.Contains(log.String(), "user:redacted@proxy:3128") {
		t.Errorf("the log is about nothing: %s", log.String())
	}
}

// TestTunnelsLeadToPublicNamesAndPort443 checks that a proxy is only asked for public names and
// port 443, and never for itself.
func TestTunnelsLeadToPublicNamesAndPort443(t *testing.T) {
	proxy := func(text string) *Guard {
		p, err := ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		return &Guard{UnsafeProxy: p}
	}
	policy := proxy("http://Proxy.corp.example.:3128")
	for _, c := range []struct {
		host string
		port uint16
		want wayfind.Code
	}{
		{"shop.example.com", 443, ""},
		{"xn--bcher-kva.example", 443, ""},
		{"corp.example", 443, ""},
		{"proxy.corp.example", 443, wayfind.CodeBlockedAddress},
		{"shop.example.com", 80, wayfind.CodePort},
		{"shop.example.com", 3128, wayfind.CodePort},
		{"shop.example.com", 0, wayfind.CodePort},
		{"shop.example.com.", 443, wayfind.CodeHostSyntax},
		{"SHOP.example.com", 443, wayfind.CodeHostSyntax},
		{"127.0.0.1", 443, wayfind.CodeHostIPLiteral},
		{"8.8.8.8", 443, wayfind.CodeHostIPLiteral},
		{"::1", 443, wayfind.CodeHostSyntax},
		{"2130706433", 443, wayfind.CodeHostNumeric},
		{"localhost", 443, wayfind.CodeHostSingleLabel},
		{"metadata", 443, wayfind.CodeHostSingleLabel},
		{"metadata.google.internal", 443, wayfind.CodeHostSpecialUse},
		{"1.0.0.127.in-addr.arpa", 443, wayfind.CodeHostSpecialUse},
		{"a b.example", 443, wayfind.CodeHostSyntax},
		{"a.example\r\nX: y", 443, wayfind.CodeHostSyntax},
		{"", 443, wayfind.CodeHostSyntax},
	} {
		if err := policy.CheckTunnel(c.host, c.port); code(err) != c.want {
			t.Errorf("%q:%d: %v, want code %q", c.host, c.port, err, c.want)
		}
	}
	policy.AllowNames, policy.AllowPorts = []string{"api.corp.internal", "*.bank.internal", "proxy.corp.example"}, []uint16{8443}
	for _, c := range []struct {
		host string
		port uint16
		want wayfind.Code
	}{
		{"api.corp.internal", 443, ""}, {"api.corp.internal", 8443, ""}, {"a.bank.internal", 8443, ""}, {"shop.example.com", 443, ""},
		{"api.corp.internal", 8444, wayfind.CodePort}, {"shop.example.com", 8443, wayfind.CodePort}, {"other.internal", 443, wayfind.CodeHostSpecialUse},
		{"bank.internal", 443, wayfind.CodeHostSpecialUse}, {"API.corp.internal", 443, wayfind.CodeHostSpecialUse}, {"proxy.corp.example", 443, wayfind.CodeBlockedAddress},
		{"10.0.0.1", 8443, wayfind.CodeHostIPLiteral}, {"localhost", 8443, wayfind.CodeHostSingleLabel},
	} {
		if err := policy.CheckTunnel(c.host, c.port); code(err) != c.want {
			t.Errorf("with AllowNames, %q:%d: %v, want code %q", c.host, c.port, err, c.want)
		}
	}
	// Another site must not have the address of the proxy either.
	at := proxy("http://10.0.0.1:3128")
	at.ConnectTo = map[string]netip.AddrPort{"a.example:443": netip.MustParseAddrPort("10.0.0.1:3128")}
	if err := at.Validate(); code(err) != wayfind.CodeBlockedAddress {
		t.Errorf("ConnectTo the proxy: %v", err)
	}
	at.ConnectTo["a.example:443"] = netip.MustParseAddrPort("10.0.0.1:443")
	if err := at.Validate(); err != nil {
		t.Error(err)
	}
}
