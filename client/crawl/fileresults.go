package crawl

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Put stores the result of a target that no worker needs to ask, such as a line of a list that
// contains no domain. added is false if the target is already known.
func (q *File) Put(_ context.Context, r Result) (added bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[digestOf(r.Target)] != 0 {
		return false, nil
	}
	if err := q.writeResult(r); err != nil {
		return false, err
	}
	q.setFinished(r.Target, 0)
	return true, nil
}

// writeResult appends the line of a result. It refuses a line that could not be read again,
// because it would make the file unusable.
func (q *File) writeResult(r Result) error {
	data := bytes.TrimSpace(r.Data)
	if bytes.IndexByte(data, '\n') >= 0 {
		return fmt.Errorf("crawl: the result for %q has several lines", r.Target)
	}
	target, _, err := q.opts.Head(headOf(data[:min(len(data), maxHead)]))
	if err != nil || target != "" && target != r.Target {
		return fmt.Errorf("crawl: the result for %q is none that this queue reads", r.Target)
	}
	return q.write(data)
}

// place is the position of a result.
type place struct {
	at      int64
	attempt int
}

// Results implements Queue.
func (q *File) Results(ctx context.Context, cause string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		places, err := q.places(ctx, cause)
		if err != nil {
			yield(Result{}, err)
			return
		}
		for _, p := range places {
			r, err := q.result(p)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// places returns the positions of the last results of targets with a cause, in the order of the
// file. It reads the whole file, and keeps the positions only for this call.
func (q *File) places(ctx context.Context, cause string) ([]place, error) {
	if q.f == nil {
		return nil, errors.ErrUnsupported
	}
	q.mu.Lock()
	end := q.size
	q.mu.Unlock()
	last, tried := map[digest]place{}, map[digest]int{}
	for lines := newLineReader(q.f, 0); lines.at < end && ctx.Err() == nil; {
		line, at, err := lines.next()
		if err != nil {
			return nil, err
		}
		r, err := q.parse(line)
		if err != nil {
			return nil, err
		}
		d := digestOf(r.Target)
		switch {
		case r.Op == opTried:
			tried[d] = r.Attempt
			continue
		case r.Op == opResult && r.Target != "" && (cause == "" || r.cause == cause):
			last[d] = place{at, tried[d] + 1}
		case r.Op == opResult:
			delete(last, d)
		}
		delete(tried, d)
	}
	all := make([]place, 0, len(last))
	for _, p := range last {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	return all, ctx.Err()
}

// result reads the result at a position.
func (q *File) result(p place) (Result, error) {
	line, err := bufio.NewReader(io.NewSectionReader(q.f, p.at, 1<<62)).ReadBytes('\n')
	if err != nil {
		return Result{}, err
	}
	r, err := q.parse(line[:min(len(line), maxHead)])
	return Result{Target: r.Target, Cause: r.cause, Attempt: p.attempt, Data: bytes.TrimSuffix(line, []byte("\n"))}, err
}

// Retry implements Queue.
func (q *File) Retry(ctx context.Context, cause string) (n int, err error) {
	for r, err := range q.Results(ctx, cause) {
		if err != nil {
			return n, err
		}
		added, err := q.again(r.Target)
		if err != nil {
			return n, err
		}
		if added {
			n++
		}
	}
	return n, nil
}

// again offers a target that has a result, unless it is open or contains no domain.
func (q *File) again(target string) (added bool, err error) {
	if key, err := q.opts.Key(target); err != nil || key != target {
		return false, nil // see Put
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known[digestOf(target)]&isOpen != 0 {
		return false, nil
	}
	return true, q.offer(target)
}
