package security_test

import (
	"net/netip"
	"testing"

	"github.com/wayfindhq/wayfind/security"
)

// A range that contains a metadata service is detected in each form that reaches the service.
// Other ranges are not detected.
func TestRangesThatReachMetadataServicesAreKnown(t *testing.T) {
	for cidr, want := range map[string]bool{
		"0.0.0.0/0": true, "169.254.169.254/32": true, "100.64.0.0/10": true, "168.63.0.0/16": true, "fd00::/8": true,
		"::/0": true, "64:ff9b::/96": true, "::ffff:0:0/96": true, "2002::/16": true,
		"10.0.0.0/8": false, "127.0.0.0/8": false, "192.168.0.0/16": false, "169.254.1.0/24": false, "fd12::/16": false,
	} {
		p := security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix(cidr)}}
		if addr, open := p.OpenMetadata(); open != want {
			t.Errorf("%s: %v, %v", cidr, open, addr)
		}
	}
	if _, open := (*security.Guard)(nil).OpenMetadata(); open {
		t.Error("the default opens one")
	}
}
