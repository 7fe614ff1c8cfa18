package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Update is a Box of [Watch] with its differences from the previous one. The first Update has
// the differences from an empty Box.
type Update struct {
	Box *Box
	// Added and Removed are the names of tools that only one of the Boxes has, in the order of
	// that Box.
	Added, Removed []string
	// Changed are the tools whose definitions differ, in the order of Box.
	Changed []Changed
	// Failed are the entries of Skipped that the previous Box did not have, and Recovered the
	// entries that only the previous Box had. [CodeStale] is for a document that the site
	// returned before and does not return now. If a domain, document or server could not be
	// asked, no tool is removed.
	Failed, Recovered []Skipped
}

// Changed is a tool whose definition has changed.
type Changed struct {
	Name string
	// Changes are the changes field by field, of the capability and its service. Grade is their
	// grade for a user who has agreed to the previous definition.
	Changes []diff.Change
	Grade   diff.Grade
}

// Riskier returns the changed tools that may do or require more than before, or something
// different.
func (u *Update) Riskier() (list []Changed) {
	for _, c := range u.Changed {
		if !c.Grade.Passes() {
			list = append(list, c)
		}
	}
	return list
}

const (
	// leastPause is the default of Options.LeastPause. mostPause is the maximum time before a domain
	// that failed is read again, and that a floor becomes by doubling.
	leastPause = 5 * time.Minute
	mostPause  = time.Hour
	// failedPause is the time after the first failure. It doubles with each failure.
	failedPause = time.Minute
	// settleTime is the time for which an Update waits for other domains that are being read.
	settleTime = 10 * time.Second
)

// Watch is like a continuous [Load]: it yields a Box, and another one whenever something has
// changed, until ctx ends or the loop does. Breaking the loop stops the work and waits for its
// end. A domain is read again when one of its documents or answers is no longer fresh, or some
// time after a failure, under ctx as by Load. The other domains keep their tools. Names do not
// change.
//
// The time between two readings has a floor, whatever lifetime the site states:
// [Options.LeastPause], by default 5 minutes. The floor doubles, up to an hour, with each reading
// that changes nothing, and a change restores it. A lifetime that is longer than the floor counts.
// After failures in a row, the pause is 1, 2, 4 minutes and so on, up to an hour.
//
// Each change is in one Update. If a document changes several times within its lifetime, only
// the last change is seen. A slow domain does not delay the others: their Update is yielded 10
// seconds after the first of them was read. An error is an error of Options, or of the names of
// one Box; the previous Box remains valid. If the Client is closed, the last error is
// wayfind.ErrClosed, and the loop ends.
func Watch(ctx context.Context, c *client.Client, domains []string, opts *Options) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		w, err := newWatch(c, domains, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer w.work.Wait()
		defer cancel()
		for ctx.Err() == nil {
			w.begin(ctx)
			ready := w.wait(ctx)
			if w.closed != nil {
				yield(nil, w.closed)
				return
			}
			if !ready {
				continue
			}
			if update, err := w.update(ctx); (update != nil || err != nil) && ctx.Err() == nil && !yield(update, err) {
				return
			}
		}
	}
}

// watch is the state of one Watch. It is used by one goroutine.
type watch struct {
	client  *client.Client
	opts    Options
	sieve   *sieve
	domains []string
	held    []holding // by the index in the list
	box     *Box

	work  sync.WaitGroup
	read  chan reading
	busy  int       // number of domains that are being read
	since time.Time // of the first reading that is not yet in an Update; zero if there is none
	// changed are the changed tools of these readings, by subject.
	changed map[string]Changed
	yielded bool
	closed  error // the error of a reading after the Client was closed
}

// holding is the last reading of a domain.
type holding struct {
	part  *Box
	due   time.Time
	busy  bool
	fails int // in a row
	quiet int // readings in a row that changed nothing
}

// reading is the part of one domain.
type reading struct {
	place int
	part  *Box
}

func newWatch(c *client.Client, domains []string, opts *Options) (*watch, error) {
	if err := access.Check(c); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	w := &watch{client: c, domains: slices.Clone(domains), held: make([]holding, len(domains)), box: &Box{}, read: make(chan reading, len(domains)), changed: make(map[string]Changed)}
	if opts != nil {
		w.opts = *opts
	}
	var err error
	w.box.given, w.sieve, err = readOptions(&w.opts)
	w.box.order(nil)
	return w, err
}

// begin starts to read the domains that are due.
func (w *watch) begin(ctx context.Context) {
	now := time.Now()
	var due []int
	for i := range w.held {
		if h := &w.held[i]; !h.busy && !now.Before(h.due) {
			h.busy = true
			due = append(due, i)
		}
	}
	if len(due) == 0 {
		return
	}
	w.busy += len(due)
	l := newLoader(w.client, &w.opts, newBudget())
	l.sieve = w.sieve
	domains := make([]string, len(due))
	for i, place := range due {
		domains[i] = w.domains[place]
	}
	w.work.Go(func() {
		l.parts(ctx, domains, func(i int, part *Box) { w.read <- reading{due[i], part} })
	})
}

