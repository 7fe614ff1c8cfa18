package flight_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/flight"
)

type group = flight.Group[string, int, string]

func TestManyJoinersOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		var runs, joins atomic.Int32
		var wg sync.WaitGroup
		callers := testkit.Crowd(1000)
		for range callers {
			wg.Go(func() {
				ticket, joined := g.Join("k", func(context.Context, func(int)) (string, error) {
					runs.Add(1)
					time.Sleep(time.Second)
					return "answer", nil
				})
				defer ticket.Leave()
				if joined {
					joins.Add(1)
				}
				if got, err := ticket.Wait(t.Context()); got != "answer" || err != nil {
					t.Errorf("Wait = %q, %v", got, err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 || int(joins.Load()) != callers-1 {
			t.Errorf("%d runs and %d joins of %d callers", runs.Load(), joins.Load(), callers)
		}
	})
}

func TestCancelledWaiterHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		first, _ := g.Join("k", slow(time.Minute))
		second, joined := g.Join("k", slow(time.Minute))
		if !joined {
			t.Fatal("the second did not join")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := first.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait of the impatient = %v, want its own deadline", err)
		}
		first.Leave()
		first.Leave() // idempotent: it must not return the second ticket
		if got, err := second.Wait(t.Context()); got != "done" || err != nil {
			t.Errorf("Wait of the patient = %q, %v", got, err)
		}
		second.Leave()
		if got, err := first.Wait(t.Context()); got != "done" || err != nil {
			t.Errorf("Wait after Leave = %q, %v; results outlive the flight", got, err)
		}
	})
}

// slow works for d unless it is cancelled.
func slow(d time.Duration) func(context.Context, func(int)) (string, error) {
	return func(ctx context.Context, _ func(int)) (string, error) {
		select {
		case <-time.After(d):
			return "done", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

func TestLastLeaveCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		a, _ := g.Join("k", slow(time.Hour))
		b, _ := g.Join("k", slow(time.Hour))
		a.Leave()
		b.Leave()
		c, joined := g.Join("k", slow(time.Second))
		if joined {
			t.Error("joined a flight that everybody had left")
		}
		if _, err := b.Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("the abandoned run ended with %v, want cancellation", err)
		}
		if got, err := c.Wait(t.Context()); got != "done" || err != nil {
			t.Errorf("the new flight = %q, %v; the old one must not remove it", got, err)
		}
		c.Leave()
	})
}

func TestContextLivesUntilLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		var inner context.Context
		ticket, _ := g.Join("k", func(ctx context.Context, _ func(int)) (string, error) {
			inner = ctx
			return "", nil
		})
		if _, err := ticket.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if inner.Err() != nil {
			t.Error("the context ended with run, want: with the last ticket")
		}
		ticket.Leave()
		if inner.Err() == nil {
			t.Error("the context outlives the last ticket")
		}
	})
}

func TestPanicIsAnErrorForAll(t *testing.T) {
	cause := errors.New("cause")
	synctest.Test(t, func(t *testing.T) {
		var g group
		run := func(context.Context, func(int)) (string, error) {
			time.Sleep(time.Second)
			panic(cause)
		}
		a, _ := g.Join("k", run)
		b, _ := g.Join("k", run)
		for _, ticket := range []*flight.Ticket[int, string]{a, b} {
			_, err := ticket.Wait(t.Context())
			var p *flight.PanicError
			if !errors.As(err, &p) || !errors.Is(err, cause) {
				t.Fatalf("Wait = %v, want the panic", err)
			}
			if !strings.Contains(string(p.Stack), "flight_test") || p.Error() != "panic: cause" {
				t.Errorf("%q with stack %s", p.Error(), p.Stack)
			}
			ticket.Leave()
		}
	})
}

func TestBroadcastInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		run := func(_ context.Context, emit func(int)) (string, error) {
			for i := range 5 {
				emit(i)
				time.Sleep(time.Second)
			}
			return "", nil
		}
		early, _ := g.Join("k", run)
		defer early.Leave()
		time.Sleep(2500 * time.Millisecond)
		late, _ := g.Join("k", run)
		defer late.Leave()
		if diff := cmp.Diff([]int{0, 1, 2}, late.Findings()); diff != "" {
			t.Errorf("Findings (-want +got):\n%s", diff)
		}
		want := []int{0, 1, 2, 3, 4}
		var wg sync.WaitGroup
		for _, ticket := range []*flight.Ticket[int, string]{early, late} {
			wg.Go(func() {
				if diff := cmp.Diff(want, slices.Collect(ticket.All(t.Context()))); diff != "" {
					t.Errorf("All (-want +got):\n%s", diff)
				}
			})
		}
		wg.Wait()
		if diff := cmp.Diff(want, slices.Collect(late.All(t.Context()))); diff != "" {
			t.Errorf("All after the end (-want +got):\n%s", diff)
		}
	})
}

func TestAllStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		ticket, _ := g.Join("k", func(ctx context.Context, emit func(int)) (string, error) {
			emit(1)
			emit(2)
			<-ctx.Done()
			return "", nil
		})
		defer ticket.Leave()
		for v := range ticket.All(t.Context()) {
			if v != 1 {
				t.Errorf("first finding is %d", v)
			}
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if diff := cmp.Diff([]int{1, 2}, slices.Collect(ticket.All(ctx))); diff != "" {
			t.Errorf("All until its context ended (-want +got):\n%s", diff)
		}
	})
}

func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		var ended atomic.Int32
		run := func(ctx context.Context, emit func(int)) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // time to clean up
			ended.Add(1)
			return "", ctx.Err()
		}
		abandoned, _ := g.Join("abandoned", run)
		abandoned.Leave()
		open, _ := g.Join("open", run)
		g.Close()
		if ended.Load() != 2 {
			t.Errorf("Close returned after %d of 2 runs", ended.Load())
		}
		if _, err := open.Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait = %v, want the cancellation", err)
		}
		open.Leave()
		g.Close()
		late, joined := g.Join("late", run)
		if _, err := late.Wait(t.Context()); joined || !errors.Is(err, flight.ErrClosed) {
			t.Errorf("Join after Close: joined=%v, Wait = %v", joined, err)
		}
		if got := slices.Collect(late.All(t.Context())); len(got) != 0 {
			t.Errorf("All after Close yields %v", got)
		}
		late.Leave()
	})
}

// Close cancels the context that a result still uses after run has returned.
func TestCloseEndsHeldResults(t *testing.T) {
	var g flight.Group[string, int, context.Context]
	run := func(ctx context.Context, _ func(int)) (context.Context, error) { return ctx, nil }
	held, _ := g.Join("held", run)
	used, err := held.Wait(t.Context())
	if err != nil || used.Err() != nil {
		t.Fatalf("Wait = %v, %v", used.Err(), err)
	}
	g.Close()
	if used.Err() == nil {
		t.Error("the context of a held result outlives the group")
	}
	held.Leave()
}
