// Package nats keeps the queue of a crawl in NATS JetStream: a work-queue stream
// with one subject for each target, and a stream of results with one message for
// each. The server counts the time of leases, so the clocks of workers may differ.
//
// It needs nats-server 2.11 or later, with JetStream.
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// Defaults of Options.
const (
	// DefaultName names the streams.
	DefaultName = "wayfind"
	// DefaultLease is the time for which a worker has a target.
	DefaultLease = 2 * time.Minute
	// DefaultPatience is the time for which an operation waits for an absent server.
	DefaultPatience = 5 * time.Minute
)

// Options are the choices of a queue. Nil and every zero field are the defaults.
type Options struct {
	// Name keeps several crawls on one server apart: letters, digits, "-" and
	// "_", at most 32 of them; default DefaultName.
	Name string
	// Lease is the time for which a worker has a target unless it renews the
	// lease, which restarts that time. The default is that of the queue, and
	// DefaultLease for a new one. Open fails for a queue with another one.
	Lease time.Duration
	// MaxBytes bounds each of the two streams, from now on; negative is no bound.
	// The default is that of the queue, and no bound for a new one. Offer and
	// Done fail with crawl.ErrFull beyond it, and nothing that is stored is lost.
	MaxBytes int64
	// Replicas of the streams of a new queue in a cluster; default 1.
	Replicas int
	// Patience is the time for which an operation waits for an absent server;
	// default DefaultPatience.
	Patience time.Duration
	// Connect are options of the connection: credentials, TLS.
	Connect []nats.Option
}

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func (o *Options) withDefaults() (Options, error) {
	var own Options
	if o != nil {
		own = *o
	}
	own.Name = cmp.Or(own.Name, DefaultName)
	own.Patience = cmp.Or(own.Patience, DefaultPatience)
	own.Replicas = cmp.Or(own.Replicas, 1)
	switch {
	case !queueName.MatchString(own.Name):
		return own, errors.New("crawl: a queue's name is 1 to 32 letters, digits, \"-\" and \"_\"")
	case own.Lease != 0 && own.Lease < time.Second:
		return own, errors.New("crawl: a lease lasts one second or longer")
	}
	return own, nil
}

// Queue is a crawl.Queue in JetStream.
type Queue struct {
	opts Options
	conn *nats.Conn
	js   jetstream.JetStream

	targets  jetstream.Stream      // one message for each target that is open
	results  jetstream.Stream      // one for each that is finished
	consumer jetstream.Consumer    // of targets; all workers share it
	attempts jetstream.KeyValue    // those of targets that were asked before
	large    jetstream.ObjectStore // data of results that fit no message

	writers sync.Pool // of *gzip.Writer
}

var _ crawl.Ledger = (*Queue)(nil)

// Open connects to a server ("nats://host:4222", several with commas) and makes
// the streams of the queue where they are missing.
func Open(ctx context.Context, server string, o *Options) (*Queue, error) {
	own, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	connect := append([]nats.Option{nats.Name("wayfind crawl"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		// Words about a lease must not reach the server after it.
		nats.ReconnectBufSize(-1), nats.SetCustomDialer(dialer{})}, own.Connect...)
	conn, err := nats.Connect(server, connect...)
	if _, ok := errors.AsType[*url.Error](err); ok {
		err = errors.New("its URL cannot be read") // the library repeats it, and it may hold a password
	}
	if err != nil {
		return nil, fmt.Errorf("crawl: the queue's server: %w", err)
	}
	q := &Queue{opts: own, conn: conn}
	if err := q.prepare(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("crawl: the queue %q: %w", own.Name, err)
	}
	return q, nil
}

// reconnectWait is the pause between two attempts to reach a server again.
const reconnectWait = 500 * time.Millisecond

// prepare makes the streams and buckets that are missing.
func (q *Queue) prepare(ctx context.Context) (err error) {
	if q.js, err = jetstream.New(q.conn); err != nil {
		return err
	}
	stream := jetstream.StreamConfig{
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, MaxBytes: -1, Replicas: q.opts.Replicas,
	}
	targets, results := stream, stream
	targets.Name, targets.Subjects = q.name("targets"), []string{q.subject("targets", ">")}
	targets.Retention, targets.DiscardNewPerSubject = jetstream.WorkQueuePolicy, true
	results.Name, results.Subjects = q.name("results"), []string{q.subject("results", ">")}
	if q.targets, err = q.stream(ctx, targets); err != nil {
		return err
	}
	if q.results, err = q.stream(ctx, results); err != nil {
		return err
	}
	if err := q.shareConsumer(ctx); err != nil {
		return err
	}
	q.attempts, err = q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: q.name("attempts"), Replicas: q.opts.Replicas})
	if err != nil {
		return err
	}
	q.large, err = q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: q.name("large"), Replicas: q.opts.Replicas})
	return err
}

