package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

// Relay sends the parts of a Client's work to programs that attach to it. While none is attached,
// nothing is recorded. Its method Observe is for client.Options. The zero value is ready.
type Relay struct {
	watch atomic.Pointer[Watch] // nil while no program is attached

	mu      sync.Mutex
	readers int
}

// relayed is a line of the stream: JSON values one after the other.
type relayed struct {
	// Start is the time to which the times of parts are relative.
	Start    time.Time                `json:"start"`
	Parts    []Part                   `json:"parts"`
	Messages map[int]*capture.Message `json:"messages,omitempty"`
}

// Observe is a client.Observe.
func (r *Relay) Observe(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
	w := r.watch.Load()
	if w == nil {
		return ctx, nil
	}
	return w.Observe(ctx, e)
}

// Serve sends the parts to each program that connects, until ctx ends. It closes the listener.
func (r *Relay) Serve(ctx context.Context, listener net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	var all sync.WaitGroup
	defer all.Wait()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		all.Go(func() { r.send(ctx, conn) })
	}
}

func (r *Relay) attach() *Watch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers++; r.readers == 1 {
		r.watch.Store(NewWatch())
	}
	return r.watch.Load()
}

func (r *Relay) detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readers--; r.readers == 0 {
		r.watch.Store(nil)
	}
}

// send sends the parts to a program until it leaves.
func (r *Relay) send(ctx context.Context, conn net.Conn) {
	w := r.attach()
	defer r.detach()
	defer conn.Close()
	ctx, left := context.WithCancel(ctx)
	defer left()
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // it sends nothing: this ends when it leaves
		left()
	}()
	out := json.NewEncoder(conn)
	for seen := 0; ; {
		parts, now, more := w.Since(seen)
		seen = now
		line := relayed{Start: w.start, Parts: parts, Messages: map[int]*capture.Message{}}
		for _, p := range parts {
			if m, _, _ := w.message(p.ID); m != nil {
				line.Messages[p.ID] = m
			}
		}
		if out.Encode(line) != nil {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// Attach shows what a Relay sends. The Watch is complete up to the present; the channel gets the
// reason why the connection has ended.
func Attach(conn net.Conn) (*Watch, <-chan error, error) {
	in := json.NewDecoder(conn)
	w := NewWatch()
	var first relayed
	if err := in.Decode(&first); err != nil {
		return nil, nil, fmt.Errorf("it sends no events: %w", err)
	}
	w.start = first.Start
	w.put(&first)
	ended := make(chan error, 1)
	go func() {
		for {
			var line relayed
			if err := in.Decode(&line); err != nil {
				ended <- err
				return
			}
			w.put(&line)
		}
	}()
	return w, ended, nil
}

// put sets the parts and messages of a line.
func (w *Watch) put(line *relayed) {
	for id, m := range line.Messages {
		w.keep(id, m)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range line.Parts {
		if p.ID < 1 || p.ID > maxParts {
			continue
		}
		for len(w.parts) < p.ID {
			w.parts = append(w.parts, Part{ID: len(w.parts) + 1})
		}
		w.parts[p.ID-1] = p
		w.changed(p.ID)
	}
}

// errProcessEnded is the state of a page whose process has ended.
var errProcessEnded = errors.New("the process has ended: these are its last requests")

// Ended says that the process which the page shows has ended.
func (i *Inspector) Ended() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.Error = errProcessEnded.Error()
	i.changed()
}
