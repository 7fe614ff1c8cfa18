package verdict

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Outcome says how a run of the command ended. Its number is the exit status. Of several domains or
// results the highest number counts.
type Outcome int

// All outcomes.
const (
	ExitFound   Outcome = 0
	ExitNothing Outcome = 1
	ExitUsage   Outcome = 2
	ExitUnasked Outcome = 3
	ExitRefused Outcome = 4
	// ExitIncomplete means that a part of the places gave no answer: see wayfind.Incomplete.
	ExitIncomplete Outcome = 5
	// ExitFault follows a fault of wayfind itself (EX_SOFTWARE of sysexits.h).
	ExitFault Outcome = 70
	// ExitInterrupted follows Ctrl-C. Shells expect this value.
	ExitInterrupted Outcome = 130
)

// means describes each outcome in the help of a verb.
var means = [...]struct {
	Outcome
	text string
}{
	{ExitFound, "found or done"},
	{ExitNothing, "nothing found or not usable"},
	{ExitUsage, "wrong usage"},
	{ExitUnasked, "could not be asked"},
	{ExitRefused, "refused by policy"},
	{ExitIncomplete, "incomplete (places of the domain gave no answer)"},
	{ExitFault, "a fault of wayfind"},
	{ExitInterrupted, "interrupted"},
}

// Outcomes describes all outcomes: "0 found or done, 1 nothing found or not usable, …".
func Outcomes() string {
	var list []string
	for _, m := range means {
		list = append(list, fmt.Sprintf("%d %s", m.Outcome, m.text))
	}
	return strings.Join(list, ", ")
}

// Kind is a kind of error that summarises verdicts.
type Kind struct {
	Err  error
	Name string
	Exit Outcome
}

// kinds are in the order of precedence if nothing was found: the kind that hides most comes
// first.
var kinds = [...]Kind{
	{wayfind.ErrRefused, "ErrRefused", ExitRefused},
	{wayfind.ErrThrottled, "ErrThrottled", ExitUnasked},
	{wayfind.ErrBlocked, "ErrBlocked", ExitUnasked},
	{wayfind.ErrUnreachable, "ErrUnreachable", ExitUnasked},
	{wayfind.ErrInvalid, "ErrInvalid", ExitNothing},
	{wayfind.ErrNotFound, "ErrNotFound", ExitNothing},
}

// Kinds returns the kinds that summarise verdicts, in the order of precedence if nothing was
// found.
func Kinds() []Kind { return append([]Kind(nil), kinds[:]...) }

// Rank returns the index of a verdict's kind in [Kinds], or their number if the verdict has no
// kind.
func Rank(v wayfind.Verdict) int {
	kind := v.Kind()
	for i := range kinds {
		if kinds[i].Err == kind {
			return i
		}
	}
	return len(kinds)
}

// Exit returns the outcome for the kind of an error.
func Exit(err error) Outcome {
	for _, k := range kinds {
		if errors.Is(err, k.Err) {
			return k.Exit
		}
	}
	return ExitNothing
}