// stream returns a stream, which is made where it is missing. One that is there keeps
// its bound unless another one is asked for: most commands say none.
func (q *Queue) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	have, err := q.js.Stream(ctx, c.Name)
	switch {
	case err == nil:
		c = have.CachedInfo().Config
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, err
	}
	if q.opts.MaxBytes != 0 {
		c.MaxBytes = max(q.opts.MaxBytes, -1)
	} else if err == nil {
		return have, nil
	}
	return q.js.CreateOrUpdateStream(ctx, c)
}

// shareConsumer finds or makes the consumer of all workers, which has the time of a
// lease. Workers reckon with that time, so it does not change.
func (q *Queue) shareConsumer(ctx context.Context) (err error) {
	const name = "workers"
	q.consumer, err = q.targets.Consumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		q.consumer, err = q.targets.CreateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: cmp.Or(q.opts.Lease, DefaultLease),
			MaxDeliver: -1,
			// Targets that were given back for a time are pending as well.
			MaxAckPending: -1,
		})
	}
	if err != nil {
		return err
	}
	have := q.consumer.CachedInfo().Config.AckWait
	if q.opts.Lease != 0 && q.opts.Lease != have {
		return fmt.Errorf("its leases last %v, not %v", have, q.opts.Lease)
	}
	q.opts.Lease = have
	return nil
}

func (q *Queue) name(part string) string { return "crawl-" + q.opts.Name + "-" + part }

func (q *Queue) subject(part, token string) string {
	return "crawl." + q.opts.Name + "." + part + "." + token
}

// Close implements crawl.Queue.
func (q *Queue) Close() error {
	q.conn.Close()
	return nil
}

// Offer implements crawl.Queue.
func (q *Queue) Offer(ctx context.Context, target string) (added bool, err error) {
	key, err := crawl.Key(target)
	if err != nil {
		return false, err
	}
	last, err := q.last(ctx, key)
	if err != nil || last.seq != 0 {
		return false, err
	}
	return q.offer(ctx, key, 0)
}

// offer adds a target whose result, where it has one, is the message with a
// sequence number.
func (q *Queue) offer(ctx context.Context, key string, last uint64) (added bool, err error) {
	m := &nats.Msg{Subject: q.subject("targets", token(key)), Data: []byte(key), Header: nats.Header{}}
	if last != 0 {
		m.Header.Set(headerReplaces, fmt.Sprint(last))
	}
	tries := 0
	err = q.patiently(ctx, func(ctx context.Context) error {
		tries++
		_, err := q.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		return err
	})
	if isThere(err) {
		return tries > 1, nil // an earlier try may have been stored
	}
	return err == nil, refusal(err)
}

// place says where a result is.
type place struct {
	seq   uint64 // its sequence number; zero: there is none
	large string // the name of its data, where a message has no room for them
}

// last is the result that a target has.
func (q *Queue) last(ctx context.Context, key string) (p place, err error) {
	err = q.patiently(ctx, func(ctx context.Context) error {
		m, err := q.results.GetLastMsgForSubject(ctx, q.subject("results", token(key)))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		}
		p = place{m.Sequence, m.Header.Get(headerLarge)}
		return nil
	})
	return p, err
}

// Count implements crawl.Queue.
func (q *Queue) Count(ctx context.Context) (c crawl.Counts, err error) {
	err = q.patiently(ctx, func(ctx context.Context) error {
		targets, err := q.targets.Info(ctx)
		if err != nil {
			return err
		}
		consumer, err := q.consumer.Info(ctx)
		if err != nil {
			return err
		}
		results, err := q.results.Info(ctx)
		if err != nil {
			return err
		}
		// The three are read one after another, while workers work, and a worker stores a
		// result before it acknowledges the target. So a target counts as finished only if
		// it had left its stream when that one was read.
		left := targets.State.LastSeq - targets.State.Msgs
		c.Leased = min(uint64(max(consumer.NumAckPending, 0)), targets.State.Msgs)
		c.Waiting, c.Finished = targets.State.Msgs-c.Leased, min(results.State.Msgs, left)
		c.Unstored, err = q.unstored(ctx)
		return err
	})
	return c, err
}

// isThere reports whether a message was refused because its subject has one.
func isThere(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == storeFailed && strings.Contains(api.Description, "messages per subject")
}

// isLater reports whether a result was refused because there is another one.
func isLater(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// refusal turns the error of a server without room into crawl.ErrFull.
func refusal(err error) error {
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return err
	}
	switch api.ErrorCode {
	case storeFailed, noResources, noMoreStorage:
		return fmt.Errorf("%w: %w", crawl.ErrFull, err)
	}
	return err
}
