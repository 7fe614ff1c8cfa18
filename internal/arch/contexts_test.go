package arch

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// keepContexts returns the struct fields that contain a context, as "package Type.field", each
// with the reason why it is not a parameter. A call in package client/call passes its context
// from function to function.
func keepContexts() map[string]string {
	return map[string]string{
		"cache Engine.base":                      "work in the background; ends with Close",
		"cache streamBody.ctx":                   "a body ends with its reader's context, after RoundTrip has returned",
		"cache valued.Context":                   "it is a context",
		"cache valued.values":                    "it is a context with the values of another one",
		"cache servedContext.Context":            "it is a context",
		"cache writer.ctx":                       "writes behind; ends when Close gives up",
		"cache/redis link.ctx":                   "connections; ends with close",
		"internal/site/discover Engine.base":     "work in the background; ends with Close",
		"client Client.base":                     "batches, and work in the background; ends with Close",
		"internal/site/discover Event.Leader":    "for Options.Observe: the context of the call that began a flight",
		"client Event.Leader":                    "for Options.Observe: the context of the call that began a flight",
		"internal/site/discover Session.Work":    "one clock for all requests of a call; requests have contexts of their own",
		"client batch.ctx":                       "an iterator, whose methods the caller's loop runs",
		"internal/site/discover request.seen":    "the part that Options.Observe sees, beside the context of the request",
		"internal/site/describe metadata.caller": "the caller, beside the time of the description",
		"internal/site/describe metadata.ctx":    "the time of the description, beside the caller",
		"internal/run/fairshare Stay.call":       "the clock of a call, for all that it takes",
		"internal/site/discover Session.within":  "a renewal in the background, which ends when others need its room",
		"internal/site/discover metered.ctx":     "a body ends with its request's context, after the request has returned",
		"internal/site/discover Result.Leader":   "for Options.Observe: the context of the call that began a flight",
		"client/crawl/crawltest lab.ctx":         "the time for a law, as that of *testing.T",
		"client/crawl visit.ctx":                 "a turn that is left by a method without a context",
		"client/livemcp meter.ctx":               "the probe; the SDK's transports use contexts of their own",
		"client/mcpserver Server.ctx":            "readings in the background; ends with Close",
		"cmd/wayfind/internal/stdio Server.ctx":  "the process, which all callers share; ends with Close",
		"internal/web/fetch Ask.Call":            "one clock for all requests of a call",
		"internal/web/fetch Callers.Context":     "it is a context, of the callers of a flight, which outlives each of them",
		"internal/web/fetch Conns.ctx":           "dials; ends with Close",
		"internal/web/fetch exchange.caller":     "a body ends with the caller, after the exchange has returned",
		"internal/web/fetch exchange.ctx":        "a body ends with the time limit, after the exchange has returned",
		"internal/web/gate Pass.ctx":             "the caller, between Enter and Done",
		"internal/run/pausable Context.parent":   "it is a context",
		"internal/run/pausable Context.inner":    "it is a context",
		"internal/run/fuel Counter.ctx":          "steps that end with a context, counted in loops",
		"internal/run/fuel carrier.Context":      "it is a context",
	}
}

func TestContextsAreParameters(t *testing.T) {
	unused := keepContexts()
	for _, p := range load(t) {
		for _, f := range p.production() {
			for name, at := range contextFields(f) {
				key := p.dir + " " + name
				if keepContexts()[key] == "" {
					t.Errorf("%s: %q holds a context: make it a parameter, or say here why it cannot be one", f.at(at), key)
				}
				if p.dir == "client/call" {
					t.Errorf("%s: %s holds a context: a call passes it on", f.at(at), name)
				}
				delete(unused, key)
			}
		}
	}
	for key := range unused {
		t.Errorf("no field %s holds a context", key)
	}
}

// contextFields returns the fields of struct types that contain a context, as "Type.field".
func contextFields(f *source) map[string]ast.Node {
	found := map[string]ast.Node{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range fields.Fields.List {
			held := strings.TrimPrefix(types.ExprString(field.Type), "*")
			if !slices.Contains([]string{"context.Context", "pausable.Context"}, held) {
				continue
			}
			names := []string{"Context"} // embedded
			if len(field.Names) > 0 {
				names = names[:0]
			}
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
			for _, name := range names {
				found[spec.Name.Name+"."+name] = field
			}
		}
		return true
	})
	return found
}

func TestContextFieldsAreCaught(t *testing.T) {
	p := parseText(t, `package x

type call struct {
	context.Context
	ctx, outer context.Context
	clock      *pausable.Context
	next       func(context.Context) error
}

func run(ctx context.Context) {}
`)
	got := contextFields(p.files[0])
	for _, want := range []string{"call.Context", "call.ctx", "call.outer", "call.clock"} {
		if got[want] == nil {
			t.Errorf("%s was not caught", want)
		}
	}
	if len(got) != 4 {
		t.Errorf("caught %d fields, want 4", len(got))
	}
}
