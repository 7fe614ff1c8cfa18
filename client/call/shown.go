package call

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Part returns another part of an answer that was cut: the value at a pointer (RFC 6901),
// beginning with the item, member or character at index from, in at most the given number of
// bytes, 0 for 32 KiB. [ModelResult.Cuts] are the missing parts.
func (r *Result) Part(pointer string, from, bytes int) ModelResult {
	a := callresult.Answer{Header: r.Program.Header, Body: r.Program.Body}
	if r.Program.shown != nil {
		a = *r.Program.shown
	}
	a.Most, a.At, a.From = bytes, pointer, from
	m := ModelResult{from: r.Model.from}
	m.show(callresult.Show(&a))
	return m
}

// show copies the parts of an answer that a model may see into its result.
func (m *ModelResult) show(s *callresult.Shown) {
	m.Text, m.JSON, m.Cuts, m.Suspicious = s.Text, s.JSON, s.Cuts, s.Suspicious
	m.Cut = s.Cuts != nil
	if s.Size == 0 {
		m.Text = "(no content)"
	}
}

// show adds a body to the result of the model.
func (s *sent) show(res *Result, contentType string, body []byte) {
	s.present(res, &callresult.Answer{Header: http.Header{"Content-Type": {contentType}}, Body: body})
}

// present adds an answer to the result of the model.
func (s *sent) present(res *Result, a *callresult.Answer) *callresult.Shown {
	a.Body, a.Most, a.Hide = s.equipment.secrets.over(a.Body), s.caller.opts.ModelBytes, s.equipment.secrets.over
	shown := callresult.Show(a)
	res.Model.from = s.subject.url
	res.Model.show(shown)
	a.Output = nil // applies to the whole answer, and was used
	res.Program.shown = a
	return shown
}

// presentAnswer shows an answer over plain HTTP with the arguments for the next page, and
// reports how it differs from the publisher's schema.
func (s *sent) presentAnswer(res *Result, a *answer, made bool) {
	whole := &callresult.Answer{Status: a.status, Header: res.Program.Header, Body: a.body, URL: s.subject.url}
	c := s.tool.Capability
	if made && c != nil {
		whole.Output, whole.Links, whole.Operation, whole.Declared = s.plan.output(res.Program.Header.Get("Content-Type")), c.Extensions["links"], c.ID, c.OutputModes
	}
	shown := s.present(res, whole)
	if !made {
		return
	}
	res.Model.Note = strings.Join(shown.Notes(), " ")
	if shown.Binary {
		s.httpPart(res, a.header, a.body)
	}
	if shown.Odd() {
		res.Program.Diagnostics = append(res.Program.Diagnostics, shown.Diagnostics(s.subject.shown().URL)...)
	}
	if c != nil {
		res.Model.Next = s.next(shown.Next)
		res.Program.Next = s.page(res.Model.Next)
	}
}

// next returns the arguments to change for the next page, with the names that the model knows.
func (s *sent) next(n *callresult.Next) json.RawMessage {
	list := n.Arguments(s.tool.Capability.Params, s.subject.url)
	if list == nil {
		return nil
	}
	var members []rawjson.Member
	for _, arg := range list {
		members = append(members, rawjson.Member{Name: s.shown.Shown(arg.Name), Value: parse.Raw(s.equipment.secrets.over(arg.Value))})
	}
	return json.RawMessage(rawjson.Obj(members...))
}
