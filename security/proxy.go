package security

import (
	"encoding/base64"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Proxy is an HTTP proxy that supports CONNECT (RFC 9110 §9.3.6), for Guard.UnsafeProxy. Create
// one with [ParseProxy]. Its password is hidden from fmt, log/slog and encoding/json. A Proxy
// cannot be changed.
type Proxy struct {
	secure         bool
	host           string
	port           uint16
	user, password string
	authenticates  bool
}

// ParseProxy reads the URL of a proxy: "http://proxy.corp.example:3128",
// "https://user:password@10.0.0.1:8443". The scheme is for the connection to the proxy itself;
// the default ports are 80 and 443. The host may be anything that the system can connect to,
// including a private address or a name without dots, because the configuration of a proxy is
// trusted. The user name and the password are percent-decoded and sent to the proxy as Basic
// credentials (RFC 7617), in the clear if the scheme is http.
//
// Other schemes, a path, a query, a fragment and control characters are refused with a
// *wayfind.Error with Op "policy" and kind wayfind.ErrInvalid. The error does not show the URL.
func ParseProxy(s string) (*Proxy, error) {
	// url.Error quotes the text that it could not parse, which includes the password.
	u, err := url.Parse(s)
	if err != nil {
		return nil, proxyError(wayfind.CodeHostSyntax, "it is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, proxyError(wayfind.CodeScheme, "its scheme is neither http nor https")
	case u.Opaque != "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, proxyError(wayfind.CodeHostSyntax, "it has more than a host and a port")
	}
	p := &Proxy{secure: u.Scheme == "https", host: strings.ToLower(u.Hostname()), port: 80}
	if p.secure {
		p.port = 443
	}
	if text := u.Port(); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return nil, proxyError(wayfind.CodePort, "its port is no number from 1 to 65535")
		}
		p.port = uint16(port)
	}
	if !proxyHost(p.host) {
		return nil, proxyError(wayfind.CodeHostSyntax, "its host is neither an address nor a name of letters, digits, dots and hyphens")
	}
	if u.User != nil {
		p.authenticates = true
		p.user = u.User.Username()
		p.password, _ = u.User.Password()
		if strings.Contains(p.user, ":") || strings.ContainsFunc(p.user+p.password, isControl) {
			return nil, proxyError(wayfind.CodeUserinfo, "Basic credentials have no place for a control character, and the user name has none for a colon")
		}
	}
	return p, nil
}

// proxyHost accepts addresses and names of LDH labels. It also accepts underscores, because
// private networks use them.
func proxyHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	name := strings.TrimSuffix(host, ".")
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, func(r rune) bool {
		return r > 0x7e || !text.IsLDH(byte(r)) && r != '.' && r != '_'
	})
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func proxyError(code wayfind.Code, why string) error {
	return wayfind.NewError("policy", "", code, errors.New("the proxy's URL: "+why))
}

// Secure reports whether the connection to the proxy uses TLS.
func (p *Proxy) Secure() bool { return p.secure }

// Host returns the proxy's name or address, as it was configured.
func (p *Proxy) Host() string { return p.host }

// Port returns the proxy's port.
func (p *Proxy) Port() uint16 { return p.port }

// Authorization returns the value of Proxy-Authorization, or "" if there is no user name.
func (p *Proxy) Authorization() string {
	if !p.authenticates {
		return ""
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user+":"+p.password))
}

// is reports whether a host in canonical form is the proxy itself.
func (p *Proxy) is(host string) bool { return strings.TrimSuffix(p.host, ".") == host }

// at reports whether an address is the proxy's address, if the proxy was configured as an
// address.
func (p *Proxy) at(addr netip.AddrPort) bool {
	own, err := netip.ParseAddr(p.host)
	return err == nil && own.Unmap() == addr.Addr().Unmap() && p.port == addr.Port()
}

// String returns the proxy's URL without the password.
func (p Proxy) String() string {
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(p.host, strconv.Itoa(int(p.port)))}
	if p.secure {
		u.Scheme = "https"
	}
	if p.authenticates {
		u.User = url.UserPassword(p.user, "redacted")
	}
	return u.String()
}

// GoString hides the password from %#v.
func (p Proxy) GoString() string { return "security.Proxy{" + p.String() + "}" }

// MarshalText hides the password from encoding/json and log/slog.
func (p Proxy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
