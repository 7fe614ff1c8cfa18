package verdict

import (
	"errors"

	"github.com/wayfindhq/wayfind"
)

// These are the exit statuses of the command. 2 means wrong usage. If there are several
// domains, the exit status is the highest of theirs.
const (
	ExitFound   = 0
	ExitNothing = 1
	ExitUnasked = 3
	ExitRefused = 4
	// ExitIncomplete means that a part of the places gave no answer: see wayfind.Incomplete.
	ExitIncomplete = 5
)

// Kind is a kind of error that summarises verdicts.
type Kind struct {
	Err  error
	Name string
	Exit int
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

// Exit returns the exit status for the kind of an error.
func Exit(err error) int {
	for _, k := range kinds {
		if errors.Is(err, k.Err) {
			return k.Exit
		}
	}
	return ExitNothing
}
