package otel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/otel"
)

// names are the names of all spans, metrics, attributes and labels: dashboards rest on them.
const names = `
metric wayfind.read.duration s: wayfind.verdict
metric wayfind.read.size By:
metric wayfind.requests {request}: error.type http.response.status_code wayfind.from
metric wayfind.resolve.duration s: error.type wayfind.from wayfind.joined
span wayfind.exchange: error.type http.response.body.size http.response.status_code server.address url.full
span wayfind.read: error.type http.response.body.size server.address url.full wayfind.verdict
span wayfind.request: error.type http.response.body.size http.response.status_code server.address url.full wayfind.from
span wayfind.resolve: error.type wayfind.from wayfind.target
span wayfind.wave: wayfind.places wayfind.target`

func TestNames(t *testing.T) {
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	observe, err := otel.New(&otel.Options{
		Tracers: trace.NewTracerProvider(trace.WithSyncer(spans)),
		Meters:  metric.NewMeterProvider(metric.WithReader(reader)),
	})
	if err != nil {
		t.Fatal(err)
	}
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n> SHOUTED TEXT OF A SITE\n\n## Docs\n\n- [One](/one.md): first\n", "/.well-known/agent": "{"})
	c := internet.Client(func(o *client.Options) { o.Observe = observe })
	for _, domain := range []string{"shop.example", "shop.example", "nowhere.example"} {
		_, _ = c.Resolve(t.Context(), domain)
	}
	got := map[string]map[string]bool{}
	note := func(what string, names []attribute.KeyValue) {
		if got[what] == nil {
			got[what] = map[string]bool{}
		}
		for _, kv := range names {
			got[what][string(kv.Key)] = true
			if strings.Contains(kv.Value.Emit(), "SHOUTED") {
				t.Errorf("%s has text of the site: %s", what, kv.Value.Emit())
			}
		}
	}
	roots := 0
	for _, s := range spans.GetSpans() {
		note("span "+s.Name, s.Attributes)
		if !s.Parent.IsValid() {
			roots++
		}
	}
	if roots != 3 {
		t.Errorf("%d spans have no parent, want those of the three calls", roots)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	series := 0
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			what := fmt.Sprintf("metric %s %s", m.Name, m.Unit)
			note(what, nil)
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					note(what, p.Attributes.ToSlice())
					series++
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					note(what, p.Attributes.ToSlice())
					series++
				}
			}
		}
	}
	var lines []string
	for what, of := range got {
		var list []string
		for name := range of {
			list = append(list, name)
		}
		slices.Sort(list)
		lines = append(lines, strings.TrimSpace(what+": "+strings.Join(list, " ")))
	}
	slices.Sort(lines)
	if text := "\n" + strings.Join(lines, "\n"); text != names {
		t.Errorf("names are now%s", text)
	}
	if series > 20 {
		t.Errorf("%d series after three calls", series)
	}
}
