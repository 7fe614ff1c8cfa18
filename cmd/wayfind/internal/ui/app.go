// Package ui is how all verbs speak with the person who runs them, or with the program: the streams
// and the exit status of a run, sentences for errors, text in the width of a terminal, and JSON.
package ui

import (
	"context"
	"fmt"
	"io"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ending"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// Outcome says how a run ended. Its number is the exit status.
type Outcome = verdict.Outcome

// The outcomes of a run: see [verdict.Outcome].
const (
	ExitFound       = verdict.ExitFound
	ExitNothing     = verdict.ExitNothing
	ExitUsage       = verdict.ExitUsage
	ExitUnasked     = verdict.ExitUnasked
	ExitRefused     = verdict.ExitRefused
	ExitIncomplete  = verdict.ExitIncomplete
	ExitFault       = verdict.ExitFault
	ExitInterrupted = verdict.ExitInterrupted
)

// App is one run of the command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	JSON     bool            // --json: print results for programs
	Guard    *security.Guard // permits the servers under development that the user named; may be nil
	Several  bool            // more than one result may follow: print one line for each
	Bare     bool            // no verb was written: "wayfind DOMAIN…"
	Debug    bool            // --debug: print the stack of a fault
	Schemas  []Schema        // of all objects that the verbs print
	Ending   *ending.Process // what a hard end of this process has to do; may be nil

	outcome         Outcome // so far
	inside          bool    // outcome is the exit status of the command that serve ran
	saidInterrupted bool    // on standard error

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

// Ends records how the run ends, or a part of it. The outcome with the highest number is kept.
func (a *App) Ends(as Outcome) { a.outcome = max(a.outcome, as) }

// Outcome returns the outcome so far.
func (a *App) Outcome() Outcome { return a.outcome }

// EndsAs records the exit status of the command that serve ran. It becomes that of the run, whatever
// ended the run.
func (a *App) EndsAs(status int) { a.outcome, a.inside = Outcome(status), true }

// End writes the rest of the output, and returns the outcome.
func (a *App) End(interrupted bool) Outcome {
	if e, ok := a.Err.(*standardError); ok {
		e.quiet()
	}
	if err := a.finish(); err != nil {
		a.Tell(err)
	}
	if err := a.stdout.failure(); err != nil {
		return a.unwritten(err)
	}
	if a.outcome != ExitFound && interrupted && !a.inside {
		if !a.saidInterrupted {
			fmt.Fprintln(a.Err, "wayfind: interrupted")
		}
		return ExitInterrupted
	}
	return a.outcome
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
