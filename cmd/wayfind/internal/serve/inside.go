package serve

import (
	"errors"
	"fmt"
	"os"
	process "os/exec"
	"os/signal"
	"syscall"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// runInside runs a command whose clients find the sites. Its exit status becomes that of this
// program.
func runInside(a *ui.App, l *loopback.Lead, words []string) error {
	fmt.Fprintf(a.Err, "wayfind: the sites are up at %s; %s runs\n", l.Address, ui.Show(words[0]))
	command := process.Command(words[0], words[1:]...)
	command.Stdin, command.Stdout, command.Stderr = a.In, a.Out, a.Err
	if f := ui.FileOf(a.Out); f != nil {
		command.Stdout = f // the command may ask whether it is a terminal
	}
	command.Env = append(os.Environ(), l.Environment()...)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	defer a.Ending.Hold()()
	if err := command.Start(); err != nil {
		return ui.Usagef("serve cannot run the command: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt || !atTerminal(a) {
				_ = command.Process.Signal(s) // it may have ended
			}
		case err := <-ended:
			a.EndsAs(exitOf(command.ProcessState))
			if _, status := errors.AsType[*process.ExitError](err); status {
				return nil
			}
			return err
		}
	}
}

// atTerminal reports whether Ctrl-C is a signal to this program and to the command that it runs.
func atTerminal(a *ui.App) bool {
	return ui.IsTerminal(a.In) || ui.IsTerminal(a.Out) || ui.IsTerminal(a.Err)
}

// exitOf returns the exit status of a process as shells tell it: 128 and the number of the signal
// that ended it.
func exitOf(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return state.ExitCode()
}