// wait waits for readings, and reports whether they should become an Update.
func (w *watch) wait(ctx context.Context) bool {
	until := w.next()
	if !w.since.IsZero() {
		if settled := w.since.Add(settleTime); until.IsZero() || settled.Before(until) {
			until = settled
		}
	}
	var timer <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		timer = t.C
	}
	select {
	case r := <-w.read:
		w.take(ctx, r)
		for range len(w.read) {
			w.take(ctx, <-w.read)
		}
	case <-timer:
	case <-access.Of(w.client).Closed():
		w.closed = access.ErrClosed("load")
	case <-ctx.Done():
		return false
	}
	return !w.since.IsZero() && (w.busy == 0 || time.Since(w.since) >= settleTime)
}

// next returns the time at which the next domain is due, or zero if all are being read.
func (w *watch) next() (until time.Time) {
	for i := range w.held {
		if h := &w.held[i]; !h.busy && (until.IsZero() || h.due.Before(until)) {
			until = h.due
		}
	}
	return until
}

// take replaces the previous reading of a domain with a new one.
func (w *watch) take(ctx context.Context, r reading) {
	h, now := &w.held[r.place], time.Now()
	w.busy--
	h.busy = false
	if ctx.Err() != nil {
		return
	}
	w.closed = cmp.Or(w.closed, r.part.closed())
	if h.part != nil {
		r.part.keep(h.part)
		changed := r.part.changedSince(ctx, h.part)
		if h.quiet++; len(changed) > 0 || !r.part.offersAs(h.part) {
			h.quiet = 0
		}
		maps.Copy(w.changed, changed)
	}
	h.part = r.part
	h.due = dueAfter(r.part, now, h.fails, w.opts.floor(h.quiet))
	if h.fails++; !fails(r.part) {
		h.fails = 0
	}
	if w.since.IsZero() {
		w.since = now
	}
}

// floor returns the minimum time between two readings of a domain, after a number of readings in
// a row that changed nothing.
func (o *Options) floor(quiet int) time.Duration {
	least := cmp.Or(o.LeastPause, leastPause)
	for ; quiet > 0 && least < mostPause; quiet-- {
		least = min(2*least, mostPause)
	}
	return least
}

// dueAfter returns the time at which a domain is read again. before is the number of failures
// in a row before this reading, and least the minimum pause, which a failure can only shorten to
// its own.
func dueAfter(part *Box, now time.Time, before int, least time.Duration) time.Time {
	due := part.freshUntil
	if due.IsZero() {
		due = now.Add(mostPause)
	}
	if fails(part) {
		pause := min(failedPause<<min(before, 8), mostPause)
		least = min(least, pause)
		if soon := now.Add(pause); !due.After(now) || soon.Before(due) {
			due = soon
		}
		for i := range part.skipped {
			if e, ok := errors.AsType[*wayfind.Error](part.skipped[i].Err); ok && e.NotBefore.After(due) {
				due = e.NotBefore
			}
		}
	}
	if earliest := now.Add(least); due.Before(earliest) {
		return earliest
	}
	return due
}

// fails reports whether a part of a domain failed temporarily.
func fails(part *Box) bool {
	return len(part.stale) > 0 || slices.ContainsFunc(part.skipped, func(s Skipped) bool {
		return s.Part() || errors.Is(s.Err, wayfind.ErrUnreachable) || errors.Is(s.Err, wayfind.ErrThrottled)
	})
}

// update returns the next Update, or nil if nothing has changed.
func (w *watch) update(ctx context.Context) (*Update, error) {
	w.since = time.Time{}
	l := newLoader(w.client, &w.opts, newBudget())
	l.box.given, l.sieve = w.box.table().subjects(), w.sieve
	for i := range w.held {
		if part := w.held[i].part; part != nil {
			l.took(part)
			for _, t := range part.tools {
				l.admit(t)
			}
			l.box.skipped, l.box.stale = append(l.box.skipped, part.skipped...), append(l.box.stale, part.stale...)
		}
	}
	l.unmet()
	l.choose()
	if err := l.finish(ctx); err != nil {
		return nil, err
	}
	u, before := w.updateTo(l.box), w.box.noted(maxNoted)
	w.box = l.box
	clear(w.changed)
	if w.yielded && len(u.Added)+len(u.Removed)+len(u.Changed)+len(u.Failed)+len(u.Recovered) == 0 && l.box.noted(maxNoted) == before {
		return nil, nil
	}
	w.yielded = true
	return u, nil
}

// updateTo returns the Update to a Box.
func (w *watch) updateTo(now *Box) *Update {
	was, is := slices.Concat(w.box.skipped, w.box.stale), slices.Concat(now.skipped, now.stale)
	u := &Update{Box: now, Failed: newIn(is, was), Recovered: newIn(was, is)}
	before, after := w.box.bySubject(), now.bySubject()
	for i := range now.tools {
		id := now.tools[i].subject()
		if before[id] == nil {
			u.Added = append(u.Added, now.tools[i].Name)
		} else if c, changed := w.changed[id]; changed {
			c.Name = now.tools[i].Name
			u.Changed = append(u.Changed, c)
		}
	}
	for i := range w.box.tools {
		if t := &w.box.tools[i]; after[t.subject()] == nil {
			u.Removed = append(u.Removed, t.Name)
		}
	}
	return u
}
