package parsetest

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/wayfindhq/wayfind/internal/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Growth checks that reading a document costs no more than in proportion to its
// size. The function given makes hostile documents of about n bytes, by name,
// that try to cost more; they are compared at two sizes. Growth measures memory, so
// that nothing may run beside it. With -short it skips the test.
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

// fullPerByte is the allocation that GrowthInFull allows for each byte of a
// large document.
const fullPerByte = 300

// GrowthInFull is [Growth] for formats with details: it reads the first
// capability in full. The result may not grow faster than the document either,
// and a large document may cost at most 300 bytes for each of its own.
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
				t.Errorf("%.0f bytes come out of %d, %.0f of %d: exponent %.2f", less, len(bodies[name]), more, len(big), growth)
			}
			if high > fullPerByte*float64(len(big)) {
				t.Errorf("%.0f bytes allocated for %d", high, len(big))
			}
		})
	}
}

// inFull reads a document and its first capability, and returns the bytes that
// were allocated and the size of the result, as JSON.
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
