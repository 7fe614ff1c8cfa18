package otel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	kinds "go.opentelemetry.io/otel/trace"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/otel"
)

// names contains the names of all spans, metrics, attributes and labels, on which dashboards
// depend.
const names = `
metric wayfind.cache.hits {hit}: wayfind.layer
metric wayfind.cache.lost {call}: wayfind.operation wayfind.reason
metric wayfind.calls {call}: wayfind.outcome
metric wayfind.exchange.size By:
metric wayfind.exchange.stage s: wayfind.stage
metric wayfind.obligations {obligation}:
metric wayfind.read.duration s: wayfind.verdict
metric wayfind.read.size By:
metric wayfind.requests {request}: error.type wayfind.from wayfind.verdict
metric wayfind.resolve.duration s: error.type wayfind.from wayfind.joined
span GET: error.type http.request.method http.request.resend_count http.response.body.size http.response.status_code server.address server.port url.full wayfind.connection.reused wayfind.stage.connect wayfind.stage.dns wayfind.stage.queue wayfind.stage.read wayfind.stage.tls wayfind.stage.wait
span wayfind.call: error.type wayfind.outcome wayfind.target
span wayfind.read: error.type http.response.body.size url.full wayfind.verdict
span wayfind.request: error.type http.response.body.size http.response.status_code url.full wayfind.from wayfind.redirected_from wayfind.verdict
span wayfind.resolve: error.type wayfind.from wayfind.target
span wayfind.wave: wayfind.places wayfind.target`

// secret is in a URL that a site redirects to.
const secret = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

// lab is a Client with telemetry.
type lab struct {
	*testing.T
	client  *client.Client
	observe client.Observe
	spans   *tracetest.InMemoryExporter
	reader  metric.Reader
}

func newLab(t *testing.T, internet *clienttest.Internet) *lab {
	l := &lab{T: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	o := &otel.Options{
		Tracers: trace.NewTracerProvider(trace.WithSyncer(l.spans)),
		Meters:  metric.NewMeterProvider(metric.WithReader(l.reader)),
	}
	observe, err := otel.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l.observe, l.client = observe, internet.Client(func(o *client.Options) { o.Observe = observe })
	stop, err := otel.Watch(l.client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// call reports a call like package client/call.
func (l *lab) call(outcome, failure string) {
	_, end := l.observe(l.Context(), client.Event{Kind: client.EventCall})
	end(client.Event{Kind: client.EventCall, Target: "https://shop.example", Outcome: outcome, Error: failure})
}

// series returns the data points of a metric, as "label=value …" with their value. For
// histograms the value is the count.
func (l *lab) series() map[string]map[string]int64 {
	var all metricdata.ResourceMetrics
	if err := l.reader.Collect(context.Background(), &all); err != nil {
		l.Fatal(err)
	}
	found := map[string]map[string]int64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			points := map[string]int64{}
			add := func(set attribute.Set, value int64) {
				var labels []string
				for _, kv := range set.ToSlice() {
					labels = append(labels, string(kv.Key)+"="+kv.Value.Emit())
				}
				points[strings.Join(labels, " ")] += value
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, int64(p.Count))
				}
			default:
				l.Errorf("%s is a %T", m.Name, data)
			}
			found[m.Name+" "+m.Unit] = points
		}
	}
	return found
}

func shop(internet *clienttest.Internet) {
	asked := 0
	pages := clienttest.Pages{"/llms.txt": "# Shop\n\n> SHOUTED TEXT OF A SITE\n\n## Docs\n\n- [One](/one.md): first\n", "/.well-known/agent": "{"}
	internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/agent.json":
			http.Redirect(w, r, "/moved", http.StatusFound)
		case "/llms.txt":
			if asked++; asked == 1 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			pages.ServeHTTP(w, r)
		case "/.well-known/agent-card.json":
			http.Redirect(w, r, "/card?token="+secret, http.StatusFound)
		default:
			pages.ServeHTTP(w, r)
		}
	}))
}

