package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The facts.
var (
	// NotOperational: the service states that it does not work at present.
	NotOperational = Fact{&row{name: "not_operational", label: "status", about: AboutService, own: true,
		// A document of ACP that is not available is read as no document.
		by:       []string{"awp agent_status.operational", "a2a available", "mcp available"},
		sentence: "The site states that the service is not operational.",
		of: func(s Subject) []string {
			return when(s.Service.Status != nil && denied(s.Service.Status.Operational), "not operational, as the site states")
		},
		without: because(noSkip(), publisher())}}
	// Unlinked: no document of the site links to the description of the service.
	Unlinked = Fact{&row{name: "unlinked", label: "offered", about: AboutService, own: true,
		by:       []string{"openapi at a place of convention"},
		sentence: "No document of the site links to the description of this service, so its owner has not offered it to agents.",
		of: func(s Subject) []string {
			return when(s.Service.Unlinked, "not to agents: no document of the site links to its description")
		},
		without: because(noSkip(), publisher(), noFailure())}}
	// Degraded: the action does not fully work at present.
	Degraded = Fact{&row{name: "degraded", label: "status", about: AboutCapability, own: true,
		by:       []string{"awp agent_status.degraded_actions"},
		sentence: "The site states that this action is degraded.",
		of: func(s Subject) []string {
			return when(s.isDegraded(), "degraded, as the site states")
		},
		without: because(noSkip(), publisher(), oneAction())}}
	// Deprecated: the publisher advises against the use.
	Deprecated = Fact{&row{name: "deprecated", label: "deprecated", about: AboutCapability, own: true,
		by:       []string{"openapi deprecated", "openrpc deprecated"},
		sentence: "The site states that it is deprecated.",
		of:       func(s Subject) []string { return when(s.Capability.Deprecated, "yes, as the site states") },
		without:  because(noSkip(), publisher(), oneAction(), noFailure())}}
	// Prerequisites: other capabilities must run first.
	Prerequisites = Fact{&row{name: "prerequisites", label: "needs first", about: AboutCapability,
		by:       []string{"awp dependencies", "ucp extends"},
		sentence: "The site wants %s to run first.",
		of:       func(s Subject) []string { return s.Capability.DependsOn },
		without:  because(noSkip(), publisher(), oneAction())}}
	// Restrictions: what agents must not do.
	Restrictions = Fact{&row{name: "restrictions", label: "cannot", about: AboutService,
		by:       []string{"agentsmd Cannot"},
		sentence: "The site restricts agents: %s.",
		of:       func(s Subject) []string { return s.Service.Restrictions },
		without:  because(noSkip(), publisher(), noFailure(), allTools())}}
	// Hints: advice for plans, which is never a hard rule.
	Hints = Fact{&row{name: "hints", label: "hint", about: AboutService,
		by:       []string{"awp agent_hints"},
		sentence: "The site advises agents: %s.",
		of:       func(s Subject) []string { return members(s.Service.Hints) },
		without:  because(noSkip(), publisher(), noFailure(), allTools(), noDecision())}}
	// Recovery: what helps after a failure.
	Recovery = Fact{&row{name: "recovery", label: "recovery", about: AboutService,
		by:       []string{"awp errors"},
		sentence: "After a failure, the site advises: %s.",
		of: func(s Subject) (list []string) {
			for _, code := range slices.Sorted(maps.Keys(s.Service.Recovery)) {
				list = append(list, code+": "+s.Service.Recovery[code])
			}
			return list
		},
		without: because(noSkip(), publisher(), noDecision(), reasons{
			Definition: "it helps after a failure only, and then the result has it",
			Note:       "it helps after a failure only, and then the result has it"})}}
	// ShorterAnswers: ways to get shorter answers.
	ShorterAnswers = Fact{&row{name: "shorter_answers", label: "shorter answers", about: AboutService, own: true,
		by: []string{"aidiscovery token_hints"},
		of: func(s Subject) (list []string) {
			if h := s.Service.TokenHints; h != nil {
				list = slices.Concat(when(said(h.CompactMode), "compact mode"), when(said(h.FieldFiltering), "a choice of fields"), when(said(h.DeltaSupport), "changes since a time"))
			}
			return list
		},
		without: because(noSkip(), publisher(), noFailure(), noDecision(), reasons{
			Definition: "an argument is offered where a document declares it; a hint alone names no place for it",
			Note:       "an argument is offered where a document declares it; a hint alone names no place for it",
			Bridge:     "an argument is offered where a document declares it; a hint alone names no place for it"})}}
	// Price: what a call costs.
	Price = Fact{&row{name: "price", label: "price", about: AboutCapability, apart: true,
		by:       []string{"openapi x-payment-info"},
		sentence: "Price, as the site states: %s.",
		of: func(s Subject) []string {
			list, seen := when(s.Capability.Price != "", s.Capability.Price), map[string]bool{s.Capability.Price: true}
			for i := range s.Capability.Offers {
				if words := s.Capability.Offers[i].String(); !seen[words] {
					list, seen[words] = append(list, words), true
				}
			}
			return list
		},
		without: because(noSkip(), publisher(), oneAction(), noFailure(), noRoom())}}
	// Irreversible: a call cannot be undone.
	Irreversible = Fact{&row{name: "irreversible", label: "effects", about: AboutCapability, own: true, apart: true,
		by:       []string{"awp reversible", "awp sensitivity"},
		sentence: "The site states that it cannot be undone.",
		of: func(s Subject) []string {
			return when(s.Capability.Effects != nil && denied(Reversible(s.Capability.Effects)), "cannot be undone")
		},
		without: because(noSkip(), publisher(), oneAction(), noFailure(), noRoom())}}
	// Confirmation: a person must agree to each call.
	Confirmation = Fact{&row{name: "confirmation", label: "effects", about: AboutCapability, own: true, apart: true,
		by:       []string{"awp requires_human_confirmation", "agentsmd (requires confirmation)", "openapi x-openai-isConsequential"},
		sentence: "The site wants a person to agree to each call.",
		of: func(s Subject) []string {
			e := s.Capability.Effects
			return when(e != nil && said(e.NeedsConfirmation), "needs confirmation")
		},
		without: because(noSkip(), publisher(), oneAction(), noFailure(), noRoom())}}
	// Destroys: a call destroys something.
	Destroys = Fact{&row{name: "destroys", label: "effects", about: AboutCapability, own: true, apart: true,
		by:       []string{"awp sensitivity: destructive", "mcp destructiveHint"},
		sentence: "The site states that it destroys something.",
		of: func(s Subject) []string {
			return when(s.Capability.Effects != nil && StatesDestroys(s.Capability.Effects), "destroys something")
		},
		without: because(noSkip(), publisher(), oneAction(), noFailure(), noRoom())}}
	// Pricing: what a service costs.
	Pricing = Fact{&row{name: "pricing", label: "pricing", about: AboutService,
		by:       []string{"adp pricing", "a2a pricing"},
		sentence: "The site states what its service costs: %s.",
		of: func(s Subject) []string {
			words := PricingOf(s.Service.Pricing)
			return when(words != "", words)
		},
		without: because(noSkip(), publisher(), noFailure(), allTools(), reasons{
			Question: "it is about plans; the price of the call is another fact"})}}
	// Robots: robots.txt asks crawlers to keep out.
	Robots = Fact{&row{name: "robots", label: "robots.txt", about: AboutCapability, own: true, apart: true,
		by: []string{"robots Disallow"},
		of: func(s Subject) []string { return when(s.Capability.RobotsDisallowed, "not for crawlers") },
		without: because(noSkip(), publisher(), oneAction(), noFailure(), reasons{
			Definition: "a call is no crawling", Bridge: "a call is no crawling",
			Question: "a call is no crawling; under RobotsEnforce it is a reason of the question"})}}
	// Rate: how often agents may call.
	Rate = Fact{&row{name: "rate", label: "limits", about: AboutCapability,
		by:      []string{"awp rate_limit", "adp rate_limits"},
		of:      func(s Subject) []string { return rates(s.Capability.Limits) },
		without: because(noSkip(), publisher(), oneAction(), noRoom(), kept())}}
	// ServiceRate: the same, for all calls of a service.
	ServiceRate = Fact{&row{name: "service_rate", label: "limits", about: AboutService,
		by:      []string{"aidiscovery rate_limits"},
		of:      func(s Subject) []string { return rates(s.Service.Limits) },
		without: because(noSkip(), publisher(), kept(), reasons{Note: "calls keep it by themselves"})}}
	// Behaviour: how agents should behave.
	Behaviour = Fact{&row{name: "behaviour", label: "behaviour", about: AboutSite,
		by:       []string{"agentsmd Behavior"},
		sentence: "The site asks agents: %s.",
		of: func(s Subject) (list []string) {
			for i := range s.Site.Policies {
				if p := &s.Site.Policies[i]; p.Text != "" && p.Values == nil && p.Kind != "robots" && p.Kind != "cannot" {
					list = append(list, p.Text)
				}
			}
			return list
		},
		without: because(noSkip(), publisher(), noFailure(), allTools(), noDecision(), reasons{
			Describe: "it is about the site; resolve shows it"})}}
)

