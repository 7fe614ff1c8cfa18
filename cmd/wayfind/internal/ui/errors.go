package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// usage is a mistake of the caller.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// Usage marks an error as a mistake of the caller.
func Usage(err error) error { return usage{err} }

// Usagef returns an error that is a mistake of the caller.
func Usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// ExitStatus returns ExitUsage for a mistake of the caller, otherwise the outcome for the kind of
// the error.
func ExitStatus(err error) Outcome {
	var u usage
	var e *wayfind.Error
	switch {
	case err == nil:
		return ExitFound
	case errors.As(err, &u):
		return ExitUsage
	case errors.As(err, &e) && e.Code == wayfind.CodePanic:
		return ExitFault
	}
	status := verdict.Exit(err)
	if status == ExitNothing && errors.As(err, &e) && errors.Is(e.Kind, wayfind.ErrInvalid) &&
		(e.Op == "target" || e.Op == "options" || e.Code == wayfind.CodeUnknownKey) {
		return ExitUsage
	}
	return status
}

// hinted is an error with a hint for a person.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint adds a hint for a person to an error.
func Hint(err error, hint string) error { return hinted{err, hint} }

// HasHint reports whether an error has a hint.
func HasHint(err error) bool {
	_, ok := errors.AsType[hinted](err)
	return ok
}

// Sentence puts an error into words for a person.
func Sentence(err error) string {
	if h, ok := errors.AsType[hinted](err); ok {
		return Sentence(h.error) + h.hint
	}
	var e *wayfind.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return plainCause(err)
		}
		return err.Error()
	}
	if e.Op != "target" {
		return once(failureOf(err, e), e)
	}
	why := string(e.Code)
	if e.Err != nil {
		why = e.Err.Error()
	}
	what := "this target"
	if e.URL != "" {
		what = `"` + e.URL + `"`
	}
	_, notDev := security.ParseDev(e.URL)
	if wrong, ok := errors.AsType[*wayfind.Error](notDev); ok && e.Code == wayfind.CodeScheme && strings.HasPrefix(e.URL, "http://") {
		why = wrong.Err.Error() // --dev does not help, because the URL is wrong in another way
	}
	if e.Code == wayfind.CodeHostSingleLabel && notDev == nil {
		why += ", and is this machine: for a server under development there, add --dev"
	}
	text := what + " cannot be asked: " + why + "; name a public domain such as example.com"
	if e.Code == wayfind.CodeHostSingleLabel {
		text += ", or see \"wayfind --help\" for the commands"
	} else if host, _, several := strings.Cut(e.URL, ","); several && strings.Contains(host, ".") {
		text += "; write a blank between several domains"
	} else if notDev == nil {
		text += "; for a server under development that you name, add --dev"
	}
	return text
}

// once returns the text of an error without the repetitions of its class by its causes.
func once(text string, e *wayfind.Error) string {
	if e.Kind == nil || e.Code == "" {
		return text
	}
	class := fmt.Sprintf(": %s (%s)", e.Kind, e.Code)
	before, after, _ := strings.Cut(text, class)
	if after == "" {
		return text
	}
	return before + class + strings.ReplaceAll(after, class, "")
}
