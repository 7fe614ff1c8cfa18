package ending

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// never is a time that does not come.
func never() <-chan time.Time { return nil }

func TestASecondSignalEndsTheProcess(t *testing.T) {
	signals, ended := make(chan os.Signal, 2), make(chan Reason)
	ctx, _ := watch(signals, never, func(why Reason) { ended <- why })
	signals <- os.Interrupt
	<-ctx.Done()
	signals <- syscall.SIGTERM
	if why := <-ended; why != Again {
		t.Errorf("it ended: %s", why)
	}
}

func TestTheProcessEndsLate(t *testing.T) {
	late := make(chan time.Time)
	close(late)
	cleaned := make(chan string, 2)
	signals, ended := make(chan os.Signal, 2), make(chan Reason)
	times := []<-chan time.Time{late, nil}
	_, p := watch(signals, func() <-chan time.Time { next := times[0]; times = times[1:]; return next }, func(why Reason) { ended <- why })
	p.Last(func() { cleaned <- "left" })
	p.Last(func() { cleaned <- "forgotten" })()
	signals <- os.Interrupt
	if why := <-ended; why != Late {
		t.Errorf("it ended: %s", why)
	}
	if len(cleaned) != 1 || <-cleaned != "left" {
		t.Errorf("not cleaned, or what was forgotten too: %d", len(cleaned))
	}
}

// A program of the user that the command runs is not left alone, however many signals come.
func TestAHeldProcessEndsAfterItsProgram(t *testing.T) {
	late, asked := make(chan time.Time), make(chan bool)
	signals, ended := make(chan os.Signal, 2), make(chan Reason, 1)
	n := 0
	_, p := watch(signals, func() <-chan time.Time {
		if n++; n == 2 {
			close(asked) // the time after the program begins
		}
		return late
	}, func(why Reason) { ended <- why })
	release := p.Hold()
	signals <- os.Interrupt
	signals <- syscall.SIGTERM
	for len(signals) > 0 {
		runtime.Gosched()
	}
	select {
	case <-asked:
		t.Error("the program was not waited for")
	case why := <-ended:
		t.Errorf("it ended: %s", why)
	case <-time.After(50 * time.Millisecond): // nothing happens, which has no event
	}
	release()
	<-asked
	close(late)
	if why := <-ended; why != Late {
		t.Errorf("it ended: %s", why)
	}
}
