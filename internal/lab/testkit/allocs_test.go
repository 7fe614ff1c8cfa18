package testkit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

func TestBytes(t *testing.T) {
	var keep []byte
	if got := testkit.Allocated(func() { keep = make([]byte, 1<<20) }); got < 1<<20 || got > 2<<20 {
		t.Errorf("%.0f bytes, want about %d", got, len(keep))
	}
}

// outcome runs a check and reports whether it failed.
func outcome(check func(testing.TB)) (failed bool) {
	done := make(chan bool)
	go func() {
		var t recorder
		defer func() { done <- t.failed }()
		check(&t)
	}()
	return <-done
}

// recorder is a test that only records.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Logf(string, ...any)   {}
func (r *recorder) Fatal(...any)          { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// What moves some measurements is ignored; what moves all is a fault.
func TestMeasurement(t *testing.T) {
	for disturbed, want := range map[int]bool{0: false, 4: false, 5: true} {
		n := 0
		got := outcome(func(tb testing.TB) {
			testkit.Measurement(tb, func() error {
				if n++; n <= disturbed {
					return errors.New("too much")
				}
				return nil
			})
		})
		if got != want {
			t.Errorf("%d measurements are disturbed: failed %t", disturbed, got)
		}
	}
}

func TestBound(t *testing.T) {
	var keep []byte
	for size, want := range map[int]bool{1 << 10: false, 1 << 20: true} {
		got := outcome(func(tb testing.TB) {
			testkit.BoundAllocs(tb, 100, 10, 64<<10, func() { keep = make([]byte, size) })
		})
		if got != want {
			t.Errorf("%d bytes of %d: failed %t", size, len(keep), got)
		}
	}
	first := true
	if outcome(func(tb testing.TB) {
		testkit.BoundAllocs(tb, 1, 1, 1<<10, func() {
			if first {
				keep = make([]byte, 1<<20)
			}
			first = false
		})
	}) {
		t.Error("what is built once was counted")
	}
}

func TestGrowth(t *testing.T) {
	testkit.Large(t)
	small, large := map[string]string{"a": "xx"}, map[string]string{"a": strings.Repeat("x", 200)}
	for name, test := range map[string]struct {
		large map[string]string
		cost  func(string) float64
		want  bool
	}{
		"linear":    {large, func(s string) float64 { return float64(len(s)) }, false},
		"quadratic": {large, func(s string) float64 { return float64(len(s) * len(s)) }, true},
		"nothing":   {large, func(string) float64 { return 0 }, true},
		"no inputs": {nil, func(string) float64 { return 1 }, true},
	} {
		if got := outcome(func(tb testing.TB) { testkit.BoundGrowth(tb, small, test.large, test.cost) }); got != test.want {
			t.Errorf("%s: failed %t", name, got)
		}
	}
}
