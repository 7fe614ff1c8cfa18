package formattest

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Growth checks that the cost to read a document grows at most in proportion to its size.
// hostile returns documents of about n bytes, by name, that try to cost more. Growth compares
// the costs at two sizes. It measures memory, so nothing may run at the same time. It skips the
// test with -short.
func Growth(t *testing.T, f *parse.Format, hostile func(n int) map[string]string, at string, small, large int) {
	t.Helper()
	testkit.BoundGrowth(t, hostile(small), hostile(large), func(body string) float64 {
		in := Input(t, at, "", []byte(body))
		return testkit.Allocated(func() {
			f.Match(in)
			_, _ = f.Parse(in)
		})
	})
}

// fullPerByte is the number of bytes that GrowthInFull allows to be allocated for each byte of
// a large document.
const fullPerByte = 300

// GrowthInFull is [Growth] for formats with details: it reads the first capability in full. The
// result may not grow faster than the document either, and to read a large document may
// allocate at most 300 bytes for each of its bytes.
func GrowthInFull(t *testing.T, f *parse.Format, hostile func(n int) map[string]string, at string, small, large int) {
	t.Helper()
	if testing.Short() {
		t.Skip("growth is measured without -short")
	}
	bodies := hostile(small)
	for name, big := range hostile(large) {
		t.Run(name, func(t *testing.T) {
			low, less := inFull(t, f, at, bodies[name])
			high, more := inFull(t, f, at, big)
			factor := math.Log(float64(len(big)) / float64(len(bodies[name])))
			if growth := math.Log(high/low) / factor; growth > testkit.MaxGrowth {
				t.Errorf("%.0f bytes allocated for %d, %.0f for %d: exponent %.2f", low, len(bodies[name]), high, len(big), growth)
			}
			if growth := math.Log(more/less) / factor; growth > testkit.MaxGrowth {
				t.Errorf("the result has %.0f bytes for %d, %.0f for %d: exponent %.2f", less, len(bodies[name]), more, len(big), growth)
			}
			if high > fullPerByte*float64(len(big)) {
				t.Errorf("%.0f bytes allocated for %d", high, len(big))
			}
		})
	}
}

// inFull reads a document and its first capability. It returns the number of allocated bytes
// and the size of the result as JSON.
func inFull(t *testing.T, f *parse.Format, at, body string) (allocated, size float64) {
	t.Helper()
	in := Input(t, at, "", []byte(body))
	var readings [2]*parse.Reading
	var err error
	allocated = testkit.Allocated(func() {
		f.Match(in)
		readings[0], err = f.Parse(in)
		if err == nil && f.Detail != nil && len(readings[0].Services[0].Capabilities) > 0 {
			readings[1], err = f.Detail(in, parse.Subject{Capability: &readings[0].Services[0].Capabilities[0]})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(readings)
	if err != nil {
		t.Fatal(err)
	}
	return allocated, float64(len(text))
}
