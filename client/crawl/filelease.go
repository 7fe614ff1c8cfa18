package crawl

import (
	"context"
	"time"
)

// fileHold is one lease.
type fileHold struct {
	file  *File
	entry *entry
	task  Task
	until time.Time
	late  *time.Timer
}

// Task implements Lease.
func (h *fileHold) Task() Task { return h.task }

// Until implements Lease.
func (h *fileHold) Until() time.Time {
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	return h.until
}

// ours reports whether this worker still has the lease.
func (h *fileHold) ours() bool { return h.entry.lease == h && time.Now().Before(h.until) }

// expire gives the target to another worker after the lease has expired.
func (h *fileHold) expire() {
	q := h.file
	q.mu.Lock()
	defer q.mu.Unlock()
	if h.entry.lease != h || q.closed {
		return
	}
	if left := time.Until(h.until); left > 0 { // it was renewed
		h.late.Reset(left)
		return
	}
	q.free(h)
	q.wait(h.entry)
}

// free ends a lease.
func (q *File) free(h *fileHold) {
	h.entry.lease = nil
	h.late.Stop()
	q.leased--
}

// Renew implements Lease.
func (h *fileHold) Renew(ctx context.Context) error {
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	if !h.ours() {
		return ErrLost
	}
	h.until = time.Now().Add(h.file.opts.Lease)
	return ctx.Err()
}

// Done implements Lease.
func (h *fileHold) Done(_ context.Context, r Result) error {
	q := h.file
	q.mu.Lock()
	defer q.mu.Unlock()
	if h.entry.done {
		return nil // the result of another worker is kept
	}
	if err := q.writeResult(r); err != nil {
		if h.entry.lease == h {
			q.free(h)
			q.wait(h.entry)
		}
		return err
	}
	if h.entry.lease != nil {
		q.free(h.entry.lease) // the lease of a later worker, whose result would come too late
	}
	q.setFinished(h.task.Target, 0)
	h.entry.done = true
	delete(q.active, h.task.Target)
	q.wake() // Take may find the queue empty
	return nil
}

// Fail implements Lease.
func (h *fileHold) Fail(_ context.Context, after time.Duration, counted bool) error {
	q := h.file
	q.mu.Lock()
	defer q.mu.Unlock()
	if !h.ours() {
		return ErrLost
	}
	if counted {
		if !q.opts.ResultsOnly {
			if err := q.writeRecord(record{Op: opTried, Target: h.task.Target, Attempt: h.task.Attempt}); err != nil {
				return err
			}
		}
		h.entry.attempts = h.task.Attempt
	}
	q.free(h)
	h.entry.from = time.Now().Add(after)
	q.wait(h.entry)
	return nil
}
