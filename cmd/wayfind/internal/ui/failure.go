package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Failure is an error as --json prints it.
type Failure struct {
	// Code is the cause: one of the codes at the end of this page, of a call one of
	// those of client/call, or Kind once more where that says all.
	Code string `json:"code"`
	// Kind classifies the error, and says whether asking again may help.
	Kind string `json:"kind"`
	// Message is for people. Its wording may change at any time.
	Message string `json:"message"`
	// Target is the domain, URL or file that was asked, read or named. It is
	// absent where the error is about the whole command.
	Target string `json:"target,omitempty"`
	// NotBefore is the earliest time to ask again, where one is known.
	NotBefore time.Time `json:"notBefore,omitzero"`
}

// Failed is the output of --json when there is only an error.
type Failed struct{}

// Kind is a kind of error in a failure.
type Kind struct {
	err   error // nil for KindFailed
	Means string
}

// Word returns the kind as --json prints it.
func (k Kind) Word() string { return cmp.Or(wayfind.KindWord(k.err), KindFailed) }

// KindFailed is the kind of a call that was sent and did not succeed.
const KindFailed = "failed"

// Kinds are all kinds of errors.
func Kinds() []Kind {
	return []Kind{
		{wayfind.ErrNotFound, "The domain was asked and has nothing. It is an answer."},
		{wayfind.ErrInvalid, "The call makes no sense, or a document, a target or a file cannot be read. Asking again does not help."},
		{wayfind.ErrUnreachable, "The domain could not be asked: DNS, TLS, the connection, a time-out or a failure of the server."},
		{wayfind.ErrBlocked, "The site refuses: status 401, 402 or 403, or a firewall."},
		{wayfind.ErrThrottled, "The site wants to be asked later; `notBefore` says when."},
		{wayfind.ErrRefused, "The policy of the command refuses: an address, a redirect, another site, a pin."},
		{nil, "The call was sent, and the service reports a failure, its answer cannot be used, or it is not known whether it did its work; `code` says which."},
		{wayfind.ErrClosed, "The command was about to end."},
		{wayfind.ErrInternal, "A bug of wayfind, or an error of the operating system."},
	}
}

// KindOf returns the kind of an error in a failure. The kind of a mistake of the caller is
// "invalid".
func KindOf(err error) string {
	word := wayfind.KindWord(err)
	if _, ok := errors.AsType[usage](err); ok && word == "" {
		word = "invalid"
	}
	return cmp.Or(word, "internal")
}

// CodeUsage is the code of a call that makes no sense.
const CodeUsage = "usage"

// NewFailure returns an error as --json prints it, or nil if err is nil. target is the target as
// the caller wrote it.
func NewFailure(target string, err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Kind: KindOf(err), Message: text.Printable(Sentence(err))}
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		f.Code, f.NotBefore = string(e.Code), e.NotBefore
		target = cmp.Or(target, e.URL)
	} else if _, ok := errors.AsType[usage](err); ok {
		f.Code = CodeUsage
	}
	f.Code, f.Target = cmp.Or(f.Code, f.Kind), text.Printable(secret.Message{}.URL(target))
	return f
}

// Tell prints an error to standard error, and records its outcome. After a failure of standard
// output, other errors follow from it and are not printed.
func (a *App) Tell(err error) {
	if a.stdout.failure() != nil {
		return
	}
	a.Ends(ExitStatus(err))
	a.saidInterrupted = a.saidInterrupted || strings.HasSuffix(Sentence(err), plainCause(context.Canceled))
	for _, line := range Wrap("wayfind: "+text.Printable(Sentence(err)), WidthOf(a.Err)) {
		fmt.Fprintln(a.Err, line)
	}
	if ExitStatus(err) == ExitFault {
		a.askForReport("--verbose")
	}
}

// Fault reports a panic, and returns the outcome. The output so far is no result.
func (a *App) Fault(fault any, stack []byte) Outcome {
	fmt.Fprintf(a.Err, "wayfind: a fault of wayfind, and no answer: %s\n", Show(fmt.Sprint(fault)))
	if a.Debug {
		_, _ = a.Err.Write(stack)
	}
	a.askForReport("--debug")
	return ExitFault
}

// askForReport prints what a report of a fault needs. flag is the one that shows where it is.
func (a *App) askForReport(flag string) {
	fmt.Fprintf(a.Err, "wayfind: please report it at https://github.com/wayfindhq/wayfind/issues, with this command line, its output with %s, and the version %s\n", flag, Version())
}

// TellIncomplete prints the missing places of a Site to standard error, and records the outcome. It
// prints nothing if the Site is nil or complete.
func (a *App) TellIncomplete(site *wayfind.Site) {
	if site != nil && site.Incomplete != nil {
		a.TellPart(HostOf(site.Origin), site.Incomplete.String(), site.Incomplete.NotBefore)
	}
}

// TellPart is TellIncomplete with the missing places in words, and the time at which it may be asked.
func (a *App) TellPart(host, missing string, notBefore time.Time) {
	if a.stdout.failure() != nil {
		return
	}
	a.Ends(ExitIncomplete)
	when := ""
	if !notBefore.IsZero() {
		when = "; ask again after " + ClockText(notBefore)
	}
	line := fmt.Sprintf("wayfind: %s is incomplete: %s%s", host, missing, when)
	for _, line := range Wrap(text.Printable(line), WidthOf(a.Err)) {
		fmt.Fprintln(a.Err, line)
	}
}

// Fail reports an error without a result. With --json it also prints the error as a result.
func (a *App) Fail(target string, err error) {
	a.Tell(err)
	if a.JSON {
		a.PrintJSON(Failed{}, NewFailure(target, err))
	}
}
