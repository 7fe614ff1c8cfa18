package client_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security/pins"
)

// wholeClient returns a Client of all formats that reports the rules of robots.txt.
func wholeClient(t *testing.T, internet *clienttest.Internet) *client.Client {
	t.Helper()
	return newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) { o.Robots.Mode = client.RobotsReport })
}

// describedCalls is a site of about n bytes with an OpenAPI description of many
// operations, which share one schema.
func describedCalls(n int) clienttest.Pages {
	operations := listOf(n/300, func(i int) string {
		return fmt.Sprintf(`"/p%d":{"get":{"operationId":"p%d","description":"Words.","responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}`, i, i)
	})
	properties := listOf(n/60, func(i int) string { return fmt.Sprintf(`"q%d":{"type":"string"}`, i) })
	return clienttest.Pages{
		"/llms.txt":     "# Shop\n\n> x\n\n## API\n\n- [A](https://shop.example/openapi.json): OpenAPI\n",
		"/openapi.json": `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{` + operations + `},"components":{"schemas":{"A":{"properties":{` + properties + `}}}}}`,
	}
}

// Describe after Resolve takes steps in proportion to the document as well.
func TestStepsOfDescribe(t *testing.T) {
	var steps, bytes [2]float64
	for i, n := range []int{32 << 10, 128 << 10} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			site := describedCalls(n)
			internet.Host("shop.example", site)
			c := wholeClient(t, internet)
			found, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			before := c.Stats().Steps
			key := ""
			for _, capability := range found.Capabilities() {
				key = capability.Key
			}
			detail, err := c.Describe(t.Context(), found, key)
			if err != nil || len(detail.Capability.Output) < n/6 {
				t.Fatalf("%v, %.80s", err, detail.Capability.Output)
			}
			steps[i], bytes[i] = float64(c.Stats().Steps-before), float64(len(site["/openapi.json"]))
		})
	}
	if exponent := math.Log(steps[1]/steps[0]) / math.Log(bytes[1]/bytes[0]); exponent > 1.2 || steps[0] == 0 || steps[1] > bytes[1] {
		t.Errorf("%.0f steps for %.0f bytes: exponent %.2f", steps[1], bytes[1], exponent)
	}
}

// laborious is a site whose documents are much work to put together.
func laborious(name string) clienttest.Pages {
	return clienttest.Pages{
		"/robots.txt":             "User-agent: *\n" + strings.Repeat("Disallow: /*x\n", 2000),
		"/agent.json":             strings.ReplaceAll(manyActions("c"), "shop.example", name),
		"/.well-known/agent.json": strings.ReplaceAll(manyActions("d"), "shop.example", name),
	}
}

// A caller whose time is up does not repeat the work of the others, and a flight without callers
// does not merge.
func TestWorkEndsWithTheCaller(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", laborious("shop.example")).Fail("/llms.txt", clienttest.Delay(5*time.Second))
		c := wholeClient(t, internet)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		if !errors.Is(err, context.DeadlineExceeded) || len(site.Services) > 0 || len(site.Probes) == 0 {
			t.Errorf("%v, with %d services and %d probes", err, len(site.Services), len(site.Probes))
		}
		time.Sleep(time.Minute) // the rest of the flight
		reading := c.Stats().Steps
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		whole := c.Stats().Steps - reading
		c.Invalidate("shop.example")
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		merging := c.Stats().Steps - reading - whole
		if merging < 400_000 || reading > 400_000 {
			t.Errorf("%d steps for reading and a caller who left, %d for merging", reading, merging)
		}
	})
}

// If its context has ended, Parse returns at once, for any document.
func TestParseEndsWithItsContext(t *testing.T) {
	ctx := &expiring{Context: t.Context(), left: 2}
	_, err := client.Parse(ctx, []byte(manyActions("c")), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// expiring is a context that is over when it is looked at a number of times.
type expiring struct {
	context.Context
	left int
}

func (c *expiring) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Pins are compared as a part of the call that asks for it, and counted: a
// context that is over is seen within 50,000 steps, and nothing is given then.
func TestPinsEndWithTheContext(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/agent.json": manyActions("c")})
		plain := wholeClient(t, internet)
		site, err := plain.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, c := range site.Capabilities() {
			keys = append(keys, c.Key)
		}
		held, err := (&pins.Set{}).With(site, append(keys, "")...)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) { o.Trust.Pins = held })
		detail, err := c.Describe(t.Context(), site, keys[0])
		whole := c.Stats().Steps
		if err != nil || whole < 50_000 {
			t.Fatalf("%v, %d steps, %+v", err, whole, detail)
		}
		for left := range 4 {
			before := c.Stats().Steps
			detail, err := c.Describe(&expiring{Context: t.Context(), left: left}, site, keys[0])
			if !errors.Is(err, context.DeadlineExceeded) || detail == nil || detail.Capability == nil {
				t.Errorf("left after %d looks: %v", left, err)
			}
			if steps := c.Stats().Steps - before; steps > uint64(left)*50_000 {
				t.Errorf("left after %d looks: %d steps", left, steps)
			}
		}
		for _, err := range c.DescribeAll(&expiring{Context: t.Context(), left: 1}, site, keys[:3]...) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("DescribeAll: %v", err)
			}
		}
	})
}

// What Probe shows of a document is counted too.
func TestStepsOfProbe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/agent.json": manyActions("c")})
		c := wholeClient(t, internet)
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		before, resolved := c.Stats().Steps, uint64(0)
		c.Invalidate("shop.example")
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil { // merges the known documents
			t.Fatal(err)
		}
		resolved = c.Stats().Steps - before
		c.Invalidate("shop.example")
		for f, err := range c.Probe(t.Context(), "shop.example") {
			if err != nil {
				t.Fatal(err)
			}
			_ = f
		}
		if steps := c.Stats().Steps - before - 2*resolved; steps < 1000 || steps > 50_000 {
			t.Errorf("%d steps to show the findings, beside %d to merge them", steps, resolved)
		}
	})
}