// All returns all facts. The state at present is first, and then words of caution that are always
// short: where there is little room, the others are left out before them.
func All() []Fact {
	return []Fact{NotOperational, Unlinked, Degraded, Deprecated, Irreversible, Destroys, Confirmation, Prerequisites, Price, Restrictions, Behaviour, Pricing, Hints, Recovery, Rate, ServiceRate, Robots, ShorterAnswers}
}

// reasons are the reasons why surfaces do not show a fact.
type reasons map[Surface]string

// because joins reasons.
func because(lists ...reasons) reasons {
	all := make(reasons)
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all
}

// Reasons that several facts have.
func noSkip() reasons {
	return reasons{Skipped: "it keeps no tool away: no format can state that nothing can be called"}
}

func publisher() reasons {
	return reasons{Lint: "its reader wrote it, and it is no fault", Check: "its reader wrote it, and it is no fault"}
}

func oneAction() reasons {
	return reasons{Note: "it is about one action, and the definition has it"}
}

func noFailure() reasons {
	return reasons{Result: "a failure has no other meaning because of it"}
}

func noDecision() reasons {
	return reasons{Question: "it is advice for plans, on which a person decides nothing"}
}

func allTools() reasons {
	return reasons{Definition: "it is about all tools of the site, and the note has it once"}
}

