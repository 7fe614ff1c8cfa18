package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Limits of a process.
const (
	// maxLine is the longest message of a server, in bytes.
	maxLine = 16 << 20
	// maxSaid is the longest line of standard error that is shown, in bytes.
	maxSaid = 2 << 10
	// grace is the time that a process has to end after its standard input has ended, and again
	// after it was told to end. Both, and heldTime, fit into ending.Most.
	grace = 1500 * time.Millisecond
	// heldTime is the time after the end of a process for which its output is still read. A
	// process that it has started may hold the output open forever.
	heldTime = time.Second
)

// process is a server that runs.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan []byte // messages to be written
	gone    chan struct{}
	ended   error // the reason why it is gone; set before gone is closed
	closing sync.Once
}

// start runs a command. take is called with its messages, one after the other. told is called with
// its other lines.
func start(spec *Spec, take func(line []byte) bool, told func(line string)) (*process, error) {
	p := &process{cmd: exec.Command(spec.Command[0], spec.Command[1:]...), lines: make(chan []byte), gone: make(chan struct{})}
	p.cmd.Env = spec.environ()
	apart(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, outEnd := io.Pipe()
	said, saidEnd := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = outEnd, saidEnd, heldTime
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in = in
	forget := spec.Ending.Last(func() { kill(p.cmd) })
	var reading sync.WaitGroup
	reading.Go(func() {
		each(said, maxSaid, func(line []byte, _ bool) { told(string(line)) })
	})
	reading.Go(func() {
		each(out, maxLine, func(line []byte, whole bool) {
			switch {
			case !whole:
				told(fmt.Sprintf("a line of more than %d bytes is no message", maxLine))
			case !take(line):
				told(string(line[:min(len(line), maxSaid)]))
			}
		})
	})
	go func() {
		err := p.cmd.Wait()
		_, _ = outEnd.Close(), saidEnd.Close() // never fails
		reading.Wait()
		p.ended = cause(err)
		forget()
		close(p.gone)
	}()
	go p.write()
	return p, nil
}

// cause returns the error that describes how a process has ended.
func cause(err error) error {
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return errors.New("it has ended")
	}
	return fmt.Errorf("it has ended: %w", err)
}

// each calls line for each line that is not empty. It keeps only the first most bytes of a longer
// line; whole is then false.
func each(in io.Reader, most int, line func(line []byte, whole bool)) {
	r := bufio.NewReader(in)
	for {
		var own []byte
		whole := true
		for {
			piece, err := r.ReadSlice('\n')
			if room := most - len(own); len(piece) > room {
				piece, whole = piece[:room], false
			}
			own = append(own, piece...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			for len(own) > 0 && (own[len(own)-1] == '\n' || own[len(own)-1] == '\r') {
				own = own[:len(own)-1]
			}
			if len(own) > 0 {
				line(own, whole)
			}
			if err != nil {
				return
			}
			break
		}
	}
}

// write writes the messages that send hands over. A process that does not read blocks only its own
// callers.
func (p *process) write() {
	for {
		select {
		case line := <-p.lines:
			if _, err := p.in.Write(append(line, '\n')); err != nil {
				return // the process is ending or has closed its input: calls fail when their time is up
			}
		case <-p.gone:
			return
		}
	}
}

// send hands a message over to write. It returns an error if the process is gone or done is closed
// before.
func (p *process) send(done <-chan struct{}, line []byte) error {
	select {
	case p.lines <- line:
		return nil
	case <-p.gone:
		return p.ended
	case <-done:
		return errors.New("no one waits any more")
	}
}

// end ends the process. It closes its input, then tells it to end, then kills it with the processes
// that it has started (MCP 2025-11-25, Lifecycle, Shutdown).
func (p *process) end() {
	p.closing.Do(func() {
		_ = p.in.Close() // it may be gone
		for _, next := range []func(*exec.Cmd){terminate, kill} {
			timer := time.NewTimer(grace)
			select {
			case <-p.gone:
			case <-timer.C:
				next(p.cmd)
			}
			timer.Stop()
		}
		kill(p.cmd) // processes that it has started may live on
	})
	<-p.gone
}
