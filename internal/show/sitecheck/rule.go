package sitecheck

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Rule is a line of the table.
type Rule struct {
	// ID is stable, and the name of the format for a rule about one.
	ID string
	// Group that the rule is listed with.
	Group string
	// Title names the standard or the behaviour.
	Title string
	// Asks are the places that the rule looks at, and Passes is the condition.
	Asks, Passes string
	// Gain of an agent if the rule passes, and Mend for the publisher if it does not.
	Gain, Mend string
	// Spec is the specification.
	Spec wayfind.SpecRef
	// Scanners says how public scanners judge, and why this rule judges otherwise. Empty:
	// they ask the same, or do not ask.
	Scanners string

	full   bool // it needs requests that discovery does not make
	server bool // it is about the behaviour of a server
	judge  func(*facts) finding
	copy   func(*facts) *Document // nil: there is no document to copy
}

// The groups, in their order.
const (
	groupReach    = "The server"
	groupFind     = "Found by agents"
	groupDescribe = "Descriptions"
	groupWishes   = "Wishes about agents"
	groupAccess   = "Access"
	groupPay      = "Shops and payment"
	groupResult   = "The result"
)

// Rules returns the table. Rules about the result come last, because they look at the
// others.
func Rules() []Rule {
	return slices.Concat(serverRules(), findRules(), describeRules(), wishRules(), accessRules(), payRules(), resultRules())
}

// finding is the result of a rule.
type finding struct {
	status Status
	// why is a sentence for people. Foreign text in it is quoted.
	why    string
	places []string
	// mend takes the place of the rule's, where the set-up of the site is known.
	mend   string
	faults []Fault
	// document: it is a fault of a document, which other clients stumble over too.
	document bool
	// unserved: only a server could answer, and files have none yet.
	unserved bool
}

func passes(why string, places ...string) finding {
	return finding{status: Pass, why: why, places: places}
}

func fails(why string, places ...string) finding {
	return finding{status: Fail, why: why, places: places}
}

func absent(why string) finding       { return finding{status: Absent, why: why} }
func inapplicable(why string) finding { return finding{status: Inapplicable, why: why} }
func unasked(why string) finding      { return finding{status: Unasked, why: why} }

// never is the judgement of a rule that this program cannot ask about.
func never(why string) func(*facts) finding {
	return func(*facts) finding { return unasked(why) }
}

// specOf is the specification of a format among the formats that this module reads.
func specOf(list []*parse.Format, name string) wayfind.SpecRef {
	i := slices.IndexFunc(list, func(f *parse.Format) bool { return f.Name == name })
	if i < 0 {
		return wayfind.SpecRef{}
	}
	return list[i].Spec
}

func rfc(number, section string) wayfind.SpecRef {
	return wayfind.SpecRef{Title: "RFC " + number, URL: "https://www.rfc-editor.org/rfc/rfc" + number, Section: section}
}

// Full reports whether the rule needs requests that discovery does not make.
func (r *Rule) Full() bool { return r.full }
