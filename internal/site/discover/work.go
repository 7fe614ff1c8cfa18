package discover

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// usualSize is the size of documents that is assumed if it is not known.
const usualSize = 64 << 10

// Counted does work on a document for a call.
func (s *Session) Counted(ctx context.Context, f func(*fuel.Counter)) error {
	return s.counted(ctx, usualSize, f)
}

// counted is Counted for documents of the given size.
func (s *Session) counted(ctx context.Context, size int64, f func(*fuel.Counter)) error {
	return s.Engine.counted(ctx, s.domain, size, s.Work.Pause, f)
}

// Counted does work on a document when a parser is free for the domain. It ends when ctx ends. Then
// it returns an error, and the results of f must not be used. pause is called while it waits. f
// must not wait for anything.
func (eng *Engine) Counted(ctx context.Context, domain string, pause func() func(), f func(*fuel.Counter)) error {
	return eng.counted(ctx, domain, usualSize, pause, f)
}

func (eng *Engine) counted(ctx context.Context, domain string, size int64, pause func() func(), f func(*fuel.Counter)) error {
	defer eng.parsing(ctx, domain, size, pause)()
	w := fuel.Under(ctx)
	err := w.Do(func() { f(w) })
	eng.Worked.Add(uint64(w.Steps()))
	return err
}

// PartialSteps bounds the work for a caller whose time ran out. It is the number of steps after
// which running work notices that its caller has left.
const PartialSteps = 50_000
