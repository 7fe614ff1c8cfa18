package session

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security"
)

func (n *Network) setPolicy(o *client.Options) error {
	own := n.DevGuard()
	if i := slices.IndexFunc(n.allowPort, func(port uint) bool { return port == 0 || port > 1<<16-1 }); i >= 0 {
		return ui.Usagef("--allow-port %d: write a port from 1 to 65535", n.allowPort[i])
	}
	o.Policy.AllowDev, o.Policy.AllowNames, o.Policy.AllowPorts = own.AllowDev, own.AllowNames, own.AllowPorts
	for _, s := range n.allowCIDR {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			return ui.Usagef("--allow-cidr %q: write an address range such as 127.0.0.0/8", s)
		}
		o.Policy.AllowCIDR = append(o.Policy.AllowCIDR, prefix)
	}
	for _, s := range n.allowNAT {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			return ui.Usagef("--allow-nat64 %q: write an address range such as 64:ff9b::/96", s)
		}
		o.Policy.AllowNAT64 = append(o.Policy.AllowNAT64, prefix)
	}
	if n.proxy != "" {
		proxy, err := security.ParseProxy(n.proxy)
		if err != nil {
			return ui.Usagef("--unsafe-proxy: %w; write http://HOST:PORT or https://HOST:PORT", err)
		}
		o.Policy.UnsafeProxy = proxy
	}
	for _, s := range n.connectTo {
		host, to, err := parseConnectTo(s, &o.Policy)
		if err != nil {
			return err
		}
		if o.Policy.ConnectTo == nil {
			o.Policy.ConnectTo = map[string]netip.AddrPort{}
		}
		o.Policy.ConnectTo[host] = to
	}
	return nil
}

// parseConnectTo reads HOST:PORT:ADDR:PORT, where ADDR may be [v6]. HOST may be a name of
// --allow-name.
func parseConnectTo(s string, guard *security.Guard) (at string, to netip.AddrPort, err error) {
	parts := strings.SplitN(s, ":", 3)
	if len(parts) == 3 {
		to, err = netip.ParseAddrPort(parts[2])
		port, portErr := strconv.ParseUint(parts[1], 10, 16)
		host, hostErr := namedHost(parts[0], parts[1], guard)
		if err == nil && portErr == nil && hostErr == nil && port > 0 {
			return fmt.Sprintf("%s:%d", host, port), to, nil
		}
	}
	err = ui.Usagef("--connect-to %q: write HOST:PORT:ADDR:PORT such as example.com:443:127.0.0.1:8443", s)
	if addr, port := bareIPv6(s); addr.IsValid() {
		return "", to, ui.Hint(err, fmt.Sprintf("; an IPv6 address stands in brackets: %s:%s:[%s]:%s", parts[0], parts[1], addr, port))
	}
	if strings.HasPrefix(s, ":") || strings.HasSuffix(s, ":") || strings.Contains(s, "::") && !strings.Contains(s, "[") {
		err = ui.Hint(err, "; an empty part, which stands for each host in curl, is not taken")
	}
	return "", to, err
}

// bareIPv6 returns the IPv6 address and the port of HOST:PORT:ADDR:PORT if the address has no brackets.
func bareIPv6(s string) (addr netip.Addr, port string) {
	parts := strings.SplitN(s, ":", 3)
	if len(parts) < 3 || parts[0] == "" {
		return addr, ""
	}
	end := strings.LastIndexByte(parts[2], ':')
	if end < 0 {
		return addr, ""
	}
	addr, err := netip.ParseAddr(parts[2][:end])
	if err != nil || !addr.Is6() {
		return netip.Addr{}, ""
	}
	return addr, parts[2][end+1:]
}

// namedHost returns the canonical form of a host that a flag names with a port.
func namedHost(host, port string, guard *security.Guard) (string, error) {
	if origin, tail, ok := guard.DevTarget("https://" + host + ":" + port); ok && tail == "/" {
		u, err := url.Parse(origin)
		return u.Hostname(), err
	}
	canon, _, err := security.CanonicalHost(host)
	return canon, err
}
