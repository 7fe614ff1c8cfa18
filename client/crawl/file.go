package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/filelock"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// defaultLease is the default lifetime of a lease of a File.
const defaultLease = 2 * time.Minute

// FileOptions are the options of a File. Nil and every zero field use the defaults.
type FileOptions struct {
	// Lease is the time for which a worker has a target. The default is two minutes.
	Lease time.Duration
	// Head reads the target and the cause of a result from its Data. It gets at most 64 KiB of
	// the Data, without a last member "site". A result with an empty target is ignored: its
	// target may be offered again. The error is io.ErrUnexpectedEOF if data is only the
	// beginning of a result. The default reads the data of workers without Options.Encode.
	Head func(data []byte) (target, cause string, err error)
	// ResultsOnly keeps the targets in memory, and only results in the file. Targets without a
	// result must be offered again after OpenFile.
	ResultsOnly bool
	// Key returns the key of a target in any spelling. The default is Key. Another function can
	// accept targets that only this process may ask, such as servers under development.
	Key func(target string) (string, error)
}

// File is a Queue for one process. It appends a line to a file for each offer, for each failed
// attempt, and for each result: the Data of the Result, which is a line of JSON that
// FileOptions.Head reads. In memory it keeps the targets that are leased or were given back,
// and about 20 bytes for each other target. Only one process at a time can open the file.
type File struct {
	opts FileOptions
	to   io.Writer // receives the lines

	mu       sync.Mutex
	f        *os.File // nil if the lines go to a stream
	size     int64
	cut      int64
	known    map[digest]state
	open     uint64            // number of targets that wait, are leased or were given back
	finished uint64            // number of targets with a result
	active   map[string]*entry // the open targets that are in memory
	waiting  []*entry          // those that are not leased, in order of arrival
	tried    map[string]int    // number of failed attempts of the open targets that are not in memory
	lines    *lineReader       // finds offers in the file
	offered  int64             // the end of the last offer
	leased   int
	changed  chan struct{} // closed when Take may find a new target
	closed   bool
}

// digest identifies a target. For most targets the file keeps nothing else in memory. Among ten
// million targets, the probability that two have the same digest is 1 in 10^8.
type digest [9]byte

func digestOf(target string) (d digest) {
	sum := sha256.Sum256([]byte(target))
	copy(d[:], sum[:])
	return d
}

// state is the state of a target in a File.
type state uint8

const (
	isOpen    state = 1 << iota // it waits, is leased or was given back
	hasResult                   // also while it is asked again
	isOld                       // it had a result when the file was opened
)

// entry is an open target in memory.
type entry struct {
	target   string
	attempts int // failed attempts
	done     bool
	lease    *fileHold // nil if it waits
	from     time.Time // it is not taken before this time
}

var (
	_ Queue = (*File)(nil)
	_ Lease = (*fileHold)(nil)
)

// OpenFile opens the queue in a file. A missing file is created with read permission for its
// owner only. Links and files that are not regular are refused. An incomplete last line, after
// a crash, is removed. If a line does not belong to a queue, the file is not changed, and the
// error has the code wayfind.CodeStored and contains the line number.
func OpenFile(name string, o *FileOptions) (*File, error) {
	f, err := privatefile.Open(name)
	if err != nil {
		return nil, err
	}
	if err := filelock.Exclusive(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use by another process", name), f.Close())
	}
	q := newFile(o)
	q.f = f
	if err := q.load(); err != nil {
		return nil, errors.Join(wayfind.NewError("crawl", name, wayfind.CodeStored, err), f.Close())
	}
	q.lines = newLineReader(f, 0)
	return q, nil
}

// NewStream returns a queue that writes its results to w and keeps its targets in memory.
// Results and Retry fail with errors.ErrUnsupported.
func NewStream(w io.Writer, o *FileOptions) *File {
	q := newFile(o)
	q.to, q.opts.ResultsOnly = w, true
	return q
}

func newFile(o *FileOptions) *File {
	q := &File{known: map[digest]state{}, active: map[string]*entry{}, tried: map[string]int{}, changed: make(chan struct{})}
	if o != nil {
		q.opts = *o
	}
	if q.opts.Lease <= 0 {
		q.opts.Lease = defaultLease
	}
	if q.opts.Head == nil {
		q.opts.Head = readHead
	}
	if q.opts.Key == nil {
		q.opts.Key = Key
	}
	return q
}

// Cut returns the number of bytes that OpenFile removed.
func (q *File) Cut() int64 { return q.cut }

