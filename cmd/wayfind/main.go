// Command wayfind shows what a web domain offers to AI agents.
//
//	wayfind example.com
//	wayfind parse agent.json
//	wayfind demo
//
// Results go to standard output, everything else to standard error. Exit
// status: 0 found, 1 nothing found or not usable, 2 wrong usage, 3 could not
// be asked or not be written, 4 refused by policy, 5 incomplete, 70 a fault of
// wayfind, 130 interrupted.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ending"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

func main() {
	log.SetOutput(io.Discard)          // net/http logs lines with foreign bytes, such as "Unsolicited response"
	signals := make(chan os.Signal, 2) // the second one ends the command at once
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, process := ending.Watch(signals, func(why ending.Reason) {
		ui.Last(os.Stderr, "wayfind: interrupted: "+string(why))
		os.Exit(int(ui.ExitInterrupted))
	})
	os.Exit(int(runIn(ctx, process, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}

// run executes a command line, in no process of its own.
func run(user context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) ui.Outcome {
	return runIn(user, nil, args, stdin, stdout, stderr)
}

// runIn executes a command line.
func runIn(user context.Context, process *ending.Process, args []string, stdin io.Reader, stdout, stderr io.Writer) (ends ui.Outcome) {
	ctx, stop := context.WithCancelCause(user)
	defer stop(nil)
	app := ui.New(stdin, stdout, stderr, stop)
	defer func() {
		if fault := recover(); fault != nil {
			ends = app.Fault(fault, debug.Stack())
		}
	}()
	app.Schemas, app.Ending = schemas(), process
	root := command(app)
	words := len(args)
	args = bareForm(root, args)
	app.Bare = len(args) > words
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		app.JSON = wantsJSON(cmd, args)
		app.Fail("", ui.Usage(err))
	}
	return app.End(user.Err() != nil)
}
