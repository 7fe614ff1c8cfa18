package pausable_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

// timed is a function that a time-out calls.
type timed func()

func (f timed) TimeOut() { f() }

// A time-out pauses while the call waits, for any number of its parts.
func TestTimeOutsStandStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c, cancel := pausable.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var part, late pausable.Timer
		var partAt, lateAt time.Duration
		part.Start(c, 5*time.Second, timed(func() { partAt = time.Since(began) }))
		time.Sleep(3 * time.Second)
		first := c.Pause()
		time.Sleep(time.Second)
		second := c.Pause()
		late.Start(c, time.Second, timed(func() { lateAt = time.Since(began) }))
		time.Sleep(time.Minute)
		first()
		time.Sleep(time.Minute)
		if ends, ok := c.Deadline(); !ok || ends.Sub(began) != 131*time.Second {
			t.Errorf("the deadline is after %v", ends.Sub(began))
		}
		second() // the pause took 121 s
		<-c.Done()
		if got := time.Since(began); got != 131*time.Second || c.Err() != context.DeadlineExceeded {
			t.Errorf("it ended after %v: %v", got, c.Err())
		}
		synctest.Wait()
		if partAt != 126*time.Second || lateAt != 125*time.Second {
			t.Errorf("the parts ended after %v and %v", partAt, lateAt)
		}
		part.Stop()
		late.Stop()
		c.Pause()() // an expired time-out remains expired
	})
}

// Children end with the error of a time-out. If the parent ends, its own error is returned.
func TestContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		parent, stop := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Minute)
		defer stop()
		c, cancel := pausable.WithTimeout(parent, time.Second)
		defer cancel()
		child, leave := context.WithCancel(c)
		defer leave()
		<-child.Done()
		if child.Err() != context.DeadlineExceeded || context.Cause(child) != context.DeadlineExceeded || context.Cause(c) != context.DeadlineExceeded {
			t.Errorf("the child ended with %v, because of %v and %v", child.Err(), context.Cause(child), context.Cause(c))
		}
		if c.Value(key{}) != "value" || parent.Err() != nil {
			t.Error("it is not the parent's")
		}
		short, cancelShort := pausable.WithTimeout(parent, time.Hour)
		defer cancelShort()
		want, _ := parent.Deadline()
		if got, _ := short.Deadline(); !got.Equal(want) {
			t.Errorf("the deadline is %v, not the parent's %v", got, want)
		}
		defer short.Pause()() // the caller's own time runs on
		<-short.Done()
		if !errors.Is(short.Err(), context.DeadlineExceeded) {
			t.Error(short.Err())
		}
		left, leaveIt := pausable.WithTimeout(t.Context(), time.Hour)
		leaveIt()
		if left.Err() != context.Canceled {
			t.Error(left.Err())
		}
	})
}

// Without a call a timer is an ordinary timer, and nothing pauses.
func TestWithoutACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *pausable.Context
		defer c.Pause()()
		var timer pausable.Timer
		timer.Stop() // not started
		rang := make(chan struct{})
		timer.Start(nil, time.Second, timed(func() { close(rang) }))
		<-rang
		timer.Stop()
	})
}

// A time-out has the given cause.
func TestCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("cause")
		c, cancel := pausable.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancel()
		<-c.Done()
		if pausable.Cause(c) != cause || c.Err() != context.DeadlineExceeded {
			t.Errorf("%v because of %v", c.Err(), pausable.Cause(c))
		}
		plain, stop := context.WithCancelCause(t.Context())
		stop(cause)
		if pausable.Cause(plain) != cause {
			t.Error(pausable.Cause(plain))
		}
	})
}
