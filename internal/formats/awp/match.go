package awp

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match recognises documents of the protocol. It also recognises documents of two
// other specifications at the same paths, if it is certain. It examines only the names
// of members, because a document with faults still belongs to the protocol and its
// faults must be reported.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Claim{}
	}
	switch {
	case root.Get("awp_version").Exists() && root.Has("domain", "intent", "actions", "protocols"):
		return parse.Claim{Level: parse.Exact}
	case isEarly(root):
		return parse.Claim{Level: parse.Exact, Dialect: DialectEarly}
	case isPayoutManifest(root):
		return parse.Claim{Other: true, Dialect: "agent-json"}
	case isAgentCard(root):
		return parse.Claim{Other: true, Dialect: "a2a"}
	case isUnversioned(root):
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// isEarly recognises the earlier form.
func isEarly(root parse.Node) bool {
	protocol, _ := root.Get("protocol").Str()
	return strings.HasPrefix(strings.ToLower(protocol), "awp/") && earlyActions(root).Exists()
}

// isUnversioned recognises a document that only lacks its version. It has the three
// other required members (§5), of which domain and intent are common words.
func isUnversioned(root parse.Node) bool {
	return root.Get("domain").Kind() == parse.String && root.Get("intent").Kind() == parse.String &&
		root.Get("actions").Kind() == parse.Array
}

// isPayoutManifest recognises "agent.json" 1.0 to 1.4, a specification of its own,
// with the required members version, origin and payout_address.
func isPayoutManifest(root parse.Node) bool {
	version, _ := root.Get("version").Str()
	return len(version) > 2 && strings.HasPrefix(version, "1.") && version[2] >= '0' && version[2] <= '9' &&
		root.Get("origin").Kind() == parse.String && root.Get("payout_address").Kind() == parse.String
}

// isAgentCard recognises an A2A agent card, which is at [WellKnown] in versions before
// 0.3. It has a name, skills, an address, and one more member of A2A.
func isAgentCard(root parse.Node) bool {
	return root.Get("name").Kind() == parse.String && root.Get("skills").Kind() == parse.Array &&
		(root.Get("url").Kind() == parse.String || root.Get("supportedInterfaces").Kind() == parse.Array) &&
		root.Has("capabilities", "defaultInputModes", "defaultOutputModes", "protocolVersion", "supportedInterfaces")
}
