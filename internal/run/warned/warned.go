// Package warned writes warnings about a store, and folds those with one cause: a store that fails
// fails for each of thousands of answers, each time with another name in the text.
package warned

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Limits of a Log.
const (
	// every is the shortest time between two warnings with one cause.
	every = time.Minute
	// maxCauses is the largest number of causes that are told apart.
	maxCauses = 64
)

// Log writes warnings. Its zero value and nil write nothing.
type Log struct {
	logger *slog.Logger

	mu     sync.Mutex
	causes map[cause]*told
}

type cause struct{ message, op, text string }

// told is what a Log knows about a cause.
type told struct {
	at   time.Time // the time of the last warning
	more int       // the number of failures since then
}

// To returns a Log to a logger, which may be nil.
func To(logger *slog.Logger) *Log { return &Log{logger: logger} }

// Warn writes a warning about a failed operation. If one with the same cause was written within the
// last minute, it only counts the failure. The next warning has the number in "more".
func (l *Log) Warn(ctx context.Context, message, op string, err error) {
	if l == nil || l.logger == nil {
		return
	}
	more, ok := l.due(cause{message, op, rootOf(err)})
	if !ok {
		return
	}
	attrs := []slog.Attr{slog.String("op", op), slog.Any("err", err)}
	if more > 0 {
		attrs = append(attrs, slog.Int("more", more))
	}
	l.logger.LogAttrs(ctx, slog.LevelWarn, message, attrs...)
}

// due reports whether a warning is due now, and the number of failures since the last one.
func (l *Log) due(c cause) (more int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.causes[c] == nil && len(l.causes) >= maxCauses {
		c.text = ""
	}
	t, now := l.causes[c], time.Now()
	switch {
	case t == nil:
		if l.causes == nil {
			l.causes = map[cause]*told{}
		}
		l.causes[c] = &told{at: now}
		return 0, true
	case now.Sub(t.at) < every:
		t.more++
		return 0, false
	}
	more, t.at, t.more = t.more, now, 0
	return more, true
}

// rootOf returns the text of the innermost error, which has no names of files, keys or hosts.
func rootOf(err error) string {
	for {
		var next error
		switch e := err.(type) { //nolint:errorlint // each step of the chain is looked at
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if list := e.Unwrap(); len(list) > 0 {
				next = list[0]
			}
		}
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
