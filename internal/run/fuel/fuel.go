// Package fuel counts the steps of work on documents that have been read, and
// ends it when no caller waits for it any more.
//
// A step is one element of a list, one look-up in a table, or up to [Piece]
// bytes of text. Work that counts no steps itself (a regular expression, a
// sort, a library) is counted before it begins, by the bytes of its input.
package fuel

import (
	"context"
	"errors"
)

const (
	// Piece is the number of bytes of text in one step.
	Piece = 128
	// Every bounds the steps between two looks at the context, except for the
	// last addition. With the largest text that is counted at once, 4 MiB, they
	// are fewer than 50,000.
	Every = 1 << 14
)

// ErrSpent ends work whose number of steps is limited.
var ErrSpent = errors.New("fuel: no steps are left")

// Counter counts the steps of one piece of work, on one goroutine. Nil counts
// nothing and never ends the work.
type Counter struct {
	ctx         context.Context
	steps, next int64
	limit       int64 // zero: none
	inside      bool  // a Do
}

// Under counts work that ends with a context.
func Under(ctx context.Context) *Counter { return &Counter{ctx: ctx} }

// Within counts work that may take a limited number of steps.
func Within(steps int64) *Counter { return &Counter{limit: steps} }

// Context carries the counter to an exported function of this module, which takes
// a context where importers can call it: see [Of].
func (c *Counter) Context() context.Context {
	if c == nil || c.ctx == nil {
		return carrier{context.Background(), c}
	}
	return carrier{c.ctx, c}
}

type carrier struct {
	context.Context
	counter *Counter
}

// Of returns the counter that a context carries, or else a new one [Under] it.
func Of(ctx context.Context) *Counter {
	if c, ok := ctx.(carrier); ok {
		return c.counter
	}
	return Under(ctx)
}

// Steps is the number of steps so far.
func (c *Counter) Steps() int64 {
	if c == nil {
		return 0
	}
	return c.steps
}

// Add counts steps. It does not return when the work has to end: see [Counter.Do].
func (c *Counter) Add(steps int) {
	if c == nil {
		return
	}
	if c.steps += int64(steps); c.steps >= c.next {
		c.look()
	}
}

// Text counts the steps of a text.
func (c *Counter) Text(bytes int) { c.Add(1 + bytes/Piece) }

// look ends the work when it has to end.
func (c *Counter) look() {
	if c.limit > 0 && c.steps > c.limit {
		panic(ended{c, ErrSpent})
	}
	if c.ctx != nil {
		if err := c.ctx.Err(); err != nil {
			panic(ended{c, err})
		}
	}
	if c.next = c.steps + Every; c.limit > 0 {
		c.next = min(c.next, c.limit+1)
	}
}

// ended unwinds the stack to the Do of a counter.
type ended struct {
	counter *Counter
	err     error
}

// Do runs work. The error is nil when it came to its end, that of the context,
// or [ErrSpent]: then its unfinished result must not be used. A Do inside a Do
// of the same counter is a part of it, and ends with it.
func (c *Counter) Do(f func()) (err error) {
	if c == nil || c.inside {
		f()
		return nil
	}
	c.inside = true
	defer func() {
		c.inside = false
		switch v := recover().(type) {
		case nil:
		case ended:
			if v.counter != c {
				panic(v)
			}
			err = v.err
		default:
			panic(v)
		}
	}()
	c.look()
	f()
	return nil
}
