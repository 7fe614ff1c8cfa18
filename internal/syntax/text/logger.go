package text

import (
	"context"
	"fmt"
	"log/slog"
)

// PrintableLogger returns a logger that passes only printable text to the handler of l. The
// handlers of log/slog do not escape DEL, C1 and bidirectional controls in JSON, or variation
// selectors in text.
func PrintableLogger(l *slog.Logger) *slog.Logger {
	return slog.New(printableHandler{l.Handler()})
}

// printableHandler makes records printable for the next handler.
type printableHandler struct{ next slog.Handler }

// Enabled implements slog.Handler.
func (h printableHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h printableHandler) Handle(ctx context.Context, r slog.Record) error {
	own := slog.NewRecord(r.Time, r.Level, Printable(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		own.AddAttrs(printableAttr(a))
		return true
	})
	return h.next.Handle(ctx, own)
}

// WithAttrs implements slog.Handler.
func (h printableHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return printableHandler{h.next.WithAttrs(printableAttrs(attrs))}
}

// WithGroup implements slog.Handler.
func (h printableHandler) WithGroup(name string) slog.Handler {
	return printableHandler{h.next.WithGroup(Printable(name))}
}

func printableAttrs(attrs []slog.Attr) []slog.Attr {
	own := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		own[i] = printableAttr(a)
	}
	return own
}

// printableAttr keeps numbers, times and errors, and converts all other values to text.
func printableAttr(a slog.Attr) slog.Attr {
	a.Key = Printable(a.Key)
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Printable(v.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(printableAttrs(v.Group())...)
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			a.Value = slog.AnyValue(printableError{err})
			break
		}
		a.Value = slog.StringValue(Printable(fmt.Sprint(v.Any())))
	}
	return a
}

// printableError is an error whose text is printable.
type printableError struct{ error }

func (e printableError) Error() string { return Printable(e.error.Error()) }

func (e printableError) Unwrap() error { return e.error }
