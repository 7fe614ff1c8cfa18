package discover

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/fuel"
)

// Counted does work on a document for a call.
func (s *Session) Counted(ctx context.Context, f func(*fuel.Counter)) error {
	return s.Engine.Counted(ctx, s.domain, s.Work.Pause, f)
}

// Counted does work on a document, when a parser is free for the domain. It
// ends when ctx does: the error says so, and then nothing that f was making may be
// used. pause is called while it waits. f must not wait for anything.
func (eng *Engine) Counted(ctx context.Context, domain string, pause func() func(), f func(*fuel.Counter)) error {
	defer eng.parsing(ctx, domain, pause)()
	w := fuel.Under(ctx)
	err := w.Do(func() { f(w) })
	eng.Worked.Add(uint64(w.Steps()))
	return err
}

// PartialSteps bounds the work for a caller whose time is up: as many steps as
// pass before running work notices that its caller has left.
const PartialSteps = 50_000
