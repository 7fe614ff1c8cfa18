package call

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/site/effect"
)

// facts are the inputs of the effect and the decision. A statement of the site alone never
// makes a call pass without a question, unless its definition is trusted.
type facts struct {
	does       effect.Effect
	suspicious bool
	otherSite  bool
	pinChanged bool
	robots     bool // disallowed, and the Client enforces robots.txt
	credential bool // goes to an origin for the first time
	guessed    bool
	lost       bool // the last try may have done its work
	asksSecret bool
	trusted    bool // the definition is pinned, or the operator trusts its server
}

// minConfidence is the minimum confidence in the reading of a parameter.
const minConfidence = 0.8

// judgement is derived from the facts of a call. It determines whether a person is asked,
// whether a request may be repeated and what a lost answer means.
type judgement struct {
	effect   Effect
	decision Decision
	reasons  []Reason
	// next is the decision for the same call when its credentials are no longer new.
	next Decision
}

// cautioned is the reason for which a caution makes a person be asked.
func cautioned(c effect.Caution) Reason {
	switch c {
	case effect.Destroys, effect.Deletes, effect.MayDestroy:
		return ReasonDestructive
	case effect.Irreversible:
		return ReasonIrreversible
	case effect.Repeats:
		return ReasonRepeats
	case effect.Confirmation:
		return ReasonConfirmation
	case effect.Price:
		return ReasonPrice
	}
	return ReasonSensitive
}

// judge derives the effect of a call, and who must agree to it, from the facts. This table is
// the only place for that rule.
func judge(f facts) judgement {
	j := judgement{effect: f.plainEffect()}
	if f.lost {
		j.effect, j.reasons = Once, append(j.reasons, ReasonLost)
	}
	for _, c := range f.does.Cautions {
		if c == effect.MayDestroy && f.trusted {
			continue
		}
		if c.Once() {
			j.effect = Once
		}
		if why := cautioned(c); !slices.Contains(j.reasons, why) {
			j.reasons = append(j.reasons, why)
		}
	}
	for _, row := range [...]struct {
		is     bool
		reason Reason
	}{
		{f.suspicious, ReasonSuspicious},
		{f.otherSite, ReasonOtherSite},
		{f.pinChanged, ReasonPinChanged},
		{f.robots, ReasonRobots},
		{f.credential, ReasonNewCredential},
		{f.guessed, ReasonGuessed},
		{f.asksSecret, ReasonAsksSecret},
	} {
		if row.is {
			j.reasons = append(j.reasons, row.reason)
		}
	}
	var why Reason
	each := slices.Clone(j.reasons)
	if j.decision, why = f.plainly(); !why.IsZero() {
		j.reasons = append(j.reasons, why)
	}
	if j.next = j.decision; len(each) > 0 {
		j.decision = AskEach
	}
	if slices.ContainsFunc(each, func(r Reason) bool { return r != ReasonNewCredential }) {
		j.next = AskEach
	}
	return j
}

// plainEffect returns the effect without the facts that add caution.
func (f *facts) plainEffect() Effect {
	if f.does.Reads || f.does.SaysReads && f.trusted {
		return Reads
	}
	return Changes
}

// plainly returns the decision without the facts that add caution, and its reason.
func (f *facts) plainly() (Decision, Reason) {
	switch {
	case f.plainEffect() == Reads:
		return Run, Reason{}
	case f.does.SaysReads:
		return AskOnce, ReasonSaysReadOnly
	case f.does.Described:
		return AskSession, ReasonChanges
	}
	return AskSession, ReasonUnknown
}
