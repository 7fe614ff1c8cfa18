package client

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/work"
)

// counted does work on a document for a call.
func (a *asking) counted(ctx context.Context, f func(*work.Counter)) error {
	return a.engine.counted(ctx, a.domain, a.work.Pause, f)
}

// counted does work on a document, when a parser is free for the domain. It
// ends when ctx does: the error says so, and then nothing that f was making may be
// used. pause is called while it waits. f must not wait for anything.
func (eng *engine) counted(ctx context.Context, domain string, pause func() func(), f func(*work.Counter)) error {
	defer eng.parsing(ctx, domain, pause)()
	w := work.Under(ctx)
	err := w.Do(func() { f(w) })
	eng.counters.steps.Add(uint64(w.Steps()))
	return err
}

// partialSteps bounds the work for a caller whose time is up: as many steps as
// pass before running work notices that its caller has left.
const partialSteps = 50_000
