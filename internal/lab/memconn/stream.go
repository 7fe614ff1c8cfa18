package memconn

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// stream is one direction of a connection.
type stream struct {
	mu    sync.Mutex
	delay time.Duration
	queue []segment
	size  int       // in bytes
	last  time.Time // the arrival of the newest segment or end, because order is kept

	end      error // the reader's error after the queue is empty; nil while open
	endsAt   time.Time
	gone     error // the writer's error after the reader closed
	gonesAt  time.Time
	unaware  bool          // gone is set, but the writer does not know it yet
	wake     chan struct{} // closed at the next change; nil if neither end waits
	sent     int64
	received int64
}

// segment contains the bytes of one write, and the time of their arrival.
type segment struct {
	data []byte
	at   time.Time
}

// take moves bytes that have arrived into p. If it returns neither bytes nor an error, the
// caller must try again after wait (negative: never) or when wake is closed.
func (s *stream) take(p []byte) (n int, wait time.Duration, wake <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.queue) > 0 && n < len(p) && !s.queue[0].at.After(now) {
		k := copy(p[n:], s.queue[0].data)
		n += k
		if s.queue[0].data = s.queue[0].data[k:]; len(s.queue[0].data) == 0 {
			s.queue[0] = segment{}
			s.queue = s.queue[1:]
		}
	}
	if n > 0 {
		s.size -= n
		s.received += int64(n)
		s.changed()
		return n, 0, nil, nil
	}
	switch {
	case len(s.queue) > 0:
		wait = s.queue[0].at.Sub(now)
	case s.end == nil:
		wait = -1
	case s.endsAt.After(now):
		wait = s.endsAt.Sub(now)
	default:
		return 0, 0, nil, s.end
	}
	return 0, wait, s.waiting(), nil
}

// put sends as much of p as the window allows. If it returns less and no error, wait and wake
// are as for take.
func (s *stream) put(p []byte) (n int, wait time.Duration, wake <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.gone != nil && !s.unaware && !s.gonesAt.After(now):
		return 0, 0, nil, s.gone
	case s.end != nil:
		return 0, 0, nil, os.NewSyscallError("write", syscall.EPIPE)
	case s.gone != nil:
		s.lose(len(p), now)
		return len(p), 0, nil, nil
	}
	if n = min(len(p), Window-s.size); n > 0 {
		s.queue = append(s.queue, segment{append([]byte(nil), p[:n]...), s.arrival(now)})
		s.size += n
		s.sent += int64(n)
		s.changed()
	}
	if n == len(p) {
		return n, 0, nil, nil
	}
	return n, -1, s.waiting(), nil
}

// lose sends n bytes to a reader that has left. The first bytes cause a reset (RFC 9293
// §3.10.7.1), which takes a round trip.
func (s *stream) lose(n int, now time.Time) {
	s.sent += int64(n)
	if s.unaware {
		s.unaware = false
		s.gonesAt = now.Add(2 * s.delay)
	}
}

// finish ends the stream for the reader, after the bytes that were sent before. A reset
// replaces an earlier end of the stream, but an end never replaces a reset.
func (s *stream) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil && err == io.EOF {
		return
	}
	s.end, s.endsAt = err, s.arrival(time.Now())
	s.changed()
}

// abandon records that the reader has left. The writer is informed after the delay if the
// connection was reset or data was unread, else when it writes.
func (s *stream) abandon(err error, reset bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone, s.gonesAt = err, time.Now().Add(s.delay)
	s.unaware = !reset && len(s.queue) == 0
	s.queue, s.size = nil, 0
	s.changed()
}

// arrival returns the time at which bytes that are sent now arrive.
func (s *stream) arrival(now time.Time) time.Time {
	if at := now.Add(s.delay); at.After(s.last) {
		s.last = at
	}
	return s.last
}

func (s *stream) changed() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

func (s *stream) waiting() <-chan struct{} {
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

func (s *stream) setDelay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = d
}

func (s *stream) counts() (sent, received int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent, s.received
}
