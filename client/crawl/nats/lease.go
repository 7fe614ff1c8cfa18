package nats

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// Header fields of messages.
const (
	headerReplaces = "Wayfind-Replaces" // of a target: the sequence number of the result that it has
	headerTarget   = "Wayfind-Target"   // of a result
	headerCause    = "Wayfind-Cause"
	headerAttempt  = "Wayfind-Attempt"
	headerLarge    = "Wayfind-Large" // the data is an object with this name
)

// fetchTime is the time for which one request for a target waits at the server.
const fetchTime = time.Second

// lease is a target that this process has.
type lease struct {
	queue *Queue
	msg   jetstream.Msg
	task  crawl.Task
	last  uint64 // the sequence number of the result that this one replaces

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

// take returns a target; nil if none came in time.
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

// noneYet removes the errors that only say that no target came.
func noneYet(err error) error {
	// The library calls a deadline that was over before the request an invalid option.
	if errors.Is(err, jetstream.ErrInvalidOption) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// leased returns the lease of a message; nil if its target is finished: a worker
// stored the result and died before it acknowledged the message, or the target was
// offered while it was being finished.
func (q *Queue) leased(ctx context.Context, m jetstream.Msg, until time.Time) (*lease, error) {
	l := &lease{queue: q, msg: m, until: until, task: crawl.Task{Target: string(m.Data()), Attempt: 1}}
	last, err := q.last(ctx, l.task.Target)
	if err != nil {
		return nil, err
	}
	replaces, _ := strconv.ParseUint(m.Headers().Get(headerReplaces), 10, 64)
	if last != 0 && last != replaces {
		return nil, m.DoubleAck(ctx)
	}
	l.last = last
	about, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	if about.NumDelivered > 1 {
		before, err := q.attempted(ctx, l.task.Target)
		if err != nil {
			return nil, err
		}
		l.task.Attempt += before
	}
	return l, nil
}

// attempted returns the number of failed attempts at a target.
func (q *Queue) attempted(ctx context.Context, target string) (n int, err error) {
	e, err := q.attempts.Get(ctx, token(target))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(e.Value()))
}

// Task implements crawl.Lease.
func (l *lease) Task() crawl.Task { return l.task }

// Until implements crawl.Lease.
func (l *lease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Renew implements crawl.Lease. It waits for the confirmation of the server: a
// worker that is cut off must not believe that it has a target.
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
	if err := l.queue.conn.FlushWithContext(ctx); err != nil {
		return l.lostOr(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = now.Add(l.queue.opts.Lease)
	return nil
}

// lostOr returns ErrLost for a message that was acknowledged before, or that no
// server can acknowledge before its lease ends.
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
		_, err := q.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(l.last), jetstream.WithRetryAttempts(0))
		return err
	})
	if err != nil && !isLater(err) {
		return refusal(err)
	}
	if l.task.Attempt > 1 {
		_ = q.attempts.Purge(ctx, token(r.Target)) // a number that stays makes a Retry count from it
	}
	err = q.patiently(ctx, l.msg.DoubleAck)
	if errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		return nil
	}
	return err
}

// message is the message of a result.
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
	name := token(r.Target)
	m.Data = nil
	m.Header.Set(headerLarge, name)
	return m, q.patiently(ctx, func(ctx context.Context) error {
		_, err := q.large.PutBytes(ctx, name, data)
		return err
	})
}

// headRoom is for the bytes that the library adds to a message.
const headRoom = 1 << 10

// compressed is data in gzip. A writer takes a thousand times the memory of a small
// result, so it is used again.
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

// Fail implements crawl.Lease. The server takes the word of a worker whose lease is over
// for that of the next one, so it must not come late.
func (l *lease) Fail(ctx context.Context, after time.Duration, counted bool) error {
	q := l.queue
	if !time.Now().Before(l.Until()) {
		return crawl.ErrLost
	}
	if counted {
		err := q.patiently(ctx, func(ctx context.Context) error {
			_, err := q.attempts.PutString(ctx, token(l.task.Target), strconv.Itoa(l.task.Attempt))
			return err
		})
		if err != nil {
			return refusal(err)
		}
	}
	ctx, cancel := context.WithDeadline(ctx, l.Until())
	defer cancel()
	if err := l.msg.NakWithDelay(after); err != nil {
		return l.lostOr(err)
	}
	if err := q.arrived(ctx); err != nil {
		return l.lostOr(err)
	}
	return nil
}

// Results implements crawl.Queue.
func (q *Queue) Results(ctx context.Context, cause string) iter.Seq2[crawl.Result, error] {
	return func(yield func(crawl.Result, error) bool) {
		for m, err := range q.stored(ctx) {
			if err == nil && cause != "" && m.Headers().Get(headerCause) != cause {
				continue
			}
			var r crawl.Result
			if err == nil {
				r, err = q.result(ctx, m)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// batchOfResults is the number of results in one request.
const batchOfResults = 64

// stored yields the messages of the results that are there now.
func (q *Queue) stored(ctx context.Context) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		info, err := q.results.Info(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		if info.State.Msgs == 0 {
			return
		}
		reader, err := q.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			batch, err := reader.Fetch(batchOfResults, jetstream.FetchMaxWait(requestTime))
			if err != nil {
				yield(nil, err)
				return
			}
			for m := range batch.Messages() {
				about, err := m.Metadata()
				if !yield(m, err) || err != nil || about.NumPending == 0 || about.Sequence.Stream >= info.State.LastSeq {
					return
				}
			}
			if err := errors.Join(batch.Error(), ctx.Err()); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// result reads the message of a result.
func (q *Queue) result(ctx context.Context, m jetstream.Msg) (crawl.Result, error) {
	h := m.Headers()
	r := crawl.Result{Target: h.Get(headerTarget), Cause: h.Get(headerCause)}
	var err error
	if r.Attempt, err = strconv.Atoi(h.Get(headerAttempt)); err != nil {
		return r, errors.New("crawl: a message among the results was not written by wayfind")
	}
	data := m.Data()
	if name := h.Get(headerLarge); name != "" {
		if data, err = q.large.GetBytes(ctx, name); err != nil {
			return r, err
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return r, err
	}
	r.Data, err = io.ReadAll(z)
	return r, err
}

// Retry implements crawl.Queue.
func (q *Queue) Retry(ctx context.Context, cause string) (n int, err error) {
	for m, err := range q.stored(ctx) {
		if err != nil {
			return n, err
		}
		h := m.Headers()
		if cause != "" && h.Get(headerCause) != cause {
			continue
		}
		about, err := m.Metadata()
		if err != nil {
			return n, err
		}
		added, err := q.offer(ctx, h.Get(headerTarget), about.Sequence.Stream)
		if err != nil {
			return n, err
		}
		if added {
			n++
		}
	}
	return n, nil
}
