package discover

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// failureMemory is the size of the table of failures, in bytes.
const failureMemory = 1 << 20

// failureTable remembers requests that would end the same way again and whose answers the response
// cache cannot hold, for example a body beyond the limit or a redirect loop. It belongs to this
// Client alone, as the limits do: another Client may read more.
type failureTable struct {
	clock *clock.Clock
	table *memory.Cache[*failure]
	used  atomic.Bool // most Clients have no failure, and need no key
}

type failure struct {
	key   string
	err   error
	chain []string
	clock.Expiry
}

func newFailureTable(clk *clock.Clock) *failureTable {
	table, _ := memory.NewCache[*failure](failureMemory) // no error: the size is positive
	return &failureTable{clock: clk, table: table}
}

// recall returns the remembered result of the same request.
func (f *failureTable) recall(t *candidateFetch) (*failure, bool) {
	if !f.used.Load() {
		return nil, false
	}
	key := failureKey(t)
	have, ok := f.table.Get(key)
	return have, ok && have.key == key && have.Fresh(f.clock)
}

// remember keeps a failure if it is a fact about the answer.
func (f *failureTable) remember(t *candidateFetch, err error, until time.Time) {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return
	}
	switch e.Code {
	case wayfind.CodeTooLarge, wayfind.CodeEncoding, wayfind.CodeStatus, wayfind.CodeRedirectLoop, wayfind.CodeRedirectLimit:
	default:
		return
	}
	have := &failure{key: failureKey(t), err: err, chain: t.walk.Chain, Expiry: clock.ExpiryAt(f.clock, until)}
	f.used.Store(true)
	f.table.Set(have.key, have, int64(1024+len(have.key)), until.Sub(f.clock.Now()))
}

// failureKey identifies a request, the limits under which it failed, and the owner of its
// credential.
func failureKey(t *candidateFetch) string {
	return fmt.Sprintf("%d %d %v %q %s", t.most.Limit, t.walk.Redirects, t.walk.SameSiteOnly, t.Partition, t.walk.URL)
}
