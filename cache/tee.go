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
	rest  io.Reader     // the part beyond MaxBody, for the caller to read
	entry *Entry        // the complete entry, after the body has ended without an error
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
	b, own, head := &tee{from: resp, over: make(chan struct{})}, *resp, out
	defer b.finish()
	own.Trailer = resp.Trailer.Clone() // net/http fills resp.Trailer while the flight reads
	own.Body = &streamBody{tee: b, closer: http.NoBody, head: e.copied(), resp: &own}
	head.entry, head.from, head.stored = own.Body.(*streamBody).head, FromNetwork, t.holds(e) && !t.refusing.Load()
	head.stream = &stream{resp: &own, head: head.entry, open: resp.ContentLength < 0}
	t.learn(c, &head)
	c.early(head)
	limit := t.opts.maxBody()
	content, err := readBody(resp, limit+1, b.grew)
	switch {
	case err == nil && int64(len(content)) > limit:
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
	b.change(func() { b.data, b.err, b.entry = content, io.EOF, e })
	return out, nil
}
