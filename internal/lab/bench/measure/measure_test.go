package measure

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
	values := []float64{3, 1, 2}
	if Median(values); values[0] != 3 {
		t.Error("Median sorts what it is given")
	}
}

// The interval holds the median, is within the values, narrows with more of
// them and is the same each time.
func TestBootstrapMedian(t *testing.T) {
	series := func(n int) (values []float64) {
		for i := range n {
			values = append(values, 1+float64(i*7%n)/float64(n))
		}
		return values
	}
	few, many := BootstrapMedian(series(9)), BootstrapMedian(series(999))
	for name, in := range map[string]Interval{"few": few, "many": many} {
		if in.Low > 1.5 || in.High < 1.45 || in.Low < 1 || in.High > 2 {
			t.Errorf("%s: %+v around 1.5", name, in)
		}
	}
	if few.High-few.Low <= many.High-many.Low {
		t.Errorf("of 9 values %+v, of 999 %+v", few, many)
	}
	if again := BootstrapMedian(series(9)); again != few {
		t.Errorf("%+v, the second time %+v", few, again)
	}
	if in := BootstrapMedian([]float64{2, 2, 2}); in != (Interval{2, 2}) {
		t.Errorf("of equal values: %+v", in)
	}
}

// What slows both of a round cancels.
func TestRatiosAreWithinRounds(t *testing.T) {
	if got := Median(Ratios([]float64{2, 200, 4}, []float64{1, 100, 2})); got != 2 {
		t.Errorf("ratio %v, want 2", got)
	}
}

func TestExponent(t *testing.T) {
	x := []float64{16, 64, 256}
	for want, f := range map[float64]func(float64) float64{
		1: func(x float64) float64 { return 3 * x }, 2: func(x float64) float64 { return x * x / 7 },
		0: func(float64) float64 { return 5 },
	} {
		var y []float64
		for _, v := range x {
			y = append(y, f(v))
		}
		if got := Exponent(x, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("exponent %v, want %v", got, want)
		}
	}
}

// A preemption in one of the tries does not make a case look slow.
func TestCalibrateTakesTheFastest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		n := calibrate(func(n int) {
			calls++
			d := time.Duration(n) * time.Millisecond
			if calls == 1 {
				d += 50 * time.Millisecond
			}
			time.Sleep(d)
		}, 10*time.Millisecond)
		if n != 10 {
			t.Errorf("%d operations of 1 ms for 10 ms", n)
		}
	})
}

func TestGoals(t *testing.T) {
	cases := []Case{
		{Name: "reference", MaxAllocs: -1},
		{Name: "faster", Reference: "reference", Goal: 1, MaxAllocs: 0},
		{Name: "unclear", Reference: "reference", Goal: 1, MaxAllocs: -1},
		{Name: "slower", Reference: "reference", Goal: 1.5, MaxAllocs: -1},
		{Name: "as wanted", Reference: "reference", Goal: 2, AtLeast: true, MaxAllocs: -1},
		{Name: "not slow enough", Reference: "reference", Goal: 4, AtLeast: true, MaxAllocs: -1},
		{Name: "much slower", Reference: "reference", Goal: 1, MaxAllocs: -1},
		{Name: "much too fast", Reference: "reference", Goal: 4, AtLeast: true, MaxAllocs: -1},
		{Name: "allocates", Reference: "reference", Goal: 1, MaxAllocs: 0},
		{Name: "half", Reference: "reference", AllocsOf: 0.5, MaxAllocs: -1},
	}
	same := func(v float64) []float64 { return []float64{v, v, v, v, v} }
	results := []result{
		{wall: same(1), cpu: same(1), allocs: 4},
		{wall: same(0.5)}, {wall: []float64{0.8, 0.9, 1.1, 1.2, 1.3}}, {wall: same(3)}, {wall: same(3)}, {wall: same(3)},
		{wall: same(2.1)}, {wall: same(1.9)},
		{wall: same(0.5), allocs: 1}, {wall: same(1), allocs: 2},
	}
	table, err := tabulate("goals", false, cases, results)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Outcome{None, Met, Unclear, Missed, Met, Missed, Doubled, Doubled, Broken, Met} {
		if got := table.Rows[i].Outcome; got != want {
			t.Errorf("%s: %v, want %v", cases[i].Name, got, want)
		}
	}
	if table.Worst() != Broken {
		t.Errorf("the worst is %v", table.Worst())
	}
	var text strings.Builder
	if err := table.WriteMarkdown(&text); err != nil || !strings.Contains(text.String(), "| faster | 500.00 ms | 500.00 ms |") {
		t.Errorf("%v\n%s", err, &text)
	}
	for byCPU, want := range map[bool]Outcome{false: Missed, true: Met} {
		table, err := tabulate("by", byCPU, []Case{cases[0], cases[3]}, []result{results[0], {wall: same(2), cpu: same(0.5)}})
		if err != nil || table.Rows[1].Outcome != want {
			t.Errorf("by CPU %v: %+v, %v", byCPU, table, err)
		}
	}
	if _, err := tabulate("", false, []Case{{Name: "a", Reference: "b"}}, make([]result, 1)); err == nil {
		t.Error("a reference that does not exist is no error")
	}
}

func TestCompare(t *testing.T) {
	var sink []byte
	table, err := Compare("two", Config{Rounds: 3, Slice: 100 * time.Microsecond},
		Case{Name: "nothing", Run: func(n int) {
			for range n {
				sink = nil
			}
		}, MaxAllocs: 0},
		Case{Name: "allocates", Run: func(n int) {
			for range n {
				sink = make([]byte, 1<<10)
			}
		}, Reference: "nothing", MaxAllocs: 0})
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows[0].Outcome != Met || table.Rows[1].Outcome != Broken {
		t.Errorf("%+v", table.Rows)
	}
	_ = sink
}
