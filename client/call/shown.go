package call

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind"
	reply "github.com/wayfindhq/wayfind/internal/answer"
	"github.com/wayfindhq/wayfind/parse"
)

// Part shows another part of an answer that was cut: the value at a pointer (RFC
// 6901), from an item, member or character on, in so many bytes, 0 for
// DefaultModelBytes. [ModelResult.Cuts] name the parts.
func (r *Result) Part(pointer string, from, bytes int) ModelResult {
	a := reply.Answer{Header: r.Program.Header, Body: r.Program.Body}
	if r.Program.shown != nil {
		a = *r.Program.shown
	}
	a.Most, a.At, a.From = bytes, pointer, from
	m := ModelResult{from: r.Model.from}
	m.show(reply.Show(&a))
	return m
}

// show puts what a model may see of an answer into its result.
func (m *ModelResult) show(s *reply.Shown) {
	m.Text, m.JSON, m.Cuts, m.Suspicious = s.Text, s.JSON, s.Cuts, s.Suspicious
	m.Cut = s.Cuts != nil
	if s.Size == 0 {
		m.Text = "(no content)"
	}
}

// present shows an answer.
func (r *run) present(a *reply.Answer) *reply.Shown {
	a.Body, a.Most = r.redact(a.Body), r.caller.opts.ModelBytes
	s := reply.Show(a)
	r.result.Model.from = r.wire.url
	r.result.Model.show(s)
	a.Output = nil // of the whole, and judged
	r.result.Program.shown = a
	return s
}

// presentAnswer shows an answer over plain HTTP, with the page that follows, and says
// where it is not what the publisher's schema says.
func (r *run) presentAnswer(a *answer, header http.Header, made bool) {
	whole := &reply.Answer{Status: a.status, Header: header, Body: a.body, URL: r.wire.url}
	c := r.tool.Capability
	if made && c != nil {
		whole.Output, whole.Links, whole.Operation = r.plan.output(), c.Extensions["links"], c.ID
	}
	s := r.present(whole)
	if !made || c == nil {
		return
	}
	p := &r.result.Program
	if s.Malformed || s.Mismatch != nil {
		p.Diagnostics = append(p.Diagnostics, s.Diagnostics(r.wire.shown().URL)...)
	}
	r.result.Model.Next = r.next(s.Next)
}

// next are the arguments that a call for the page that follows has in other words, by
// the names that the model knows.
func (r *run) next(n *reply.Next) json.RawMessage {
	list := n.Arguments(r.tool.Capability.Params, r.wire.url)
	if list == nil {
		return nil
	}
	shown := map[string]string{}
	if d := r.caller.opts.Definitions; d != nil && d.Projections[r.tool.Name] != nil {
		for name, original := range d.Projections[r.tool.Name].Names {
			shown[original] = name
		}
	}
	var members []parse.Member
	for _, arg := range list {
		name := arg.Name
		if shown[name] != "" {
			name = shown[name]
		}
		members = append(members, parse.Member{Name: name, Value: parse.Raw(r.redact(arg.Value))})
	}
	return json.RawMessage(parse.Obj(members...))
}

// paced waits until no limit is passed that the documents of the service name, or its
// last answer did.
func (r *run) paced() error {
	var own []wayfind.Limit
	if c := r.tool.Capability; c != nil {
		own = c.Limits
	}
	for {
		wait := r.caller.pace.Take(time.Now(), r.wire.origin, r.principal, r.tool.Key, own, r.tool.Service.Limits)
		if wait == 0 {
			return nil
		}
		if wait > MaxWait {
			r.result.Model.NotBefore = time.Now().Add(wait).UTC().Truncate(time.Second)
			return fail(Throttled, nil, "its own limit of calls is reached")
		}
		if err := sleep(r.ctx, wait); err != nil {
			return fail(Timeout, err, "")
		}
	}
}
