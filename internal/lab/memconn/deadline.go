package memconn

import (
	"sync"
	"time"
)

// deadline is a point in time that can be moved, as a channel.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	over  chan struct{} // closed after the deadline has passed
}

func newDeadline() deadline {
	return deadline{over: make(chan struct{})}
}

// passed returns a channel that is closed when the deadline passes. After a call of set it may
// return another channel.
func (d *deadline) passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over
}

// set moves the deadline. The zero time removes it.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disarm()
	isOver := false
	select {
	case <-d.over:
		isOver = true
	default:
	}
	wait := time.Until(t)
	if !t.IsZero() && wait <= 0 {
		if !isOver {
			close(d.over)
		}
		return
	}
	if isOver {
		d.over = make(chan struct{})
	}
	if !t.IsZero() {
		over := d.over
		d.timer = time.AfterFunc(wait, func() { close(over) })
	}
}

// disarm stops the timer. If the timer has fired, disarm waits for it, so that it cannot close
// its channel later.
func (d *deadline) disarm() {
	if d.timer != nil && !d.timer.Stop() {
		<-d.over
	}
	d.timer = nil
}

func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disarm()
}
