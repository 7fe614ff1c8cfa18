package cache

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// tee is a body that is being read by the flight. The caller that began the flight reads it at its
// own speed. The size is limited by Options.MaxBody.
type tee struct {
	from *http.Response // the response from the origin

	mu    sync.Mutex
	data  []byte
	more  chan struct{} // closed at the next change; nil while no reader waits
	over  chan struct{} // closed when the flight has finished reading
	err   error         // the error that ended it; io.EOF if the body is complete
	rest  io.Reader     // the part beyond MaxBody or beyond the room for bodies, for the caller to read
	entry *Entry        // the complete entry, after the body has ended without an error
	users int           // the flight and the caller, while they need the bytes
	held  int64         // the bytes that were taken from the room for bodies; given back by the last user
	limit int64         // of the capacity of the buffer
}

// Limits of the bodies that flights read before their callers do.
const (
	// maxUnread is the largest number of bytes of all such bodies of an Engine, without the first
	// maxExact bytes of each. A body alone may have more, up to Options.MaxBody.
	maxUnread = 48 << 20
	// unreadPatience is the longest time for which a flight waits until other callers have read
	// theirs.
	unreadPatience = 500 * time.Millisecond
)

// grow returns a larger capacity for the buffer, for which there is room. It returns 0 if there is
// none, because callers do not read.
func (t *tee) grow(ctx context.Context, room *quota, capacity int64) int64 {
	next := min(2*capacity, t.limit)
	if said := t.from.ContentLength; said >= capacity && said < t.limit {
		next = min(next, said+1)
	}
	if next > maxExact {
		more := next - max(capacity, maxExact)
		if !room.takeMore(ctx, t.heldNow(), more, maxUnread, unreadPatience) {
			return 0
		}
		t.mu.Lock()
		t.held += more
		t.mu.Unlock()
	}
	return next
}

func (t *tee) heldNow() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// use adds a user of the bytes.
func (t *tee) use(room *quota) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users++; t.users == 1 { // the flight has ended before its caller came
		room.add(t.held)
	}
}

// leave takes away a user of the bytes.
func (t *tee) leave(room *quota) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users == 0 {
		room.give(t.held)
	}
}

// grew sets the bytes that the flight has read so far.
func (t *tee) grew(data []byte) {
	t.change(func() { t.data = data })
}

// change makes a change and wakes the reader.
func (t *tee) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
}

// ended returns the entry of a body that has ended without an error, or nil. passed means that the
// body is too large to be kept.
func (t *tee) ended() (e *Entry, passed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entry, t.rest != nil
}

// linger lets the flight read to the end after its caller has closed the body, because many callers
// close it before they have seen the end. Then it calls end, after renewTimeout at the latest.
func (t *tee) linger(end func()) {
	select {
	case <-t.over:
		end()
		return
	default:
	}
	go func() { // ends with the flight
		defer end()
		timer := time.NewTimer(renewTimeout)
		defer timer.Stop()
		select {
		case <-t.over:
		case <-timer.C:
		}
	}()
}

// finish ends the tee. If it has no end yet, the flight has panicked.
func (t *tee) finish() {
	t.change(func() {
		if t.err == nil && t.rest == nil {
			t.err = io.ErrUnexpectedEOF
		}
	})
	close(t.over)
}

// read reads from *off on, and waits for more if all has been read.
func (t *tee) read(ctx context.Context, p []byte, off *int) (int, error) {
	for {
		n, more, rest, err := t.look(p, *off)
		*off += n
		switch {
		case rest != nil:
			return rest.Read(p)
		case n > 0 || err != nil || len(p) == 0:
			return n, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// look copies the bytes beyond off. If there are none, one of the other results
// is set.
func (t *tee) look(p []byte, off int) (n int, more <-chan struct{}, rest io.Reader, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case off < len(t.data):
		return copy(p, t.data[off:]), nil, nil, nil
	case t.rest != nil:
		return 0, nil, t.rest, nil
	case t.err != nil:
		return 0, nil, nil, t.err
	}
	if t.more == nil {
		t.more = make(chan struct{})
	}
	return 0, t.more, nil, nil
}

// tee passes a response that is going to be stored on to the caller that began the flight while it
// comes, and reads it for the store and for the waiting callers.
func (t *Engine) tee(ctx context.Context, c *call, out outcome, e *Entry, resp *http.Response) (outcome, error) {
	limit := t.opts.maxBody()
	b, own, head := &tee{from: resp, over: make(chan struct{}), users: 1, limit: limit + 1}, *resp, out
	defer b.leave(&t.unread)
	defer b.finish()
	own.Trailer = resp.Trailer.Clone() // net/http fills resp.Trailer while the flight reads
	own.Body = &streamBody{tee: b, closer: http.NoBody, head: e.copied(), resp: &own}
	head.entry, head.from, head.stored = own.Body.(*streamBody).head, FromNetwork, t.takes(c, e, resp.ContentLength)
	head.stream = &stream{resp: &own, head: head.entry, open: resp.ContentLength < 0}
	t.learn(c, &head)
	c.early(head)
	start := min(int64(512), limit+1)
	if said := resp.ContentLength; said >= 0 && said < min(maxExact, limit) {
		start = said + 1 // one byte more, to notice the end
	}
	content, err := readOn(resp.Body, make([]byte, 0, start), limit+1, b.grew, func(capacity int64) int64 { return b.grow(ctx, &t.unread, capacity) })
	switch {
	case err == errNoRoom, err == nil && int64(len(content)) > limit:
		t.replacedBy(ctx, c, e)
		out.stream = newStream(ctx, resp, nil, nil)
		b.change(func() { b.data, b.rest = content, resp.Body.(*streamBody).Reader })
		return out, nil
	case err == nil && isShort(resp, content):
		err = io.ErrUnexpectedEOF
	}
	_ = resp.Body.Close()
	if err != nil {
		t.seenAs(ctx, c, e)
		b.change(func() { b.data, b.err = content, err })
		return outcome{}, err
	}
	out = t.complete(ctx, c, out, e, resp, content)
	b.change(func() { // without the spare room of the buffer
		b.data, b.err, b.entry = e.Body, io.EOF, e
		if spare := b.held - int64(cap(e.Body)); spare > 0 {
			t.unread.give(spare)
			b.held -= spare
		}
	})
	return out, nil
}
