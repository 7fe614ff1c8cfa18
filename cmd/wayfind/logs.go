package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// newLogger writes to standard error: with verbose each request as log/slog writes it,
// and warnings in the form of the command's other messages without. A warning that
// comes again and again, as from a cache server that is down, is written once unless
// verbose is set.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	if verbose {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(&warnings{to: w, seen: &sync.Map{}})
}

// warnings writes the first record with each message as a line: the message, and the
// error where there is one. Its other attributes are for logs.
type warnings struct {
	to   io.Writer
	seen *sync.Map
}

// Enabled implements slog.Handler.
func (h *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements slog.Handler.
func (h *warnings) Handle(_ context.Context, r slog.Record) error {
	if _, again := h.seen.LoadOrStore(r.Message, true); again {
		return nil
	}
	line := "wayfind: warning: " + show(r.Message)
	chosen := false
	r.Attrs(func(a slog.Attr) bool {
		chosen = chosen || a.Key == "option" && a.Value.String() == "Policy.AllowDev"
		err, failed := a.Value.Resolve().Any().(error)
		switch {
		case a.Key != "err":
		case failed && errors.Is(err, context.DeadlineExceeded) && strings.HasPrefix(r.Message, "cache "):
			line = "wayfind: warning: the cache answered too slowly, and the run goes on without it: the answers are right, and may be asked for again"
		default:
			line += ": " + show(a.Value.Resolve().String())
		}
		return true
	})
	if chosen { // the servers of --dev were named by hand, and each Site says so
		return nil
	}
	_, err := fmt.Fprintln(h.to, line+"; shown once, --verbose shows all")
	return err
}

// WithAttrs implements slog.Handler.
func (h *warnings) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *warnings) WithGroup(string) slog.Handler { return h }