func TestNames(t *testing.T) {
	internet := clienttest.New(t)
	shop(internet)
	l := newLab(t, internet)
	internet.Host("plain.example", clienttest.Pages{})
	for _, domain := range []string{"shop.example", "plain.example", "plain.example", "nowhere.example"} {
		_, _ = l.client.Resolve(t.Context(), domain)
	}
	_, _ = l.client.Refresh(t.Context(), "shop.example")
	l.call("done", "")
	l.call("tool_error", "refused (robots), shop.example")
	got := map[string]map[string]bool{}
	note := func(what, name, value string) {
		if got[what] == nil {
			got[what] = map[string]bool{}
		}
		if name != "" {
			got[what][name] = true
		}
		for _, foreign := range []string{"SHOUTED", secret[:20]} {
			if strings.Contains(value, foreign) {
				t.Errorf("%s has text that must not be there: %s = %s", what, name, value)
			}
		}
	}
	for _, s := range l.spans.GetSpans() {
		for _, kv := range s.Attributes {
			note("span "+s.Name, string(kv.Key), kv.Value.Emit())
		}
	}
	series := 0
	for name, points := range l.series() {
		note("metric "+name, "", "")
		for labels := range points {
			series++
			// Values may contain spaces, names do not.
			for part := range strings.FieldsSeq(labels) {
				if label, _, ok := strings.Cut(part, "="); ok {
					note("metric "+name, label, labels)
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
	if series > 40 {
		t.Errorf("%d series after a few calls", series)
	}
}

// Spans are nested like the parts, and exchanges follow the conventions for HTTP clients.
func TestSpans(t *testing.T) {
	internet := clienttest.New(t)
	shop(internet)
	l := newLab(t, internet)
	for range 2 {
		_, _ = l.client.Resolve(t.Context(), "shop.example")
	}
	within := map[string]string{"wayfind.wave": "wayfind.resolve", "wayfind.request": "wayfind.wave", "GET": "wayfind.request", "wayfind.read": "wayfind.request"}
	byID := map[kinds.SpanID]tracetest.SpanStub{}
	for _, s := range l.spans.GetSpans() {
		byID[s.SpanContext.SpanID()] = s
	}
	roots, resent := 0, 0
	for _, s := range byID {
		around := byID[s.Parent.SpanID()].Name
		if around != within[s.Name] {
			t.Errorf("%s is within %q", s.Name, around)
		}
		if around == "" {
			roots++
		}
		if (s.Name == "GET") != (s.SpanKind == kinds.SpanKindClient) {
			t.Errorf("%s is of kind %v", s.Name, s.SpanKind)
		}
		for _, kv := range s.Attributes {
			if kv.Key == "http.request.resend_count" {
				resent++
			}
			if s.Name == "GET" && kv.Key == "http.response.status_code" && (s.Status.Code == codes.Error) != (kv.Value.AsInt64() >= 400 && kv.Value.AsInt64() != 404) {
				t.Errorf("status %d is %v", kv.Value.AsInt64(), s.Status.Code)
			}
		}
	}
	if roots != 2 || resent == 0 {
		t.Errorf("%d spans have no parent, want those of the two calls; %d exchanges were retries", roots, resent)
	}
}

// Each metric counts its parts.
func TestMetrics(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n> A shop.\n\n## Docs\n\n- [One](/one.md): first\n"})
	internet.Host("busy.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	l := newLab(t, internet)
	for _, domain := range []string{"shop.example", "shop.example", "shop.example", "busy.example"} {
		_, _ = l.client.Resolve(t.Context(), domain)
	}
	_, _ = l.client.Resolve(t.Context(), "https://shop.example/below") // also requests /llms.txt
	l.call("done", "")
	l.call("done", "")
	got := l.series()
	for _, c := range []struct {
		metric, part string
		least, most  int64
	}{
		{"wayfind.resolve.duration s", "", 5, 5},
		{"wayfind.resolve.duration s", "error.type=throttled ", 1, 1},
		{"wayfind.cache.hits {hit}", "wayfind.layer=site", 2, 2},
		{"wayfind.cache.hits {hit}", "wayfind.layer=memory", 1, 100},
		{"wayfind.requests {request}", "wayfind.from=network wayfind.verdict=found", 1, 1},
		{"wayfind.requests {request}", "wayfind.verdict=throttled", 1, 100},
		{"wayfind.requests {request}", "wayfind.verdict=absent", 1, 200},
		{"wayfind.read.duration s", "wayfind.verdict=found", 1, 1},
		{"wayfind.read.size By", "", 40, 1000},
		{"wayfind.exchange.size By", "", 40, 10000},
		{"wayfind.exchange.stage s", "wayfind.stage=tls", 2, 2},
		{"wayfind.obligations {obligation}", "", 1, 100},
		{"wayfind.calls {call}", "wayfind.outcome=done", 2, 2},
	} {
		n := int64(0)
		for labels, value := range got[c.metric] {
			if strings.Contains(labels, c.part) {
				n += value
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("%s with %q is %d, want %d to %d: %v", c.metric, c.part, n, c.least, c.most, got[c.metric])
		}
	}
}

// A metric has few series for any number of words.
func TestCardinality(t *testing.T) {
	l := newLab(t, clienttest.New(t))
	for i := range 1000 {
		l.call(fmt.Sprint("outcome", i), "")
	}
	if n := len(l.series()["wayfind.calls {call}"]); n != 65 {
		t.Errorf("%d series, want 64 and one for the others", n)
	}
}
