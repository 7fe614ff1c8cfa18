package nats

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// These are header fields of messages.
const (
	headerReplaces = "Wayfind-Replaces" // in a target: the sequence number of its result
	headerTarget   = "Wayfind-Target"   // in a result: the target
	headerCause    = "Wayfind-Cause"
	headerAttempt  = "Wayfind-Attempt"
	headerLarge    = "Wayfind-Large" // the data is in the object with this name
)

// fetchTime is the time that one request for a target waits at the server.
const fetchTime = time.Second

// lease is a target that this process works on.
type lease struct {
	queue *Queue
	msg   jetstream.Msg
	task  crawl.Task
	last  place  // the result that this one replaces
	round uint64 // the sequence number of the target, which is different for each offer

	mu    sync.Mutex
	until time.Time
}

// Take implements crawl.Queue.
func (q *Queue) Take(ctx context.Context) (crawl.Lease, error) {
	for {
		l, err := q.take(ctx)
		switch {
		case l != nil:
			return l, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		counts, err := q.Count(ctx)
		if err != nil {
			return nil, err
		}
		if counts.Open() == 0 {
			return nil, crawl.ErrEmpty
		}
	}
}

// take returns a target, or nil if none arrived in time.
func (q *Queue) take(ctx context.Context) (l *lease, err error) {
	err = q.patiently(ctx, func(ctx context.Context) error {
		now := time.Now()
		waiting, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		m, err := q.consumer.Next(jetstream.FetchContext(waiting))
		if err != nil {
			return noneYet(err)
		}
		l, err = q.leased(ctx, m, now.Add(q.opts.Lease))
		return err
	})
	return l, err
}

// noneYet returns nil for an error that only means that no target arrived.
func noneYet(err error) error {
	// The library returns ErrInvalidOption if the deadline expired before the request.
	if errors.Is(err, jetstream.ErrInvalidOption) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// leased returns the lease of a message. It returns nil if the target is finished: a worker
// stored the result and died before it acknowledged the message, or the target was offered
// while another worker finished it.
func (q *Queue) leased(ctx context.Context, m jetstream.Msg, until time.Time) (*lease, error) {
	l := &lease{queue: q, msg: m, until: until, task: crawl.Task{Target: string(m.Data()), Attempt: 1}}
	last, err := q.last(ctx, l.task.Target)
	if err != nil {
		return nil, err
	}
	replaces, _ := strconv.ParseUint(m.Headers().Get(headerReplaces), 10, 64)
	if last.seq != 0 && last.seq != replaces {
		return nil, m.DoubleAck(ctx)
	}
	about, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	l.last, l.round = last, about.Sequence.Stream
	if about.NumDelivered > 1 {
		before, err := l.attempted(ctx)
		if err != nil {
			return nil, err
		}
		l.task.Attempt += before
	}
	return l, nil
}

// attempted returns the number of failed attempts at a target. The number is stored with the
// round, because the record of an earlier round may remain if its worker died or another worker
// stored the result.
func (l *lease) attempted(ctx context.Context) (n int, err error) {
	e, err := l.queue.attempts.Get(ctx, token(l.task.Target))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var round uint64
	if _, err := fmt.Sscanf(string(e.Value()), "%d %d", &round, &n); err != nil || round != l.round || n < 0 {
		return 0, nil
	}
	return n, nil
}

// Task implements crawl.Lease.
func (l *lease) Task() crawl.Task { return l.task }

// Until implements crawl.Lease.
func (l *lease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Renew implements crawl.Lease. It waits for the confirmation of the server: a worker without a
// connection must not assume that it holds a target.
func (l *lease) Renew(ctx context.Context) error {
	now := time.Now()
	if !now.Before(l.Until()) {
		return crawl.ErrLost
	}
	ctx, cancel := context.WithDeadline(ctx, l.Until())
	defer cancel()
	if err := l.msg.InProgress(); err != nil {
		return l.lostOr(err)
	}
	err := l.queue.conn.FlushWithContext(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(err, l.queue.conn.ForceReconnect()) // see arrived
	}
	if err != nil {
		return l.lostOr(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = now.Add(l.queue.opts.Lease)
	return nil
}

// lostOr returns ErrLost if the message was acknowledged before, or if no server can
// acknowledge it before its lease ends.
func (l *lease) lostOr(err error) error {
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) || errors.Is(err, context.DeadlineExceeded) || l.queue.away(err) {
		return crawl.ErrLost
	}
	return err
}

// Done implements crawl.Lease.
func (l *lease) Done(ctx context.Context, r crawl.Result) error {
	q := l.queue
	m, err := q.message(ctx, r)
	if err != nil {
		return refusal(err)
	}
	err = q.patiently(ctx, func(ctx context.Context) error {
		_, err := q.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(l.last.seq), jetstream.WithRetryAttempts(0))
		return err
	})
	large := m.Header.Get(headerLarge)
	if err != nil && !isLater(err) {
		err = refusal(err)
		if large != "" && errors.Is(err, crawl.ErrFull) { // after any other error the object may be stored
			_ = q.large.Delete(ctx, large)
		}
		return err
	}
	l.tidy(ctx, large, err != nil)
	err = q.patiently(ctx, l.msg.DoubleAck)
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		return nil
	}
	return err
}

// tidy removes what a result no longer needs. later is true if there is another result, or if
// an earlier try stored this one. If the removal fails, the remains only take room.
func (l *lease) tidy(ctx context.Context, large string, later bool) {
	q := l.queue
	if l.task.Attempt > 1 {
		_ = q.attempts.Purge(ctx, token(l.task.Target))
	}
	if large == "" && l.last.large == "" {
		return
	}
	kept := large
	if later {
		now, err := q.last(ctx, l.task.Target)
		if err != nil {
			return
		}
		kept = now.large
	}
	for _, name := range []string{large, l.last.large} {
		if name != "" && name != kept {
			_ = q.large.Delete(ctx, name)
		}
	}
}

// message returns the message of a result. Large data gets a new name in each result: the data
// of a result that is dropped must not replace the data of the result that is kept.
func (q *Queue) message(ctx context.Context, r crawl.Result) (*nats.Msg, error) {
	data, err := q.compressed(r.Data)
	if err != nil {
		return nil, err
	}
	m := &nats.Msg{Subject: q.subject("results", token(r.Target)), Data: data, Header: nats.Header{
		headerTarget: {r.Target}, headerCause: {r.Cause}, headerAttempt: {strconv.Itoa(r.Attempt)},
	}}
	if int64(m.Size())+headRoom <= q.conn.MaxPayload() {
		return m, nil
	}
	name := token(r.Target) + " " + rand.Text()
	m.Data = nil
	m.Header.Set(headerLarge, name)
	return m, q.patiently(ctx, func(ctx context.Context) error {
		_, err := q.large.PutBytes(ctx, name, data)
		return err
	})
}

// headRoom is the number of bytes that the library may add to a message.
const headRoom = 1 << 10

// compressed compresses data with gzip. It reuses writers, because a writer takes a thousand
// times the memory of a small result.
func (q *Queue) compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, ok := q.writers.Get().(*gzip.Writer)
	if !ok {
		w = gzip.NewWriter(nil)
	}
	defer q.writers.Put(w)
	w.Reset(&b)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// Fail implements crawl.Lease. The server attributes the message of a worker whose lease has
// ended to the next worker, so the message must not arrive late.
func (l *lease) Fail(ctx context.Context, after time.Duration, counted bool) error {
	q := l.queue
	ctx, cancel := context.WithDeadline(ctx, l.Until())
	defer cancel()
	if counted && ctx.Err() == nil {
		err := q.patiently(ctx, func(ctx context.Context) error {
			_, err := q.attempts.PutString(ctx, token(l.task.Target), fmt.Sprintf("%d %d", l.round, l.task.Attempt))
			return err
		})
		if err != nil {
			return l.lostOr(refusal(err))
		}
	}
	if !time.Now().Before(l.Until()) {
		return crawl.ErrLost
	}
	if err := l.msg.NakWithDelay(after); err != nil {
		return l.lostOr(err)
	}
	if err := q.arrived(ctx); err != nil {
		return l.lostOr(err)
	}
	return nil
}
