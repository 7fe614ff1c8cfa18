package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Code is the reason why a call was not made or did not succeed. The list is closed. The zero
// Code means that the call succeeded.
type Code struct{ row *codeRow }

// codeRow holds all facts about a Code.
type codeRow struct {
	name string
	// kind is the matching kind of error in package wayfind; nil if there is no such kind.
	kind error
	// again is true if another call may help, with other arguments or later.
	again bool
	// unanswered is true if no answer arrived. The service may have done its work all the
	// same.
	unanswered bool
	// perhaps is true if it is not known whether the call did its work.
	perhaps bool
	// known is said to a model instead of model if the site says something about the failure.
	known string
	// model and person are the sentences that explain the code to a model and to a person.
	model, person string
}

// made is the row of a call that succeeded.
var made = codeRow{model: "The call was made.", person: "The call was made."}

// The codes.
var (
	// InvalidArguments: the arguments do not match the schema, or cannot be sent.
	InvalidArguments = Code{&codeRow{name: "invalid_arguments", kind: wayfind.ErrInvalid, again: true,
		model:  "The arguments are not those of the tool; correct them and call again.",
		person: "The arguments do not fit the tool."}}
	// ConfirmationRequired: a person must agree, and could not be asked.
	ConfirmationRequired = Code{&codeRow{name: "confirmation_required", kind: wayfind.ErrRefused,
		model:  "A person must agree to this call first; do not call again before that.",
		person: "A person must agree to this call before it is sent."}}
	// Denied: the person who was asked refused the call.
	Denied = Code{&codeRow{name: "denied", kind: wayfind.ErrRefused,
		model:  "A person has refused this call; do not make it.",
		person: "The person who was asked said no."}}
	// CredentialMissing: the caller has no credential that the call needs.
	CredentialMissing = Code{&codeRow{name: "credential_missing", kind: wayfind.ErrRefused,
		model:  "The call needs a credential that is not there; only the user can provide it.",
		person: "The call needs a credential that was not given."}}
	// CredentialRefused: the site, or a rule of this package, refuses the credential.
	CredentialRefused = Code{&codeRow{name: "credential_refused", kind: wayfind.ErrRefused,
		model:  "The credential was refused; only the user can change that.",
		person: "The credential was refused."}}
	// CredentialTooLarge: the credential is longer than 64 KiB.
	CredentialTooLarge = Code{&codeRow{name: "credential_too_large", kind: wayfind.ErrRefused,
		model:  "The credential is too large to be sent; only the user can change that.",
		person: "The credential is too large to be sent."}}
	// Unidentified: the service demands the profile of the caller, or refuses it. See
	// Options.AgentProfile.
	Unidentified = Code{&codeRow{name: "unidentified", kind: wayfind.ErrRefused,
		model:  "The service wants to know the profile of the caller; only the user can change that.",
		person: "The service wants to know the profile of the caller, or refuses the one it got."}}
	// NotFoundTool: there is no tool of this name.
	NotFoundTool = Code{&codeRow{name: "not_found_tool", kind: wayfind.ErrInvalid,
		model:  "There is no tool of this name; look for one that there is.",
		person: "There is no tool of this name."}}
	// Gone: the endpoint does not exist any more.
	Gone = Code{&codeRow{name: "gone", kind: wayfind.ErrNotFound,
		model:  "The endpoint of this tool does not exist any more; use another tool.",
		person: "The endpoint of this tool does not exist any more."}}
	// Throttled: the service, or a limit that it declares, allows no call at this time.
	Throttled = Code{&codeRow{name: "throttled", kind: wayfind.ErrThrottled, again: true,
		model:  "The service wants fewer calls; call again after the time that is given.",
		person: "The service wants fewer calls."}}
	// OutOfOrder: the site wants other tools to be called before this one, and this principal
	// has not called them within [Lately]. A call that failed or was denied is a call, too. See
	// Options.AllowAnyOrder.
	OutOfOrder = Code{&codeRow{name: "out_of_order", kind: wayfind.ErrRefused, again: true,
		model:  "The site wants another tool to be called before this one; call it, and then this one again.",
		person: "The site wants another call to be made before this one."}}
	// Refused: a policy of this package, or the site, refuses the call.
	Refused = Code{&codeRow{name: "refused", kind: wayfind.ErrRefused,
		model:  "The call is not allowed; calling again will not change that.",
		person: "The call is not allowed."}}
	// Unreachable: no answer arrived. The call was not sent, or it only reads.
	Unreachable = Code{&codeRow{name: "unreachable", kind: wayfind.ErrUnreachable, again: true,
		unanswered: true,
		model:      "The service could not be reached; call again later.",
		person:     "The service could not be reached."}}
	// Timeout: no answer arrived in time. The call was not sent, or it only reads.
	Timeout = Code{&codeRow{name: "timeout", kind: wayfind.ErrUnreachable, again: true,
		unanswered: true,
		model:      "There was no answer in time; call again if it still matters.",
		person:     "No answer came in time."}}
	// TooLarge: the answer is longer than 1 MiB.
	TooLarge = Code{&codeRow{name: "too_large", again: true,
		model:  "The answer is too large; ask for less.",
		person: "The answer is too large."}}
	// OutcomeUnknown: the service may or may not have done its work.
	OutcomeUnknown = Code{&codeRow{name: "outcome_unknown", perhaps: true,
		model:  "It is not known whether the call did its work; do not call again before you have found out.",
		person: "It is not known whether the call did its work."}}
	// SessionEnded: the server has ended the session that the call was made in. The call was not
	// repeated, because it may change something.
	SessionEnded = Code{&codeRow{name: "session_ended", again: true,
		model:  "The server has ended its session, and the page, the cart or the login of earlier calls may be gone; the next call begins a new session: look at the state before you call again.",
		person: "The server has ended its session."}}
	// UpstreamError: the site reports that the call failed.
	UpstreamError = Code{&codeRow{name: "upstream_error",
		model:  "The service reports a failure; calling again with the same arguments will hardly help.",
		known:  "The service reports a failure.",
		person: "The service reports a failure."}}
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		InvalidArguments, ConfirmationRequired, Denied, CredentialMissing, CredentialRefused, CredentialTooLarge, Unidentified, NotFoundTool, Gone,
		Throttled, OutOfOrder, Refused, Unreachable, Timeout, TooLarge, OutcomeUnknown, SessionEnded, UpstreamError,
	}
}