// HadResult reports whether a target had a result when the file was opened.
func (q *File) HadResult(target string) bool {
	key, err := q.opts.Key(target)
	if err != nil {
		key = target // see Put
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known[digestOf(key)]&isOld != 0
}

// setOpen marks a target as open.
func (q *File) setOpen(target string) {
	d := digestOf(target)
	if q.known[d]&isOpen == 0 {
		q.open++
	}
	q.known[d] |= isOpen
	delete(q.tried, target)
}

// setFinished marks a target as finished.
func (q *File) setFinished(target string, how state) {
	d := digestOf(target)
	if q.known[d]&isOpen != 0 {
		q.open--
	}
	if q.known[d]&hasResult == 0 {
		q.finished++
	}
	q.known[d] = q.known[d]&isOld | hasResult | how
	delete(q.tried, target)
}

// wait appends a target to the list of waiting targets.
func (q *File) wait(e *entry) {
	q.waiting = append(q.waiting, e)
	q.wake()
}

// wake causes Take to look again.
func (q *File) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// write appends a line.
func (q *File) write(line []byte) error {
	if q.closed {
		return os.ErrClosed
	}
	line = append(line, '\n')
	var err error
	if q.f != nil {
		_, err = q.f.WriteAt(line, q.size)
	} else {
		_, err = q.to.Write(line)
	}
	if err != nil {
		if q.f != nil {
			_ = q.f.Truncate(q.size) // otherwise the next line would overwrite the part that was written
		}
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	q.size += int64(len(line))
	return nil
}

// writeRecord appends a line about a target without a result.
func (q *File) writeRecord(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return q.write(line)
}

// Offer implements Queue.
func (q *File) Offer(ctx context.Context, target string) (added bool, err error) {
	key, err := q.opts.Key(target)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[digestOf(key)] != 0 || ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err := q.offer(key); err != nil {
		return false, err
	}
	return true, nil
}

// offer adds a waiting target, in the file or in memory.
func (q *File) offer(key string) error {
	if q.opts.ResultsOnly {
		if q.closed {
			return os.ErrClosed
		}
		q.setOpen(key)
		q.active[key] = &entry{target: key}
		q.wait(q.active[key])
		return nil
	}
	if err := q.writeRecord(record{Op: opOffer, Target: key}); err != nil {
		return err
	}
	q.offered = q.size
	q.setOpen(key)
	q.wake()
	return nil
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

// take leases the first target that may be taken. If there is none, changed is closed when
// there may be one, and sooner is the time until a target that was given back may be taken.
func (q *File) take() (hold *fileHold, sooner time.Duration, changed <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, 0, nil, os.ErrClosed
	}
	now := time.Now()
	sooner = q.opts.Lease
	still := q.waiting[:0]
	for i, e := range q.waiting {
		switch {
		case e.done || e.lease != nil:
			// A worker whose lease had expired finished it.
		case e.from.After(now):
			sooner = min(sooner, e.from.Sub(now))
			still = append(still, e)
		default:
			q.waiting = append(still, q.waiting[i+1:]...)
			return q.hold(e, now), 0, nil, nil
		}
	}
	q.waiting = still
	switch e, err := q.nextOffer(); {
	case err != nil:
		return nil, 0, nil, err
	case e != nil:
		return q.hold(e, now), 0, nil, nil
	case q.open == 0 && q.leased == 0:
		return nil, 0, nil, ErrEmpty
	}
	return nil, sooner, q.changed, nil
}

// nextOffer returns the next target in the file that is open and not in memory, or nil if there
// is none.
func (q *File) nextOffer() (*entry, error) {
	for q.f != nil && q.lines.at < q.offered {
		line, _, err := q.lines.next()
		if err != nil {
			return nil, err
		}
		r, err := q.parse(line)
		if err != nil {
			return nil, err
		}
		if r.Op != opOffer || q.known[digestOf(r.Target)]&isOpen == 0 || q.active[r.Target] != nil {
			continue
		}
		e := &entry{target: r.Target, attempts: q.tried[r.Target]}
		delete(q.tried, r.Target)
		q.active[r.Target] = e
		return e, nil
	}
	return nil, nil
}

func (q *File) hold(e *entry, now time.Time) *fileHold {
	h := &fileHold{file: q, entry: e, task: Task{e.target, e.attempts + 1}, until: now.Add(q.opts.Lease)}
	e.lease = h
	q.leased++
	h.late = time.AfterFunc(q.opts.Lease, h.expire)
	return h
}

// Count implements Queue.
func (q *File) Count(context.Context) (Counts, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	leased := uint64(q.leased)
	return Counts{Waiting: q.open - min(leased, q.open), Leased: leased, Finished: q.finished}, nil
}

// Close implements Queue.
func (q *File) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	q.closed = true
	for _, e := range q.active {
		if e.lease != nil {
			e.lease.late.Stop()
		}
	}
	if q.f == nil {
		return nil
	}
	return q.f.Close()
}
