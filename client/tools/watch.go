package tools

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Update is a Box of [Watch] with its differences from the one before. The first has those
// from a Box of no domain.
type Update struct {
	Box *Box
	// Added and Removed are the names of tools that one of the Boxes has, in the order of the
	// Box that has them.
	Added, Removed []string
	// Changed are the tools whose definitions differ, in the order of Box.
	Changed []Changed
	// Failed are the entries of Skipped that the Box before did not have, and Recovered those
	// that only it had. [CodeStale] is for a document that the site gave before and does not
	// give now. A domain, document or server that could not be asked takes no tool away.
	Failed, Recovered []Skipped
}

// Changed is a tool whose definition is another one than before.
type Changed struct {
	Name string
	// Changes are field by field, of the capability and its service. Grade orders them for a
	// user who has agreed to the definition before.
	Changes []diff.Change
	Grade   diff.Grade
}

// Riskier are the changed tools that may do or ask for more than before, or for something
// else.
func (u *Update) Riskier() (list []Changed) {
	for _, c := range u.Changed {
		if !c.Grade.Passes() {
			list = append(list, c)
		}
	}
	return list
}

const (
	// leastPause is the least time between two readings of a domain, and mostPause the
	// longest time for which one that failed is left alone.
	leastPause = time.Second
	mostPause  = time.Hour
	// failedPause is the time after the first failure. It doubles with each.
	failedPause = time.Minute
	// settleTime is how long an Update waits for other domains that are being read.
	settleTime = 10 * time.Second
)

// Watch is a [Load] that goes on: it yields a Box, and another one whenever something has
// changed, until ctx ends or the loop does. Breaking the loop stops the work and waits for
// it. A domain is read again when one of its documents and answers is no longer fresh, or
// some time after a failure, under ctx as by Load; the others keep their tools. Names stay.
//
// A change appears in one Update. Of the changes within the lifetime of a document the last
// one counts. A domain that takes long does not hold up the others: their Update comes 10
// seconds after the first of them was read. An error is that of Options, or of the names of
// one Box; the Box before stays valid.
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
			if !w.wait(ctx) {
				continue
			}
			if update, err := w.update(ctx); (update != nil || err != nil) && ctx.Err() == nil && !yield(update, err) {
				return
			}
		}
	}
}

// watch is a Watch at work. It belongs to one goroutine.
type watch struct {
	client  *client.Client
	opts    Options
	sieve   *sieve
	domains []string
	held    []holding // by the place in the list
	box     *Box

	work  sync.WaitGroup
	read  chan reading
	busy  int       // domains that are being read
	since time.Time // of the first reading that no Update has; zero: there is none
	// changed are tools of those readings, by their subjects.
	changed map[string]Changed
	yielded bool
}

// holding is the last reading of a domain.
type holding struct {
	part  *Box
	due   time.Time
	busy  bool
	fails int
}

// reading is the part of one domain.
type reading struct {
	place int
	part  *Box
}

func newWatch(c *client.Client, domains []string, opts *Options) (*watch, error) {
	w := &watch{client: c, domains: slices.Clone(domains), held: make([]holding, len(domains)), box: &Box{}, read: make(chan reading, len(domains)), changed: make(map[string]Changed)}
	if opts != nil {
		w.opts = *opts
	}
	var err error
	w.box.given, w.sieve, err = readOptions(&w.opts)
	w.box.order(nil)
	return w, err
}

// begin begins to read the domains that are due.
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
	l := newLoader(w.client, &w.opts, newRoom())
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
	case <-ctx.Done():
		return false
	}
	return !w.since.IsZero() && (w.busy == 0 || time.Since(w.since) >= settleTime)
}

// next is when the next domain is due; zero if all are being read.
func (w *watch) next() (until time.Time) {
	for i := range w.held {
		if h := &w.held[i]; !h.busy && (until.IsZero() || h.due.Before(until)) {
			until = h.due
		}
	}
	return until
}

// take takes the reading of a domain in the place of the one before.
func (w *watch) take(ctx context.Context, r reading) {
	h, now := &w.held[r.place], time.Now()
	w.busy--
	h.busy = false
	if ctx.Err() != nil {
		return
	}
	h.due = dueAfter(r.part, now, h.fails)
	if h.fails++; !fails(r.part) {
		h.fails = 0
	}
	if h.part != nil {
		r.part.keep(h.part)
		maps.Copy(w.changed, r.part.changedSince(ctx, h.part))
	}
	h.part = r.part
	if w.since.IsZero() {
		w.since = now
	}
}

// dueAfter is when a domain is read again that has failed some times in turn before.
func dueAfter(part *Box, now time.Time, before int) time.Time {
	due := part.freshUntil
	if due.IsZero() {
		due = now.Add(mostPause)
	}
	if fails(part) {
		if soon := now.Add(min(failedPause<<min(before, 8), mostPause)); !due.After(now) || soon.Before(due) {
			due = soon
		}
		for i := range part.skipped {
			if e, ok := errors.AsType[*wayfind.Error](part.skipped[i].Err); ok && e.NotBefore.After(due) {
				due = e.NotBefore
			}
		}
	}
	if least := now.Add(leastPause); due.Before(least) {
		return least
	}
	return due
}

// fails reports whether a part of a domain failed in a way that passes.
func fails(part *Box) bool {
	return len(part.stale) > 0 || slices.ContainsFunc(part.skipped, func(s Skipped) bool {
		return errors.Is(s.Err, wayfind.ErrUnreachable) || errors.Is(s.Err, wayfind.ErrThrottled)
	})
}

// update makes the next Update; nil if nothing has changed.
func (w *watch) update(ctx context.Context) (*Update, error) {
	w.since = time.Time{}
	l := newLoader(w.client, &w.opts, newRoom())
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
	u := w.updateTo(l.box)
	w.box = l.box
	clear(w.changed)
	if w.yielded && len(u.Added)+len(u.Removed)+len(u.Changed)+len(u.Failed)+len(u.Recovered) == 0 {
		return nil, nil
	}
	w.yielded = true
	return u, nil
}

// updateTo is the Update to a Box.
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
