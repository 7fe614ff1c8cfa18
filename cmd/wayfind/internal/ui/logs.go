package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// NewLogger returns a logger that writes to w. With verbose it logs each request in the format of
// log/slog. Without, it writes only warnings, in the form of the command's other messages. A
// repeated warning, such as that of a cache server that is down, is then written once.
func NewLogger(w io.Writer, verbose bool) *slog.Logger {
	if verbose {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(&warnings{to: w, seen: &sync.Map{}})
}

// warnings writes the first record with each message as a line: the message, and the error if there
// is one. Other attributes are left out.
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
	line := "wayfind: warning: " + Show(r.Message)
	known := false // it needs no warning
	r.Attrs(func(a slog.Attr) bool {
		err, failed := a.Value.Resolve().Any().(error)
		// The user named the servers of --dev, and each Site has a note about them.
		known = known || a.Key == "option" && a.Value.String() == "Policy.AllowDev"
		known = known || failed && errors.Is(err, context.Canceled) // the command ends
		switch {
		case a.Key != "err":
		case failed && errors.Is(err, context.DeadlineExceeded) && strings.HasPrefix(r.Message, "cache "):
			line = "wayfind: warning: the cache answered too slowly, and the run goes on without it: the answers are right, and may be asked for again"
		default:
			line += ": " + Show(a.Value.Resolve().String())
		}
		return true
	})
	if known {
		return nil
	}
	_, err := fmt.Fprintln(h.to, strings.Join(Wrap(line+"; shown once, --verbose shows all", WidthOf(h.to)), "\n"))
	return err
}

// WithAttrs implements slog.Handler.
func (h *warnings) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *warnings) WithGroup(string) slog.Handler { return h }
