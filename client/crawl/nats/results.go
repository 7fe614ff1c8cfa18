package nats

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// Results implements crawl.Queue.
func (q *Queue) Results(ctx context.Context, cause string) iter.Seq2[crawl.Result, error] {
	return func(yield func(crawl.Result, error) bool) {
		for m, err := range q.stored(ctx) {
			if err == nil && cause != "" && m.Headers().Get(headerCause) != cause {
				continue
			}
			var r crawl.Result
			if err == nil {
				r, err = q.result(ctx, m.Headers(), m.Data())
			}
			if errors.Is(err, jetstream.ErrObjectNotFound) { // another result arrived meanwhile
				if r, err = q.newest(ctx, r.Target); err == nil && cause != "" && r.Cause != cause {
					continue
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// newest returns the latest result of a target.
func (q *Queue) newest(ctx context.Context, target string) (crawl.Result, error) {
	m, err := q.results.GetLastMsgForSubject(ctx, q.subject("results", token(target)))
	if err != nil {
		return crawl.Result{}, err
	}
	return q.result(ctx, m.Header, m.Data)
}

// batchOfResults is the number of results in one request.
const batchOfResults = 64

// stored yields the messages of the present results, one for each target.
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
				if err == nil && about.Sequence.Stream > info.State.LastSeq {
					return // it may replace one that was yielded before
				}
				if !yield(m, err) || err != nil || about.NumPending == 0 || about.Sequence.Stream == info.State.LastSeq {
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
func (q *Queue) result(ctx context.Context, h nats.Header, data []byte) (crawl.Result, error) {
	r := crawl.Result{Target: h.Get(headerTarget), Cause: h.Get(headerCause)}
	var err error
	if r.Attempt, err = strconv.Atoi(h.Get(headerAttempt)); err != nil {
		return r, errors.New("crawl: a message in the stream of results was not written by wayfind")
	}
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
