// Package ending ends the process after a signal, whatever the command waits for: a server that does
// not end, a store or a disk that does not answer, a program that does not read its output.
package ending

import (
	"context"
	"os"
	"sync"
	"time"
)

// Most is the time that the command has to end after the first signal. A second signal leaves it
// none.
const Most = 5 * time.Second

// Reason says why a command is ended that has not ended by itself.
type Reason string

// The reasons.
const (
	Late  Reason = "it did not end within 5 seconds"
	Again Reason = "a second signal came"
)

// Process is what the end of the process has to do and to wait for. A nil Process ends as it likes.
type Process struct {
	held sync.RWMutex // by Hold

	mu   sync.Mutex
	last map[*func()]bool
}

// Last has f called if the process ends before forget is called, so that it leaves no other process
// and no file behind. f must not wait.
func (p *Process) Last(f func()) (forget func()) {
	if p == nil {
		return func() {}
	}
	key := &f
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[*func()]bool{}
	}
	p.last[key] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.last, key)
	}
}

// Hold lets the command live on until release is called. A program of the user that the command runs
// decides itself what a signal means to it.
func (p *Process) Hold() (release func()) {
	if p == nil {
		return func() {}
	}
	p.held.RLock()
	return p.held.RUnlock
}

// Watch returns a context that ends with the first signal, and the process. exit is called if the command then needs
// more than [Most], or if a second signal comes. It must end the process.
func Watch(signals <-chan os.Signal, exit func(Reason)) (context.Context, *Process) {
	return watch(signals, func() <-chan time.Time { return time.After(Most) }, exit)
}

func watch(signals <-chan os.Signal, late func() <-chan time.Time, exit func(Reason)) (context.Context, *Process) {
	p := new(Process)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-signals
		cancel()
		why := await(signals, late())
		if !p.held.TryLock() {
			p.held.Lock() // signals are those of the program until it has ended
			why = await(nil, late())
		}
		p.held.Unlock()
		p.clean(late())
		exit(why)
	}()
	return ctx, p
}

func await(signals <-chan os.Signal, late <-chan time.Time) Reason {
	select {
	case <-signals:
		return Again
	case <-late:
		return Late
	}
}

// clean calls the functions of Last. It waits no longer than late.
func (p *Process) clean(late <-chan time.Time) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.mu.Lock()
		defer p.mu.Unlock()
		for f := range p.last {
			(*f)()
		}
	}()
	select {
	case <-done:
	case <-late:
	}
}
