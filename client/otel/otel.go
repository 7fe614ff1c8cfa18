// Package otel turns the events of a wayfind client into spans and metrics of
// OpenTelemetry. It is a module of its own, so that only those who use it link it.
//
//	observe, err := otel.New(nil)
//	c, err := client.New(&client.Options{Observe: observe})
//
// Spans are named after the kind of the event; those of requests to a site have the
// attributes of the semantic conventions for HTTP clients. The metrics are
//
//	wayfind.resolve.duration   histogram, s: by error
//	wayfind.requests           counter: by from (network, validated, memory, …) and status
//	wayfind.read.duration      histogram, s: by verdict
//	wayfind.read.size          counter, By: bytes of documents
//	wayfind.calls              counter: by outcome
//
// Labels have few values, and none comes from a document. URLs are in spans only, and
// without secrets.
package otel

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/wayfindhq/wayfind/client"
)

const scope = "github.com/wayfindhq/wayfind"

// Options are the providers; nil ones are the global ones.
type Options struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
}

// New makes a client.Observe.
func New(o *Options) (client.Observe, error) {
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
	t := &telemetry{tracer: own.Tracers.Tracer(scope)}
	return t.observe, t.instruments(own.Meters.Meter(scope))
}

// telemetry is where events go.
type telemetry struct {
	tracer                   trace.Tracer
	resolves, reads          metric.Float64Histogram
	requests, bytesOf, calls metric.Int64Counter
}

func (t *telemetry) instruments(m metric.Meter) error {
	var errs [5]error
	t.resolves, errs[0] = m.Float64Histogram("wayfind.resolve.duration", metric.WithUnit("s"), metric.WithDescription("Calls of Resolve, Refresh and Probe."))
	t.requests, errs[1] = m.Int64Counter("wayfind.requests", metric.WithUnit("{request}"), metric.WithDescription("URLs that were wanted, by the layer that answered."))
	t.reads, errs[2] = m.Float64Histogram("wayfind.read.duration", metric.WithUnit("s"), metric.WithDescription("The reading of documents."))
	t.bytesOf, errs[3] = m.Int64Counter("wayfind.read.size", metric.WithUnit("By"), metric.WithDescription("Bytes of documents that were read."))
	t.calls, errs[4] = m.Int64Counter("wayfind.calls", metric.WithUnit("{call}"), metric.WithDescription("Calls of tools."))
	return errors.Join(errs[:]...)
}

func (t *telemetry) observe(ctx context.Context, begin client.Event) (context.Context, func(client.Event)) {
	kind := trace.SpanKindInternal
	if begin.Kind == client.EventExchange {
		kind = trace.SpanKindClient
	}
	start := time.Now()
	ctx, span := t.tracer.Start(ctx, "wayfind."+begin.Kind, trace.WithSpanKind(kind), trace.WithTimestamp(start))
	return ctx, func(e client.Event) {
		span.SetAttributes(attributes(e)...)
		if e.Error != "" {
			span.SetStatus(codes.Error, class(e.Error))
		}
		if e.Leader != nil {
			span.AddLink(trace.LinkFromContext(e.Leader))
		}
		span.End()
		t.measure(ctx, e, time.Since(start))
	}
}

// measure counts an event that has ended.
func (t *telemetry) measure(ctx context.Context, e client.Event, took time.Duration) {
	with := func(labels ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(labels...))
	}
	switch e.Kind {
	case client.EventResolve:
		t.resolves.Record(ctx, took.Seconds(), with(attribute.String("error.type", class(e.Error)), attribute.String("wayfind.from", e.From), attribute.Bool("wayfind.joined", e.Joined)))
	case client.EventRequest:
		t.requests.Add(ctx, 1, with(attribute.String("wayfind.from", e.From), attribute.Int("http.response.status_code", e.Status), attribute.String("error.type", class(e.Error))))
	case client.EventRead:
		t.reads.Record(ctx, took.Seconds(), with(attribute.String("wayfind.verdict", string(e.Verdict))))
		t.bytesOf.Add(ctx, e.Bytes)
	case client.EventCall:
		t.calls.Add(ctx, 1, with(attribute.String("wayfind.outcome", e.Outcome)))
	}
}

// attributes are those of a span.
func attributes(e client.Event) []attribute.KeyValue {
	var all []attribute.KeyValue
	add := func(name, value string) {
		if value != "" {
			all = append(all, attribute.String(name, value))
		}
	}
	switch e.Kind {
	case client.EventRequest, client.EventExchange, client.EventRead:
		add("url.full", e.Target)
		if u, err := url.Parse(e.Target); err == nil {
			add("server.address", u.Hostname())
		}
	default:
		add("wayfind.target", e.Target)
	}
	add("wayfind.from", e.From)
	add("wayfind.verdict", string(e.Verdict))
	add("wayfind.outcome", e.Outcome)
	add("error.type", class(e.Error))
	if e.Status != 0 {
		all = append(all, attribute.Int("http.response.status_code", e.Status))
	}
	if e.Places != 0 {
		all = append(all, attribute.Int("wayfind.places", e.Places))
	}
	if e.Kind == client.EventRequest || e.Kind == client.EventExchange || e.Kind == client.EventRead {
		all = append(all, attribute.Int64("http.response.body.size", e.Bytes))
	}
	return all
}

// class is an error without the host and the time in it: the kind and the code.
func class(text string) string {
	kind, _, _ := strings.Cut(text, ",")
	return kind
}
