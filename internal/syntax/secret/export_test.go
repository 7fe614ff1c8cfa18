package secret

// Rule explains a rule of Find.
type Rule struct {
	// Name is as in Match.Rule.
	Name string
	// Source is the publisher of the shape.
	Source string
}

// Rules returns the rules, the most specific first.
func Rules() []Rule {
	var list []Rule
	for _, r := range secretShapes() {
		list = append(list, Rule{r.name, r.source})
	}
	return append(list,
		Rule{rulePassword, "a value under a name such as password"},
		Rule{ruleSession, "a value under the name of a session: cookies (RFC 6265 §4.2), session identifiers"},
		Rule{ruleParameter, "a value under the name of a secret in the query or fragment of a URL (RFC 6750 §2.3, RFC 9700 §4.3.2)"},
		Rule{ruleNamed, "a value without order under a name such as api_key, token or secret"},
	)
}
