package call

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/callresult"
	"github.com/wayfindhq/wayfind/internal/text"
)

// Code says why a call was not made or did not succeed. The list is closed. The zero
// Code is for a call that succeeded.
type Code struct{ row *codeRow }

// codeRow holds all facts about a Code.
type codeRow struct {
	name string
	// kind of error, nil if no kind of package wayfind says it.
	kind error
	// again: calling again helps, with other arguments or later.
	again bool
	// unanswered: no answer came. That alone says nothing about the work.
	unanswered bool
	// model and person are its sentences for each.
	model, person string
}

// made is the row of a call that succeeded.
var made = codeRow{model: "The call was made.", person: "The call was made."}

// The codes.
var (
	// InvalidArguments: the arguments do not match, or cannot be sent.
	InvalidArguments = Code{&codeRow{name: "invalid_arguments", kind: wayfind.ErrInvalid, again: true,
		model:  "The arguments are not those of the tool; correct them and call again.",
		person: "The arguments do not fit the tool."}}
	// ConfirmationRequired: a person must agree, and could not be asked.
	ConfirmationRequired = Code{&codeRow{name: "confirmation_required", kind: wayfind.ErrRefused,
		model:  "A person must agree to this call first; do not call again before that.",
		person: "A person must agree to this call before it is sent."}}
	// Denied: the person who was asked said no.
	Denied = Code{&codeRow{name: "denied", kind: wayfind.ErrRefused,
		model:  "A person has refused this call; do not make it.",
		person: "The person who was asked said no."}}
	// CredentialMissing: no credential that the call needs.
	CredentialMissing = Code{&codeRow{name: "credential_missing", kind: wayfind.ErrRefused,
		model:  "The call needs a credential that is not there; only the user can provide it.",
		person: "The call needs a credential that was not given."}}
	// CredentialRefused: a credential that the site, or a rule of ours, refuses.
	CredentialRefused = Code{&codeRow{name: "credential_refused", kind: wayfind.ErrRefused,
		model:  "The credential was refused; only the user can change that.",
		person: "The credential was refused."}}
	// CredentialTooLarge: a credential that is longer than MaxCredential.
	CredentialTooLarge = Code{&codeRow{name: "credential_too_large", kind: wayfind.ErrRefused,
		model:  "The credential is too large to be sent; only the user can change that.",
		person: "The credential is too large to be sent."}}
	// Unidentified: the service wants to know the caller, or refuses its profile: see
	// Options.AgentProfile.
	Unidentified = Code{&codeRow{name: "unidentified", kind: wayfind.ErrRefused,
		model:  "The service wants to know the profile of the caller; only the user can change that.",
		person: "The service wants to know the profile of the caller, or refuses the one it got."}}
	// NotFoundTool: no tool of this name.
	NotFoundTool = Code{&codeRow{name: "not_found_tool", kind: wayfind.ErrInvalid,
		model:  "There is no tool of this name; look for one that there is.",
		person: "There is no tool of this name."}}
	// Gone: the endpoint does not exist any more.
	Gone = Code{&codeRow{name: "gone", kind: wayfind.ErrNotFound,
		model:  "The endpoint of this tool does not exist any more; use another tool.",
		person: "The endpoint of this tool does not exist any more."}}
	// Throttled: not now.
	Throttled = Code{&codeRow{name: "throttled", kind: wayfind.ErrThrottled, again: true,
		model:  "The service wants fewer calls; call again after the time that is given.",
		person: "The service wants fewer calls."}}
	// Refused: our policy, or the site, refuses it.
	Refused = Code{&codeRow{name: "refused", kind: wayfind.ErrRefused,
		model:  "The call is not allowed; calling again will not change that.",
		person: "The call is not allowed."}}
	// Unreachable: no answer came. The call was not sent or only reads.
	Unreachable = Code{&codeRow{name: "unreachable", kind: wayfind.ErrUnreachable, again: true,
		unanswered: true,
		model:      "The service could not be reached; call again later.",
		person:     "The service could not be reached."}}
	// Timeout: no answer came in time. The call was not sent or only reads.
	Timeout = Code{&codeRow{name: "timeout", kind: wayfind.ErrUnreachable, again: true,
		unanswered: true,
		model:      "There was no answer in time; call again if it still matters.",
		person:     "No answer came in time."}}
	// TooLarge: an answer beyond the cap.
	TooLarge = Code{&codeRow{name: "too_large", again: true,
		model:  "The answer is too large; ask for less.",
		person: "The answer is too large."}}
	// OutcomeUnknown: it may have been done, or not.
	OutcomeUnknown = Code{&codeRow{name: "outcome_unknown",
		model:  "It is not known whether the call did its work; do not call again before you have found out.",
		person: "It is not known whether the call did its work."}}
	// UpstreamError: the site says that it failed.
	UpstreamError = Code{&codeRow{name: "upstream_error",
		model:  "The service reports a failure; calling again with the same arguments will hardly help.",
		person: "The service reports a failure."}}
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		InvalidArguments, ConfirmationRequired, Denied, CredentialMissing, CredentialRefused, CredentialTooLarge, Unidentified, NotFoundTool, Gone,
		Throttled, Refused, Unreachable, Timeout, TooLarge, OutcomeUnknown, UpstreamError,
	}
}

// codeFor is the code for an answer that failed. Both have the same name; a kind without a
// code is an UpstreamError.
func codeFor(kind callresult.Kind) Code {
	for _, c := range Codes() {
		if c.row.name == string(kind) {
			return c
		}
	}
	return UpstreamError
}

func (c Code) is() *codeRow {
	if c.row == nil {
		return &made
	}
	return c.row
}

// String returns the name of the code, which is stable; "" for the zero Code.
func (c Code) String() string { return c.is().name }

// IsZero reports whether there is no code: the call was made.
func (c Code) IsZero() bool { return c.row == nil }

// MarshalText returns the name of the code.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a code. An empty name is the zero Code.
func (c *Code) UnmarshalText(name []byte) (err error) {
	*c, err = text.OptionalWord("code of a call", Codes(), name)
	return err
}

// Sentence explains the code to a model, in one sentence without foreign text.
func (c Code) Sentence() string { return c.is().model }

// Text explains the code to a person, in one sentence without foreign text.
func (c Code) Text() string { return c.is().person }

// Again reports whether calling again helps, with other arguments or later.
func (c Code) Again() bool { return c.is().again }

// Kind is the kind of error of package wayfind that the code is of, such as
// wayfind.ErrRefused. It is nil if none says it: for a failure of the service, and for an
// outcome that is not known.
func (c Code) Kind() error { return c.is().kind }

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
	line := fmt.Sprintf("call %+.64q: %s", e.Tool, e.Code)
	if e.Detail != "" {
		line += ": " + e.Detail
	}
	if e.Err != nil {
		line += ": " + e.Err.Error()
	}
	return line
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
