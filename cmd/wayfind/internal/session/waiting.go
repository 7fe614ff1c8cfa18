package session

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// watching counts the answers of a Client that is made of o, and returns a sentence about them.
func watching(o *client.Options, targets []string) func() string {
	var answers, open atomic.Int64
	begun, before := time.Now(), o.Observe
	o.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
		end := func(client.Event) {}
		if before != nil {
			ctx, end = before(ctx, e)
		}
		if e.Kind != client.EventExchange {
			return ctx, end
		}
		open.Add(1)
		return ctx, func(e client.Event) {
			open.Add(-1)
			answers.Add(1)
			end(e)
		}
	}
	what := targets[0]
	if len(targets) > 1 {
		what = humanize.Count(len(targets), "domain")
	}
	return func() string {
		return fmt.Sprintf("asking %s for %d s: %s, %d under way", what, int(time.Since(begun).Seconds()), humanize.Count(int(answers.Load()), "answer"), open.Load())
	}
}
