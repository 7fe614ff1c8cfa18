package security

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Policy says which addresses may be contacted. The zero value, and a nil
// pointer, are the safe default: the public Internet and nothing else. A
// Policy must not be changed once it is in use.
type Policy struct {
	// AllowCIDR are ranges that may be contacted although they are special:
	// "10.20.0.0/16" for a company's own network. IPv4 ranges do not cover
	// IPv4-mapped addresses, and no range covers addresses with a zone.
	AllowCIDR []netip.Prefix
	// ConnectTo replaces look-up and socket for one host and port, and
	// nothing else: name, certificate and every check stay those of the
	// host. Keys are "host:443" with a canonical host. The address is
	// judged like any other.
	ConnectTo map[string]netip.AddrPort
}

// Target returns where connections to a canonical host go, when ConnectTo
// says so.
func (p *Policy) Target(host string, port uint16) (netip.AddrPort, bool) {
	if p == nil || len(p.ConnectTo) == 0 {
		return netip.AddrPort{}, false
	}
	to, ok := p.ConnectTo[net.JoinHostPort(host, strconv.Itoa(int(port)))]
	return to, ok
}

// Validate reports the first entry that could never have an effect: a prefix
// or an address that is not one, a key that is not a canonical host with port
// 443. The error is a *wayfind.Error with Op "policy", kind
// wayfind.ErrInvalid and the code of the host when that is the cause.
func (p *Policy) Validate() error {
	if p == nil {
		return nil
	}
	for _, prefix := range p.AllowCIDR {
		if !prefix.IsValid() {
			return policyError("", "", "a prefix in AllowCIDR is not valid")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.ConnectTo)) {
		if !strings.HasSuffix(key, ":443") {
			return policyError(key, wayfind.CodePort, "a key of ConnectTo needs the port 443")
		}
		canon, err := canonicalAuthority(key)
		switch {
		case err != nil:
			return &wayfind.Error{Op: "policy", URL: Clip(key), Kind: wayfind.ErrInvalid, Code: codeOf(err), Err: err}
		case canon+":443" != key:
			return policyError(key, wayfind.CodeHostSyntax, "a key of ConnectTo needs the canonical host "+canon)
		case !p.ConnectTo[key].IsValid():
			return policyError(key, "", "its address is not valid")
		}
	}
	return nil
}

// Fingerprint identifies what a policy allows, "" for the default. Answers
// got under one fingerprint must not serve another (DESIGN §4 "The view").
func (p *Policy) Fingerprint() string {
	if p == nil || len(p.AllowCIDR) == 0 && len(p.ConnectTo) == 0 {
		return ""
	}
	lines := make([]string, 0, len(p.AllowCIDR)+len(p.ConnectTo))
	for _, prefix := range p.AllowCIDR {
		lines = append(lines, "allow "+prefix.Masked().String())
	}
	for key, to := range p.ConnectTo {
		lines = append(lines, fmt.Sprintf("connect %q %s", key, to))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(lines), "\n")))
	return hex.EncodeToString(sum[:16])
}

func policyError(key string, code wayfind.Code, why string) error {
	return &wayfind.Error{Op: "policy", URL: Clip(key), Kind: wayfind.ErrInvalid, Code: code, Err: errors.New(why)}
}

func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}
