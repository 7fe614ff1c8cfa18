package call

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Code says why a call was not made or did not succeed. The list is closed. A call that
// succeeded has none.
type Code string

// The codes.
const (
	InvalidArguments     Code = "invalid_arguments"     // the arguments do not match, or cannot be sent
	ConfirmationRequired Code = "confirmation_required" // a person must agree, and could not be asked
	Denied               Code = "denied"                // the person who was asked said no
	CredentialMissing    Code = "credential_missing"    // no credential that the call needs
	CredentialRefused    Code = "credential_refused"    // a credential that the site, or a rule of ours, refuses
	NotFoundTool         Code = "not_found_tool"        // no tool of this name
	Gone                 Code = "gone"                  // the endpoint does not exist any more
	Throttled            Code = "throttled"             // not now
	Refused              Code = "refused"               // our policy, or the site, refuses it
	Unreachable          Code = "unreachable"           // the site could not be reached
	Timeout              Code = "timeout"               // no answer in time, and nothing was done
	TooLarge             Code = "too_large"             // an answer beyond the cap
	OutcomeUnknown       Code = "outcome_unknown"       // it may have been done, or not
	UpstreamError        Code = "upstream_error"        // the site says that it failed
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		InvalidArguments, ConfirmationRequired, Denied, CredentialMissing, CredentialRefused, NotFoundTool, Gone,
		Throttled, Refused, Unreachable, Timeout, TooLarge, OutcomeUnknown, UpstreamError,
	}
}

// Sentence explains the code to a model, in one sentence without foreign text.
func (c Code) Sentence() string {
	switch c {
	case "":
		return "The call was made."
	case InvalidArguments:
		return "The arguments are not those of the tool; correct them and call again."
	case ConfirmationRequired:
		return "A person must agree to this call first; do not call again before that."
	case Denied:
		return "A person has refused this call; do not make it."
	case CredentialMissing:
		return "The call needs a credential that is not there; only the user can provide it."
	case CredentialRefused:
		return "The credential was refused; only the user can change that."
	case NotFoundTool:
		return "There is no tool of this name; look for one that there is."
	case Gone:
		return "The endpoint of this tool does not exist any more; use another tool."
	case Throttled:
		return "The service wants fewer calls; call again after the time that is given."
	case Refused:
		return "The call is not allowed; calling again will not change that."
	case Unreachable:
		return "The service could not be reached and nothing was done; call again later."
	case Timeout:
		return "There was no answer in time and nothing was changed; call again if it still matters."
	case TooLarge:
		return "The answer is too large; ask for less."
	case OutcomeUnknown:
		return "It is not known whether the call did its work; do not call again before you have found out."
	}
	return "The service reports a failure; calling again with the same arguments will hardly help."
}

// Again reports whether calling again helps, with other arguments or later.
func (c Code) Again() bool {
	switch c {
	case InvalidArguments, Throttled, Unreachable, Timeout, TooLarge:
		return true
	}
	return false
}

// Error is why a call was not made, or did not succeed.
type Error struct {
	Code Code
	// Tool is the name that was called.
	Tool string
	// Detail is a short explanation for the model, without foreign text. It may be
	// empty.
	Detail string
	// Err is the cause. It is for programs: it may hold foreign text.
	Err error

	// For the Result beside the error.
	question  *Question
	ticket    string
	notBefore time.Time
	problem   *wayfind.Problem
	arguments bool // other arguments may help
}

// Error names the tool, the code and the cause.
func (e *Error) Error() string {
	text := fmt.Sprintf("call %+.64q: %s", e.Tool, e.Code)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// fail is an error with a code.
func fail(code Code, err error, detail string) *Error {
	return &Error{Code: code, Detail: detail, Err: err}
}

// refusalOf is the error of a request of which no byte was sent, or that cannot have
// changed anything.
func refusalOf(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e, _ := errors.AsType[*wayfind.Error](err)
	switch {
	case ctx.Err() != nil, e != nil && e.Code == wayfind.CodeTimeout, errors.Is(err, context.DeadlineExceeded):
		return fail(Timeout, err, "")
	case errors.Is(err, wayfind.ErrThrottled):
		detail := ""
		if e != nil && !e.NotBefore.IsZero() {
			detail = "not before " + e.NotBefore.UTC().Format("2006-01-02T15:04:05Z")
		}
		return fail(Throttled, err, detail)
	case errors.Is(err, wayfind.ErrRefused), errors.Is(err, wayfind.ErrInvalid), errors.Is(err, wayfind.ErrClosed):
		return fail(Refused, err, "")
	}
	return fail(Unreachable, err, "")
}
