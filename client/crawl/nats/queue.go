// Package nats keeps the queue of a crawl in NATS JetStream: a work-queue stream with one
// subject for each target, and a stream of results with one message for each result. The server
// measures the time of leases, so the clocks of workers may differ.
//
// It requires nats-server 2.11 or later, with JetStream.
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

// These are the defaults of Options.
const (
	// DefaultName is the default name of the streams.
	DefaultName = "wayfind"
	// defaultLease is the time for which a worker has a target.
	defaultLease = 2 * time.Minute
	// defaultPatience is the time for which an operation waits for an absent server.
	defaultPatience = 5 * time.Minute
)

// Options are the options of a queue. Nil and zero fields mean the defaults.
type Options struct {
	// Name distinguishes several crawls on one server. It consists of at most 32 letters,
	// digits, "-" and "_". The default is DefaultName.
	Name string
	// Lease is the time for which a worker holds a target. To renew the lease restarts that
	// time. The default is the lease of the queue, or two minutes for a new queue. Open fails
	// if the queue has a different lease.
	Lease time.Duration
	// MaxBytes limits the size of each of the two streams from now on. A negative value means
	// no limit. The default is the limit of the queue, or no limit for a new queue. If it is
	// reached, Offer and Done fail with crawl.ErrFull, and stored data is kept.
	MaxBytes int64
	// Replicas is the number of replicas of the streams of a new queue in a cluster. The
	// default is 1.
	Replicas int
	// Patience is the time for which an operation waits for an absent server. The default is
	// five minutes.
	Patience time.Duration
	// Connect contains options of the connection, for example credentials and TLS.
	Connect []nats.Option
}

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func (o *Options) withDefaults() (Options, error) {
	var own Options
	if o != nil {
		own = *o
	}
	own.Name = cmp.Or(own.Name, DefaultName)
	own.Patience = cmp.Or(own.Patience, defaultPatience)
	own.Replicas = cmp.Or(own.Replicas, 1)
	switch {
	case !queueName.MatchString(own.Name):
		return own, errors.New("crawl: the name of a queue must have 1 to 32 letters, digits, \"-\" and \"_\"")
	case own.Lease != 0 && own.Lease < time.Second:
		return own, errors.New("crawl: a lease must last one second or longer")
	}
	return own, nil
}

// Queue is a crawl.Queue in JetStream.
type Queue struct {
	opts Options
	conn *nats.Conn
	js   jetstream.JetStream

	targets  jetstream.Stream      // one message for each open target
	results  jetstream.Stream      // one message for each finished target
	consumer jetstream.Consumer    // the consumer of targets, which all workers share
	attempts jetstream.KeyValue    // the attempts at targets that were asked before
	large    jetstream.ObjectStore // data of results that is too large for a message

	writers sync.Pool // of *gzip.Writer
}

var _ crawl.Ledger = (*Queue)(nil)

// Open connects to a server ("nats://host:4222", or several URLs with commas) and creates the
// streams of the queue if they do not exist.
func Open(ctx context.Context, server string, o *Options) (*Queue, error) {
	own, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	connect := append([]nats.Option{nats.Name("wayfind crawl"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		// A message about a lease must not reach the server after its end.
		nats.ReconnectBufSize(-1), nats.SetCustomDialer(dialer{})}, own.Connect...)
	conn, err := nats.Connect(server, connect...)
	if _, ok := errors.AsType[*url.Error](err); ok {
		err = errors.New("its URL cannot be read") // the error of the library contains the URL, which may contain a password
	}
	if errors.Is(err, nats.ErrNoServers) {
		err = errors.New("nothing answers at its address") // or nothing that speaks the protocol
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

// prepare creates the missing streams and buckets.
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

// stream returns a stream, and creates it if it does not exist. An existing stream keeps its
// limit unless the options set another one, because most commands set no limit.
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

// shareConsumer returns the consumer of all workers, and creates it if it does not exist. The
// time of a lease is a property of the consumer. It never changes, because workers rely on it.
func (q *Queue) shareConsumer(ctx context.Context) (err error) {
	const name = "workers"
	q.consumer, err = q.targets.Consumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		q.consumer, err = q.targets.CreateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: cmp.Or(q.opts.Lease, defaultLease),
			MaxDeliver: -1,
			// Targets that were returned for a time are pending too.
			MaxAckPending: -1,
		})
	}
	if err != nil {
		return err
	}
	have := q.consumer.CachedInfo().Config.AckWait
	if q.opts.Lease != 0 && q.opts.Lease != have {
		return fmt.Errorf("its leases last %v and not %v", have, q.opts.Lease)
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

// offer adds a target. If the target has a result, last is the sequence number of its message.
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
		return tries > 1, nil // an earlier try may have stored it
	}
	return err == nil, refusal(err)
}

// place is the place of a result.
type place struct {
	seq   uint64 // its sequence number; zero: there is no result
	large string // the name of its data, if the data is too large for the message
}

// last returns the place of the result of a target.
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
		// The three values are read one after another, while workers continue, and a worker
		// stores a result before it acknowledges the target. A target is therefore counted as
		// finished only if it had left its stream when the stream was read.
		left := targets.State.LastSeq - targets.State.Msgs
		c.Leased = min(uint64(max(consumer.NumAckPending, 0)), targets.State.Msgs)
		c.Waiting, c.Finished = targets.State.Msgs-c.Leased, min(results.State.Msgs, left)
		c.Unstored, err = q.unstored(ctx)
		return err
	})
	return c, err
}

// isThere reports whether a message was refused because its subject already has one.
func isThere(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == storeFailed && strings.Contains(api.Description, "messages per subject")
}

// isLater reports whether a result was refused because there is another one.
func isLater(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// refusal returns crawl.ErrFull if a server has no room.
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
