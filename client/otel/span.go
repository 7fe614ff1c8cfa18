package otel

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/wayfindhq/wayfind/client"
)

// begin starts the span of an event.
func (t *telemetry) begin(ctx context.Context, e client.Event, at time.Time) (context.Context, trace.Span) {
	if e.Kind != client.EventExchange {
		return t.tracer.Start(ctx, "wayfind."+e.Kind, trace.WithTimestamp(at))
	}
	name := e.Method
	if name == "_OTHER" {
		name = "HTTP"
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(at))
}

func end(span trace.Span, e client.Event) {
	var all attributes
	switch e.Kind {
	case client.EventExchange:
		all.exchange(e)
	case client.EventRequest, client.EventRead:
		all.text("url.full", e.Target)
		all.text("wayfind.redirected_from", e.RedirectedFrom)
		all = append(all, attribute.Int64("http.response.body.size", e.Bytes))
	default:
		all.text("wayfind.target", e.Target)
	}
	all.text("wayfind.from", e.From)
	all.text("wayfind.verdict", string(e.Verdict))
	all.text("wayfind.outcome", e.Outcome)
	all.number("http.response.status_code", e.Status)
	all.number("wayfind.places", e.Places)
	if failure := failureOf(e); failure != "" {
		all.text("error.type", failure)
		span.SetStatus(codes.Error, class(e.Error))
	}
	span.SetAttributes(all...)
	if e.Leader != nil {
		span.AddLink(trace.LinkFromContext(e.Leader))
	}
	span.End()
}

// attributes are the attributes of a span.
type attributes []attribute.KeyValue

func (a *attributes) text(name, value string) {
	if value != "" {
		*a = append(*a, attribute.String(name, value))
	}
}

func (a *attributes) number(name string, value int) {
	if value != 0 {
		*a = append(*a, attribute.Int(name, value))
	}
}

// exchange adds the attributes of the semantic conventions for HTTP clients.
func (a *attributes) exchange(e client.Event) {
	a.text("http.request.method", e.Method)
	a.text("url.full", e.Target)
	if u, err := url.Parse(e.Target); err == nil {
		a.text("server.address", u.Hostname())
		a.number("server.port", port(u))
	}
	a.number("http.request.resend_count", e.Attempt-1)
	*a = append(*a, attribute.Int64("http.response.body.size", e.Bytes), attribute.Bool("wayfind.connection.reused", e.Stages.Reused))
	for _, s := range stages(e.Stages) {
		*a = append(*a, attribute.Float64("wayfind.stage."+s.name, s.took.Seconds()))
	}
}

func port(u *url.URL) int {
	if n, err := strconv.Atoi(u.Port()); err == nil {
		return n
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}

// failureOf returns the reason why an event failed, or "". By the conventions an exchange fails
// if its status is 400 or more. Here 404 and 410 are not failures, because they mean that a
// place has no document.
func failureOf(e client.Event) string {
	switch {
	case e.Error != "":
		return class(e.Error)
	case e.Kind != client.EventExchange, e.Status < 400, e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return ""
	}
	return strconv.Itoa(e.Status)
}
