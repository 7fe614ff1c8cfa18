package crawl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/filelock"
)

// DefaultLease is the time for which a worker has a target of a File.
const DefaultLease = 2 * time.Minute

// File is a Queue in one process. Its targets and results are lines that are only
// ever appended to a file. It keeps all keys, and the places of the results, in
// memory. One process at a time can open the file.
type File struct {
	lease time.Duration

	mu      sync.Mutex
	f       *os.File
	size    int64
	known   map[string]*entry
	waiting []*entry // in the order of their offers
	leased  int
	changed chan struct{} // closed when a target may have come to wait
	closed  bool
}

// entry is a target.
type entry struct {
	target   string
	open     bool      // it is waiting, leased or given back
	attempts int       // that failed
	at       int64     // of its result's line; -1 without one
	cause    string    // of the result
	lease    *fileHold // nil: it waits
	from     time.Time // it is not taken before
}

// record is one line of a File.
type record struct {
	Schema  string          `json:"schema,omitempty"` // of the first line
	Op      string          `json:"op,omitempty"`
	Target  string          `json:"target,omitempty"`
	Cause   string          `json:"cause,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"` // data that is no JSON value
}

// Values of record.Op.
const (
	opOffer  = "offer"
	opTried  = "tried"
	opResult = "result"
)

const fileSchema = "wayfind/crawl-file/1"

var (
	_ Queue = (*File)(nil)
	_ Lease = (*fileHold)(nil)
)

// OpenFile opens the queue in a file. A missing file is created, readable by its
// owner alone. An incomplete last line, after a crash, is cut off. lease is the
// time for which a worker has a target; zero means DefaultLease.
func OpenFile(name string, lease time.Duration) (*File, error) {
	if lease <= 0 {
		lease = DefaultLease
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Exclusive(f); err != nil {
		return nil, errors.Join(fmt.Errorf("crawl: %s is in use by another process", name), f.Close())
	}
	q := &File{lease: lease, f: f, known: map[string]*entry{}, changed: make(chan struct{})}
	if err := q.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("crawl: %s: %w", name, err), f.Close())
	}
	return q, nil
}

// load reads what an earlier process has written.
func (q *File) load() error {
	in := bufio.NewReaderSize(q.f, 64<<10)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if q.size == 0 {
				if len(line) > 0 {
					return errors.New("it is not a queue; the file was left as it is")
				}
				return q.write(record{Schema: fileSchema})
			}
			return q.f.Truncate(q.size)
		}
		if err != nil {
			return err
		}
		var r record
		if json.Unmarshal(line, &r) != nil || number == 1 && r.Schema != fileSchema || number > 1 && !q.replay(r, q.size) {
			return fmt.Errorf("line %d does not belong to a queue; the file was left as it is", number)
		}
		q.size += int64(len(line))
	}
}

// replay applies a line, and reports whether it is valid.
func (q *File) replay(r record, at int64) bool {
	e := q.known[r.Target]
	switch {
	case r.Op == opOffer && r.Target != "":
		q.open(r.Target)
	case e == nil:
		return false
	case r.Op == opTried:
		e.attempts = r.Attempt
	case r.Op == opResult:
		q.finish(e, r.Cause, at)
	default:
		return false
	}
	return true
}

// open makes a target wait.
func (q *File) open(target string) {
	e := q.known[target]
	if e == nil {
		e = &entry{target: target, at: -1}
		q.known[target] = e
	}
	e.open, e.attempts, e.from = true, 0, time.Time{}
	q.wait(e)
}

// wait puts a target at the end of those that wait.
func (q *File) wait(e *entry) {
	q.waiting = append(q.waiting, e)
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *File) finish(e *entry, cause string, at int64) {
	e.open, e.cause, e.at = false, cause, at
}

// write appends a line.
func (q *File) write(r record) error {
	if q.closed {
		return os.ErrClosed
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	n, err := q.f.WriteAt(append(line, '\n'), q.size)
	if err != nil {
		// The next line takes the place of the part that was written.
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	q.size += int64(n)
	return nil
}

// Offer implements Queue.
func (q *File) Offer(ctx context.Context, target string) (added bool, err error) {
	key, err := Key(target)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[key] != nil || ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err := q.write(record{Op: opOffer, Target: key}); err != nil {
		return false, err
	}
	q.open(key)
	return true, nil
}

// Take implements Queue.
func (q *File) Take(ctx context.Context) (Lease, error) {
	for {
		hold, sooner, changed, err := q.take()
		if hold != nil {
			return hold, nil
		}
		if err != nil {
			return nil, err
		}
		t := time.NewTimer(sooner)
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// take leases the first target that may be taken. If there is none, changed is
// closed when there may be one, and sooner is the time until a target that was
// given back may be taken.
func (q *File) take() (hold *fileHold, sooner time.Duration, changed <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, 0, nil, os.ErrClosed
	}
	now := time.Now()
	sooner = q.lease
	still := q.waiting[:0]
	for i, e := range q.waiting {
		switch {
		case !e.open || e.lease != nil:
			// It was finished by a worker whose lease was over.
		case e.from.After(now):
			sooner = min(sooner, e.from.Sub(now))
			still = append(still, e)
		default:
			q.waiting = append(still, q.waiting[i+1:]...)
			return q.hold(e, now), 0, nil, nil
		}
	}
	q.waiting = still
	if len(q.waiting) == 0 && q.leased == 0 {
		return nil, 0, nil, ErrEmpty
	}
	return nil, sooner, q.changed, nil
}

func (q *File) hold(e *entry, now time.Time) *fileHold {
	h := &fileHold{file: q, entry: e, task: Task{e.target, e.attempts + 1}, until: now.Add(q.lease)}
	e.lease = h
	q.leased++
	h.late = time.AfterFunc(q.lease, h.expire)
	return h
}

// Count implements Queue.
func (q *File) Count(context.Context) (c Counts, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.known {
		switch {
		case e.open && e.lease == nil:
			c.Waiting++
		case e.open:
			c.Leased++
		}
		if e.at >= 0 {
			c.Finished++
		}
	}
	return c, nil
}

// Results implements Queue.
func (q *File) Results(ctx context.Context, cause string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for _, at := range q.places(cause) {
			r, err := q.result(at)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// places are those of the results with a cause.
func (q *File) places(cause string) (at []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.known {
		if e.at >= 0 && (cause == "" || e.cause == cause) {
			at = append(at, e.at)
		}
	}
	return at
}

// result reads the result at a place.
func (q *File) result(at int64) (Result, error) {
	line, err := bufio.NewReader(io.NewSectionReader(q.f, at, 1<<62)).ReadBytes('\n')
	if err != nil {
		return Result{}, err
	}
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return Result{}, err
	}
	data := r.Bytes
	if r.Data != nil {
		data = r.Data
	}
	return Result{Target: r.Target, Cause: r.Cause, Attempt: r.Attempt, Data: data}, nil
}

// Retry implements Queue.
func (q *File) Retry(ctx context.Context, cause string) (n int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.known {
		if e.open || e.at < 0 || cause != "" && e.cause != cause {
			continue
		}
		if err := errors.Join(ctx.Err(), q.write(record{Op: opOffer, Target: e.target})); err != nil {
			return n, err
		}
		q.open(e.target)
		n++
	}
	return n, nil
}

// Close implements Queue.
func (q *File) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	q.closed = true
	for _, e := range q.known {
		if e.lease != nil {
			e.lease.late.Stop()
		}
	}
	return q.f.Close()
}
