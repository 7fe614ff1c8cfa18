package testkit

import (
	"math"
	"os"
	"testing"
)

// Waves around a line do not hide its slope.
func TestSlope(t *testing.T) {
	for _, want := range []float64{0, 50, -3} {
		var l line
		for x := 5000.0; x <= 50_000; x += 25 {
			l.add(x, 70<<20+want*x+(2<<20)*math.Sin(x/300))
		}
		if got := l.slope(); math.Abs(got-want) > 5 {
			t.Errorf("a slope of %.1f, want %.0f", got, want)
		}
	}
	if (&line{}).slope() != 0 {
		t.Error("no points have a slope")
	}
}

func TestMemory(t *testing.T) {
	now, most, err := memory(os.Getpid())
	if os.IsNotExist(err) {
		t.Skip("this system does not report the memory of a process")
	}
	if err != nil || now < 1<<20 || most < now {
		t.Errorf("%d now, %d at most, %v", now, most, err)
	}
	if _, _, err := memory(-1); err == nil {
		t.Error("no process has memory")
	}
}
