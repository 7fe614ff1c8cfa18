package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
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
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			line += ": " + show(a.Value.Resolve().String())
		}
		return true
	})
	_, err := fmt.Fprintln(h.to, line+"; shown once, --verbose shows all")
	return err
}

// WithAttrs implements slog.Handler.
func (h *warnings) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *warnings) WithGroup(string) slog.Handler { return h }
