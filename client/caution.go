package client

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// A Site contains diagnostics on the caller's own choices, because its content depends on them.

// The rules about these choices.
var (
	ruleMetadata = parse.Rule{Code: "policy.metadata", Severity: wayfind.SeverityWarning,
		Means: "The program may contact addresses at which cloud platforms hand out the credentials of a machine. A host name that leads there is asked.",
		Mend:  "The document needs no change. Allow narrower ranges in the program."}
	ruleDev = parse.Rule{Code: "policy.dev", Severity: wayfind.SeverityWarning,
		Means: "The program may ask servers under development, over http or at loopback addresses of its machine. Other programs cannot.",
		Mend:  "The document needs no change. Publish the server under a public name with https before others use it."}
	ruleUnsafeDial = parse.Rule{Code: "policy.unsafe_dial", Severity: wayfind.SeverityWarning,
		Means: "The program connects by a function of its caller. It could not check which address was contacted.",
		Mend:  "The document needs no change. The caller's function must keep requests out of private networks."}
	ruleUnsafeProxy = parse.Rule{Code: "policy.unsafe_proxy", Severity: wayfind.SeverityWarning,
		Means: "The program uses a proxy. The proxy chose which address was contacted.",
		Mend:  "The document needs no change. The proxy must keep requests out of private networks."}
)

// unsafeChoice is an option that removes a guarantee.
type unsafeChoice struct {
	wayfind.Diagnostic
	option string
	with   string // its value, without secrets
}

// unsafe returns the caller's choices that the Sites of Resolve name.
func (o *Options) unsafe() []unsafeChoice {
	var list []unsafeChoice
	choice := func(rule parse.Rule, option, with, message string) {
		list = append(list, unsafeChoice{rule.Diagnostic("", "%s", message), option, with})
	}
	if addr, open := o.Policy.OpenMetadata(); open {
		choice(ruleMetadata, "Policy.AllowCIDR", addr.String(),
			"the ranges that are allowed hold the address of a cloud platform's metadata service, which tells the credentials of this machine")
	}
	dev := slices.DeleteFunc(slices.Clone(o.Policy.AllowDev), func(origin string) bool { // without this process
		u, err := url.Parse(origin)
		return err == nil && o.Network.Local[u.Hostname()] != nil
	})
	if list := strings.Join(dev, ", "); list != "" {
		choice(ruleDev, "Policy.AllowDev", list, "servers under development may be asked over http or on this machine: "+list)
	}
	switch {
	case o.Policy.UnsafeProxy != nil:
		choice(ruleUnsafeProxy, "Policy.UnsafeProxy", o.Policy.UnsafeProxy.String(),
			"a proxy decides which addresses are contacted; it must keep requests out of private networks itself")
	case o.Network.UnsafeDial != nil:
		choice(ruleUnsafeDial, "UnsafeDial", "a function of the caller",
			"a dialer of the caller decides which addresses are contacted; it must keep requests out of private networks itself")
	}
	return list
}
