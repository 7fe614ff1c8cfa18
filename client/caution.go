package client

import (
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// What a Site says of the caller's own choices: what was found is right under
// them, and a reader may want to know.

// tunnelled reports whether connections are made where nobody here sees an
// address.
func (o *Options) tunnelled() bool { return o.Policy.UnsafeProxy != nil || o.Network.UnsafeDial != nil }

// unsafeChoice is an option that takes a promise away.
type unsafeChoice struct {
	wayfind.Diagnostic
	option string
	with   string // its value, without secrets
}

// unsafe are the caller's choices that the Sites of Resolve name.
func (o *Options) unsafe() []unsafeChoice {
	var list []unsafeChoice
	choice := func(code, option, with, message string) {
		list = append(list, unsafeChoice{wayfind.Diagnostic{Severity: wayfind.SeverityWarning, Code: code, Message: message}, option, with})
	}
	if addr, open := o.Policy.OpenMetadata(); open {
		choice("policy.metadata", "Policy.AllowCIDR", addr.String(),
			"the ranges that are allowed hold the address of a cloud platform's metadata service, which tells the credentials of this machine")
	}
	switch {
	case o.Policy.UnsafeProxy != nil:
		choice("policy.unsafe_proxy", "Policy.UnsafeProxy", o.Policy.UnsafeProxy.String(),
			"a proxy decides which addresses are contacted; it must keep requests out of private networks itself")
	case o.Network.UnsafeDial != nil:
		choice("policy.unsafe_dial", "UnsafeDial", "a function of the caller",
			"a dialer of the caller decides which addresses are contacted; it must keep requests out of private networks itself")
	}
	return list
}

// cautions are what a Site says of the caller's choices.
func (c *Client) cautions(done []*outcome) (diags []wayfind.Diagnostic) {
	diags = slices.Clone(c.unsafe)
	for _, host := range c.mixedAmong(done) {
		diags = append(diags, wayfind.Diagnostic{
			Severity: wayfind.SeverityWarning, Code: "dns.mixed", Source: "https://" + host,
			Message: "the name has addresses that the policy refuses beside those that it allows; only these were used",
		})
	}
	return diags
}

// mixedAmong are the hosts that were asked for some outcomes, redirects
// included, whose name has addresses that the policy refuses
// (Policy.AllowMixedDNS), in order and each once.
func (c *Client) mixedAmong(done []*outcome) []string {
	if !c.opts.Policy.AllowMixedDNS {
		return nil
	}
	var found []string
	for _, o := range done {
		for _, ref := range append([]string{o.Candidate.URL}, o.Probe.Redirects...) {
			u, err := url.Parse(ref)
			if err == nil && !slices.Contains(found, u.Host) && (c.conns.Mixed(u.Host) || c.talking.Mixed(u.Host)) {
				found = append(found, u.Host)
			}
		}
	}
	return found
}