func noRoom() reasons { return reasons{Table: "a line of the table has no room; describe shows it"} }

func kept() reasons {
	return reasons{Definition: "calls keep it by themselves", Bridge: "calls keep it by themselves", Question: "calls keep it by themselves",
		Result: "a call without a turn fails with the time of the next one"}
}

// rates returns limits in words.
func rates(limits []wayfind.Limit) (list []string) {
	for _, l := range limits {
		if words := RateOf(l); words != "" {
			list = append(list, words)
		}
	}
	return list
}

// RateOf returns a limit in words: those of the publisher, or a number for each period.
func RateOf(l wayfind.Limit) string {
	switch {
	case l.Text != "":
		return l.Text
	case l.Per <= 0:
		return ""
	}
	per, ok := map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour", 24 * time.Hour: "day"}[l.Per]
	if !ok {
		per = l.Per.String()
	}
	return fmt.Sprintf("%d per %s", l.N, per)
}

// Reversible returns whether a call can be undone: a sensitivity may state it, too.
func Reversible(e *wayfind.Effects) *bool {
	if e.Sensitivity == "irreversible" {
		return new(false)
	}
	return e.Reversible
}

// StatesDestroys reports whether the publisher states that a call destroys something. A default
// of the format is no statement.
func StatesDestroys(e *wayfind.Effects) bool {
	return said(e.Destructive) && !slices.Contains(e.Defaulted, "destructive") || e.Sensitivity == "destructive"
}

// PricingOf returns what a service costs, in the words of its publisher.
func PricingOf(p *wayfind.Pricing) string {
	if p == nil {
		return ""
	}
	parts := []string{p.Model}
	for _, plan := range p.Plans {
		parts = append(parts, strings.Join(strings.Fields(plan.Name+" "+plan.Price+" "+plan.Limits), " "))
	}
	parts = append(parts, p.URL)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

func said(word *bool) bool   { return word != nil && *word }
func denied(word *bool) bool { return word != nil && !*word }

// when returns a statement, if it is made.
func when(is bool, words string) []string {
	if !is {
		return nil
	}
	return []string{words}
}

// members returns the members of an object, each on one line.
func members(raw []byte) (list []string) {
	doc, err := jsonscan.Scan(raw)
	if err != nil {
		return nil
	}
	for name, value := range doc.Root().Members() {
		words, isText := value.Str()
		if !isText {
			words = string(value.Raw())
		}
		list = append(list, strings.TrimSpace(name+": "+words))
	}
	return list
}
