package verdict

import (
	"errors"

	"github.com/wayfindhq/wayfind"
)

// The command's exit statuses by result. 2 is for wrong usage; of several
// domains the highest counts.
const (
	ExitFound   = 0
	ExitNothing = 1
	ExitUnasked = 3
	ExitRefused = 4
)

// Kind is a kind of error that stands for verdicts.
type Kind struct {
	Err  error
	Name string
	Exit int
}

// kinds in the order of precedence when nothing was found: the kind that hides
// most comes first.
var kinds = [...]Kind{
	{wayfind.ErrRefused, "ErrRefused", ExitRefused},
	{wayfind.ErrThrottled, "ErrThrottled", ExitUnasked},
	{wayfind.ErrBlocked, "ErrBlocked", ExitUnasked},
	{wayfind.ErrUnreachable, "ErrUnreachable", ExitUnasked},
	{wayfind.ErrInvalid, "ErrInvalid", ExitNothing},
	{wayfind.ErrNotFound, "ErrNotFound", ExitNothing},
}

// Kinds returns the kinds that verdicts stand for, in the order of precedence
// when nothing was found.
func Kinds() []Kind { return append([]Kind(nil), kinds[:]...) }

// Rank is the place of a verdict's kind in [Kinds], their number for a verdict
// that says nothing.
func Rank(v wayfind.Verdict) int {
	kind := v.Kind()
	for i := range kinds {
		if kinds[i].Err == kind {
			return i
		}
	}
	return len(kinds)
}

// Exit is the exit status for the kind of an error.
func Exit(err error) int {
	for _, k := range kinds {
		if errors.Is(err, k.Err) {
			return k.Exit
		}
	}
	return ExitNothing
}
