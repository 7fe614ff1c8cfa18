package tdmrep

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule { return []parse.Rule{ruleReservation, ruleTruncated} }

// The rules of the format.
var (
	ruleReservation = parse.Rule{Code: "reservation", Severity: wayfind.SeverityWarning,
		Means: "The reservation of a rule is neither 0 nor 1. The rule says nothing.",
		Mend:  "Write `\"tdm-reservation\": 1` to reserve the rights, and `0` not to."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning,
		Means: "There are too many rules. The rest was not read.",
		Mend:  "Use patterns with `*`, so that fewer rules are needed."}
)
