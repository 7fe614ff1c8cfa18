//go:build unix

package merge_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/security/pins"
)

// processor is the processor time that this process has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// seconds reads documents at the size that is read at most, and puts them
// together. It reports processor time: the table of internal/lab/bench/TABLES.md is made
// of it.
func seconds(b *testing.B, sizes []int, list ...worst) {
	b.Helper()
	bodies := make([][]byte, len(list))
	for i, d := range list {
		bodies[i] = []byte(d.of(sizes[i], "xy"[i:i+1]))
	}
	runtime.GC()
	before := processor(b)
	var steps, bytes float64
	for b.Loop() {
		read := make([]taken, len(list))
		for i, d := range list {
			read[i] = d.read(b, bodies[i], "xy"[i:i+1])
		}
		_, steps, bytes = merged(b, rulesOf(500<<10, "/*x*"), read...)
	}
	b.ReportMetric(float64((processor(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	b.ReportMetric(bytes/1024, "KiB")
	b.ReportMetric(steps, "steps")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWorst is for each document, with a long robots.txt, and for each two
// of those that describe the same calls.
func BenchmarkWorst(b *testing.B) {
	var calls []worst
	sizes := map[string]int{}
	for _, d := range worstDocuments() {
		name := d.format + " " + d.name
		sizes[name] = d.most()
		b.Run(name, func(b *testing.B) { seconds(b, []int{sizes[name]}, d) })
		switch name {
		case "openapi scopes", "openapi alternatives", "openapi own scopes", "openapi scopes of all", "openapi disagreements", "a2a scopes", "awp actions":
			calls = append(calls, d)
		}
	}
	for i, first := range calls {
		for _, second := range calls[i:] {
			names := [2]string{first.format + " " + first.name, second.format + " " + second.name}
			b.Run(names[0]+", "+names[1], func(b *testing.B) { seconds(b, []int{sizes[names[0]], sizes[names[1]]}, first, second) })
		}
	}
}

// BenchmarkComparing holds a Site of each document against pins of another version
// of it, which differs wherever it can.
func BenchmarkComparing(b *testing.B) {
	for _, d := range worstDocuments() {
		b.Run(d.format+" "+d.name, func(b *testing.B) {
			old, _, one := merged(b, nil, d.take(b, d.most(), "x"))
			now, _, two := merged(b, nil, d.take(b, d.most(), "z"))
			held, err := (&pins.Set{}).With(old)
			if err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			before, w := processor(b), watch(b)
			for b.Loop() {
				w = watch(b)
				if _, err := held.CheckContext(w.Context(), now); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processor(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric((one+two)/1024, "KiB")
			b.ReportMetric(float64(w.Steps()), "steps")
			b.ReportMetric(0, "ns/op")
		})
	}
}
