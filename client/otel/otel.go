// Package otel converts the events of a wayfind client to spans and metrics of OpenTelemetry.
// It is a separate module, so only programs that use it link it.
//
//	observe, err := otel.New(nil)
//	c, err := client.New(&client.Options{Observe: observe})
//	stop, err := otel.Watch(c, nil)
//
// A span is named after the kind of its event. The span of an exchange, which is a request on a
// connection, is named after the HTTP method and follows the semantic conventions for HTTP
// clients. The metrics are
//
//	wayfind.resolve.duration  histogram, s: by error, and whether it joined another call
//	wayfind.requests          counter: by verdict, error and the layer that answered
//	wayfind.cache.hits        counter: by layer: site (a whole Site), memory, disk, redis, …
//	wayfind.exchange.stage    histogram, s: by stage: queue, dns, connect, tls, wait, read
//	wayfind.exchange.size     counter, By: bytes of bodies on connections
//	wayfind.read.duration     histogram, s: by verdict
//	wayfind.read.size         counter, By: bytes of documents
//	wayfind.calls             counter: by outcome
//	wayfind.obligations       gauge: cool-downs and pauses that Watch's Client holds
//	wayfind.cache.lost        counter: calls of its store without an answer, by operation (read,
//	                          write) and reason (late, busy, resting, full, failed)
//
// Labels have few values, and no value is from a document or a server. URLs are only in spans,
// without secrets. The metrics of the semantic conventions for HTTP clients are not included:
// they require the name of the server as a label, and a crawl asks millions of servers.
package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
)

const scope = "github.com/wayfindhq/wayfind"

// Options contains the providers. A nil provider is the global one.
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
}

func (o *Options) withDefaults() Options {
	var own Options
	if o != nil {
		own = *o
	}
	if own.Tracers == nil {
		own.Tracers = otel.GetTracerProvider()
	}
	if own.Meters == nil {
		own.Meters = otel.GetMeterProvider()
	}
	return own
}

// New returns a client.Observe that records spans and metrics.
func New(o *Options) (client.Observe, error) {
	own := o.withDefaults()
	t := &telemetry{tracer: own.Tracers.Tracer(scope)}
	return t.observe, t.instruments(own.Meters.Meter(scope))
}

// Watch registers a gauge of the obligations that a Client holds, and a counter of the answers that
// its store did not give or take. Call stop before you close the Client.
func Watch(c *client.Client, o *Options) (stop func() error, err error) {
	own := o.withDefaults()
	meter := own.Meters.Meter(scope)
	held, err := meter.Int64ObservableGauge("wayfind.obligations", metric.WithUnit("{obligation}"), metric.WithDescription("Cool-downs and pauses that the client holds."))
	if err != nil {
		return nil, err
	}
	lost, err := meter.Int64ObservableCounter("wayfind.cache.lost", metric.WithUnit("{call}"), metric.WithDescription("Calls of a store that did not give or take an answer, by operation and reason."))
	if err != nil {
		return nil, err
	}
	watching, err := meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		s := c.Stats()
		to.ObserveInt64(held, int64(s.Obligations))
		observeLost(to, lost, "read", s.Responses.Unread)
		observeLost(to, lost, "write", s.Responses.Unwritten)
		return nil
	}, held, lost)
	if err != nil {
		return nil, err
	}
	return watching.Unregister, nil
}

// observeLost reports the counts of one operation of the store.
func observeLost(to metric.Observer, lost metric.Int64Observable, operation string, s cache.LostStats) {
	for reason, n := range map[string]uint64{"late": s.Late, "busy": s.Busy, "resting": s.Resting, "full": s.Full, "failed": s.Failed} {
		to.ObserveInt64(lost, int64(n), metric.WithAttributes(attribute.String("wayfind.operation", operation), attribute.String("wayfind.reason", reason)))
	}
}

// telemetry records events as spans and metrics.
type telemetry struct {
	tracer                            trace.Tracer
	resolves, stages, reads           metric.Float64Histogram
	requests, hits, sent, read, calls metric.Int64Counter
	kinds, verdicts, layers, outcomes label
}

func (t *telemetry) instruments(m metric.Meter) error {
	var errs []error
	seconds := func(name, about string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about))
		errs = append(errs, err)
		return h
	}
	count := func(name, unit, about string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(about))
		errs = append(errs, err)
		return c
	}
	t.resolves = seconds("wayfind.resolve.duration", "Calls of Resolve, Refresh and Probe.")
	t.requests = count("wayfind.requests", "{request}", "URLs that were requested, by verdict on the answer.")
	t.hits = count("wayfind.cache.hits", "{hit}", "Answers from a store, by layer.")
	t.stages = seconds("wayfind.exchange.stage", "The stages of requests on connections.")
	t.sent = count("wayfind.exchange.size", "By", "Bytes of bodies on connections.")
	t.reads = seconds("wayfind.read.duration", "Time to read documents.")
	t.read = count("wayfind.read.size", "By", "Bytes of documents that were read.")
	t.calls = count("wayfind.calls", "{call}", "Calls of tools.")
	return errors.Join(errs...)
}

func (t *telemetry) observe(ctx context.Context, begin client.Event) (context.Context, func(client.Event)) {
	start := time.Now()
	ctx, span := t.begin(ctx, begin, start)
	return ctx, func(e client.Event) {
		end(span, e)
		t.measure(ctx, e, time.Since(start))
	}
}

// measure records the metrics of an event that has ended.
func (t *telemetry) measure(ctx context.Context, e client.Event, took time.Duration) {
	failure := attribute.String("error.type", t.kinds.of(class(e.Error)))
	verdict := attribute.String("wayfind.verdict", t.verdicts.of(string(e.Verdict)))
	layer := attribute.String("wayfind.from", t.layers.of(e.From))
	switch e.Kind {
	case client.EventResolve:
		t.resolves.Record(ctx, took.Seconds(), with(failure, layer, attribute.Bool("wayfind.joined", e.Joined)))
		if e.From == cache.FromMemory {
			t.hits.Add(ctx, 1, with(attribute.String("wayfind.layer", "site")))
		}
	case client.EventRequest:
		t.requests.Add(ctx, 1, with(layer, verdict, failure))
		if e.From != "" && e.From != cache.FromNetwork {
			t.hits.Add(ctx, 1, with(attribute.String("wayfind.layer", t.layers.of(e.From))))
		}
	case client.EventExchange:
		for _, s := range stages(e.Stages) {
			t.stages.Record(ctx, s.took.Seconds(), with(attribute.String("wayfind.stage", s.name)))
		}
		t.sent.Add(ctx, e.Bytes)
	case client.EventRead:
		t.reads.Record(ctx, took.Seconds(), with(verdict))
		t.read.Add(ctx, e.Bytes)
	case client.EventCall:
		t.calls.Add(ctx, 1, with(attribute.String("wayfind.outcome", t.outcomes.of(e.Outcome))))
	}
}

func with(labels ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(labels...))
}

// stage is a part of an exchange.
type stage struct {
	name string
	took time.Duration
}

// stages returns the stages that took place.
func stages(s client.Stages) (list []stage) {
	for _, one := range []stage{{"queue", s.Queue}, {"dns", s.DNS}, {"connect", s.Connect}, {"tls", s.TLS}, {"wait", s.Wait}, {"read", s.Read}} {
		if one.took > 0 {
			list = append(list, one)
		}
	}
	return list
}
