//go:build unix

package tools_test

import (
	"encoding/json"
	"os"
	"path"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// BenchmarkPublishedAPIs gives the processor time of a Load of each published description,
// with the requests for it and the collector, and its ratio to decoding the same bytes with
// encoding/json or yaml.v3 in the same run.
func BenchmarkPublishedAPIs(b *testing.B) {
	for file := range published(b) {
		b.Run(file, func(b *testing.B) {
			body, err := os.ReadFile(golden.APIs(b, file))
			if err != nil {
				b.Fatal(err)
			}
			decode := json.Unmarshal
			if path.Ext(file) == ".yaml" {
				decode = yaml.Unmarshal
			}
			var ours, peer time.Duration
			n := 0
			for b.Loop() {
				c, _ := serving(b, file)
				ours += processorTime(b, func() { load(b, c, []string{"shop.example"}, nil) })
				peer += processorTime(b, func() {
					var value any
					if err := decode(body, &value); err != nil {
						b.Fatal(err)
					}
				})
				n++
			}
			b.ReportMetric(ours.Seconds()/float64(n), "cpu-s/op")
			b.ReportMetric(float64(ours)/float64(peer), "x-decoding")
		})
	}
}

// processorTime is the processor time that this process takes for work.
func processorTime(b *testing.B, work func()) time.Duration {
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Skip(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := now()
	work()
	return now() - before
}
