// Package ui is how all verbs speak with the person who runs them, or with the program: the streams
// and the exit status of a run, sentences for errors, text in the width of a terminal, and JSON.
package ui

import (
	"context"
	"fmt"
	"io"

	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// Exit statuses. A run with several domains exits with the highest of their statuses.
const (
	ExitFound   = verdict.ExitFound
	ExitNothing = verdict.ExitNothing
	ExitUsage   = 2
	ExitUnasked = verdict.ExitUnasked
	ExitRefused = verdict.ExitRefused
	// ExitIncomplete is the status if there may be more than was found: see App.TellIncomplete.
	ExitIncomplete = verdict.ExitIncomplete
	// ExitFault is the status after a fault of wayfind itself (EX_SOFTWARE of sysexits.h).
	ExitFault = 70
	// ExitInterrupted is the status of a run that Ctrl-C ended. Shells expect this value.
	ExitInterrupted = 130
)

// App is one run of the command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Status   int             // the exit status so far
	Inside   bool            // Status is that of the command that serve ran
	JSON     bool            // --json: print results for programs
	Guard    *security.Guard // permits the servers under development that the user named; may be nil
	Several  bool            // more than one result may follow: print one line for each
	Bare     bool            // no verb was written: "wayfind DOMAIN…"
	Debug    bool            // --debug: print the stack of a fault
	Schemas  []Schema        // of all objects that the verbs print

	saidInterrupted bool // on standard error

	stdout *standardOutput // under Out; nil in some tests
	output outputFlags
	finish func() error // writes the rest of the output
}

// New returns the app of a run. The first write to standard output that fails calls stop.
func New(stdin io.Reader, stdout, stderr io.Writer, stop func(cause error)) *App {
	errs := &standardError{to: stderr}
	out := &standardOutput{to: stdout, stop: stop, errs: errs}
	return &App{In: stdin, Out: out, stdout: out, Err: errs, finish: func() error { return nil }}
}

// End writes the rest of the output, and returns the exit status.
func (a *App) End(interrupted bool) int {
	if e, ok := a.Err.(*standardError); ok {
		e.quiet()
	}
	if err := a.finish(); err != nil {
		a.Tell(err)
	}
	if err := a.stdout.failure(); err != nil {
		return a.unwritten(err)
	}
	if a.Status != ExitFound && interrupted && !a.Inside {
		if !a.saidInterrupted {
			fmt.Fprintln(a.Err, "wayfind: interrupted")
		}
		return ExitInterrupted
	}
	return a.Status
}

// Wait writes the rest of the output, which a program waits for, and waits until ctx ends.
func (a *App) Wait(ctx context.Context) error {
	err := a.finish()
	a.finish = func() error { return nil }
	if err == nil {
		<-ctx.Done()
	}
	return err
}