// codeFor returns the code for an answer that failed: the code with the same name as the kind,
// or UpstreamError if there is none.
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

// IsZero reports whether there is no code, which means that the call succeeded.
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

// Again reports whether another call may help, with other arguments or later.
func (c Code) Again() bool { return c.is().again }

// Perhaps reports whether the service may have done its work all the same, because no answer arrived or
// the outcome is not known. It says nothing about a call of which no request was sent.
func (c Code) Perhaps() bool { return c.is().perhaps || c.is().unanswered }

// Kind returns the kind of error in package wayfind that the code belongs to, such as
// wayfind.ErrRefused. It returns nil if there is no such kind: for a failure of the service,
// and for an unknown outcome.
func (c Code) Kind() error { return c.is().kind }

// Error is the error of a call that was not made or did not succeed.
type Error struct {
	Code Code
	// Tool is the name with which the tool was called.
	Tool string
	// Detail is a short explanation for the model, without foreign text. It may be
	// empty.
	Detail string
	// Err is the cause. It is for programs only, because it may contain foreign text.
	Err error

	// The following fields are copied into the Result.
	question  *Question
	ticket    string
	notBefore time.Time
	problem   *wayfind.Problem
	arguments bool // other arguments may help
	ended     bool // the service says that work has ended with a failure
}

// Error returns the tool, the code and the cause.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) data() errorData {
	shown := func(s string, most int) string { return text.Printable(text.Head(s, most)) }
	return errorData{
		Tool: shown(e.Tool, tools.MaxName), Kind: wayfind.KindWord(e.Code.Kind()), Code: e.Code, NotBefore: e.notBefore.UTC(),
		Detail: shown(e.Detail, maxMessage), Message: shown(e.Error(), maxMessage),
	}
}

// MarshalJSON returns the error as an object: tool, kind (a word of [wayfind.KindWord]), code,
// notBefore (RFC 3339), detail, and message, which is the text of Error. Empty members are
// omitted. Foreign text is escaped and cut, and the secrets of the call are not in it.
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.data()) }

// LogValue returns the error as a group with the members of MarshalJSON. A handler can then
// filter by code.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.AnyValue(nil)
	}
	d := e.data()
	attrs := make([]slog.Attr, 0, 6)
	for _, a := range [...]struct{ key, value string }{{"tool", d.Tool}, {"kind", d.Kind}, {"code", d.Code.String()}, {"detail", d.Detail}} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	if !d.NotBefore.IsZero() {
		attrs = append(attrs, slog.Time("notBefore", d.NotBefore))
	}
	return slog.GroupValue(append(attrs, slog.String("message", d.Message))...)
}

// fail returns an error with a code.
func fail(code Code, err error, detail string) *Error {
	return &Error{Code: code, Detail: detail, Err: err}
}

// refusalOf returns the error of a request that was not sent at all, or that cannot have
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

// maxMessage is the maximum length of the message of an Error in data, before characters are
// escaped, because it may quote foreign text.
const maxMessage = 512

// errorData is the JSON form of an Error.
type errorData struct {
	Tool      string    `json:"tool,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	Code      Code      `json:"code"`
	NotBefore time.Time `json:"notBefore,omitzero"`
	Detail    string    `json:"detail,omitempty"`
	Message   string    `json:"message"`
}
