package urlref

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsLocalhost reports whether a canonical host is localhost or a name below it, which are names of
// this machine (RFC 6761 §6.3). Neither is ever looked up.
func IsLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// IsLoopback reports whether a host, with or without a port, is this machine: "localhost", a
// name below it, or a loopback address.
func IsLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if IsLocalhost(name) {
		return true
	}
	if !strings.Contains(name, ":") && strings.TrimRight(name, "0123456789") == name {
		return false // no address ends this way, and the error would cost more than the check
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}
