package flight_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/flight"
)

func TestInlineRunsUnderTheCallersContext(t *testing.T) {
	type key struct{}
	var g group
	ctx := context.WithValue(t.Context(), key{}, "own")
	ticket, joined := g.Inline(ctx, "k", func(ctx context.Context, emit func(int)) (string, error) {
		emit(1)
		value, _ := ctx.Value(key{}).(string)
		return value, nil
	})
	if got, err := ticket.Wait(t.Context()); joined || got != "own" || err != nil || len(ticket.Findings()) != 1 {
		t.Errorf("joined=%v, %q, %v, findings %v", joined, got, err, ticket.Findings())
	}
	ticket.Leave()
}

func TestInlineIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() {
			ticket, _ := g.Inline(ctx, "k", slow(time.Minute))
			ticket.Leave()
		}()
		synctest.Wait()
		byGoroutine, first := g.Join("k", slow(time.Hour))
		defer byGoroutine.Leave()
		bySelf, second := g.Inline(t.Context(), "k", slow(time.Hour))
		defer bySelf.Leave()
		if _, err := byGoroutine.Wait(t.Context()); !first || !second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("joined %v and %v, Wait = %v; want the end of the caller that runs", first, second, err)
		}
		again, joined := g.Inline(t.Context(), "k", slow(time.Second))
		defer again.Leave()
		if got, err := again.Wait(t.Context()); joined || got != "done" || err != nil {
			t.Errorf("afterwards joined=%v, %q, %v", joined, got, err)
		}
	})
}

func TestCloseWaitsForInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g group
		ended := false
		go func() {
			ticket, _ := g.Inline(t.Context(), "k", func(context.Context, func(int)) (string, error) {
				time.Sleep(time.Second)
				ended = true
				return "", nil
			})
			ticket.Leave()
		}()
		synctest.Wait()
		g.Close()
		if !ended {
			t.Error("Close returned before the run")
		}
		ticket, _ := g.Inline(t.Context(), "late", slow(time.Second))
		if _, err := ticket.Wait(t.Context()); !errors.Is(err, flight.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestAPanicInlineIsAnError(t *testing.T) {
	var g group
	ticket, _ := g.Inline(t.Context(), "k", func(context.Context, func(int)) (string, error) { panic("no") })
	defer ticket.Leave()
	if _, err := ticket.Wait(t.Context()); err == nil || err.Error() != "panic: no" {
		t.Errorf("Wait = %v", err)
	}
}
