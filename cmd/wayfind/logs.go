package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
)

// newLogger writes to standard error: warnings, and with verbose each request. A
// warning that comes again and again, as from a cache server that is down, is
// written once unless verbose is set.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	if verbose {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(&onceHandler{Handler: slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}), seen: &sync.Map{}})
}

// onceHandler passes on the first record with each message.
type onceHandler struct {
	slog.Handler
	seen *sync.Map
}

// Handle implements slog.Handler.
func (h *onceHandler) Handle(ctx context.Context, r slog.Record) error {
	if _, again := h.seen.LoadOrStore(r.Message, true); again {
		return nil
	}
	r = r.Clone()
	r.AddAttrs(slog.String("more", "shown once; --verbose shows all"))
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *onceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &onceHandler{h.Handler.WithAttrs(attrs), h.seen}
}

// WithGroup implements slog.Handler.
func (h *onceHandler) WithGroup(name string) slog.Handler {
	return &onceHandler{h.Handler.WithGroup(name), h.seen}
}
