package tools

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/security/schema"
)

// RenderOptions are options for rendering. Nil means all tools, not strict.
type RenderOptions struct {
	// Strict requests the vendor's strict mode for each tool that can be expressed in it, up to
	// the number that a request may have: 20 for Anthropic.
	Strict bool
	// Query and Tokens select tools: the best tools for the query that fit into Tokens. If
	// Tokens is zero, as many tools are rendered as a request may have. If Query is empty, the
	// first tools are selected. Where not all fit, each site gets an equal part of the room, in the
	// order of the list that was loaded, and the others get what a site does not need. A
	// definition that does not fit is first shortened, by the steps of [schema.Brevity], and each
	// step is a loss.
	Query  string
	Tokens int
	// Count returns the number of tokens of a text; nil is [EstimateTokens].
	Count func(string) int
	// Bytes is the maximum size of all definitions together, in bytes; 1 MiB if zero. The first
	// tools, or the best tools for the Query, come first.
	Bytes int
}

const (
	// maxRendered is the default of RenderOptions.Bytes.
	maxRendered = 1 << 20
	// maxDeferred is the same for definitions that are loaded when they are needed.
	maxDeferred = 32 << 20
	// maxTried is the factor by which more bytes may be written to find tools that fit, and
	// triedInVain the number of bytes that are counted for a definition that is too large to be
	// written.
	maxTried    = 4
	triedInVain = 64 << 10
)

// Definitions are tools in the form of a vendor's API.
type Definitions struct {
	// Tools is the JSON array for the request.
	Tools json.RawMessage
	// List contains the definition of each tool, and Names their names, in the same order.
	List  []json.RawMessage
	Names []string
	// Losses are the rules that cannot be expressed for the vendor, by tool.
	Losses map[string][]schema.Loss
	// NotStrict contains the reason why a tool is not strict although this was requested, by
	// tool.
	NotStrict map[string]string
	// Skipped are tools that the vendor cannot accept. Left are tools that do not fit into
	// Tokens or Bytes even if they are shortened, or that exceed the number that a request may
	// have: 128 for OpenAI.
	Skipped []Skipped
	Left    []string
	// Tokens is the number of tokens of the definitions.
	Tokens int
	// Note is a text for the model in addition to the tools: see [Box.Note].
	Note string
	// Form converts the arguments of a model back: see Caller.With of package call.
	Form Form
	// Projections are the schemas as they were written, by tool, for a program that converts
	// arguments back itself.
	Projections map[string]*schema.Projection
}

// Render writes the tools for a vendor. Each definition is valid by itself. A tool without a
// valid definition is in Skipped, if the request has room to try it. The order and the bytes
// depend only on the Box and the options, not on scores, so prompt caches remain valid. For the
// zero Vendor all tools are in Skipped, each with a [VendorError].
func (b *Box) Render(v Vendor, opts *RenderOptions) *Definitions {
	b.must()
	return b.render(v, opts, v.request())
}

// render writes tools within the limits of a request.
func (b *Box) render(v Vendor, opts *RenderOptions, limit request) *Definitions {
	if opts == nil {
		opts = &RenderOptions{}
	}
	found, others := b.chosen(opts)
	return b.renderSome(v, opts, limit, b.sharesOf(found, true), b.sharesOf(others, false))
}

// renderSome writes some tools within the limits of a request.
func (b *Box) renderSome(v Vendor, opts *RenderOptions, limit request, lists ...*shares) *Definitions {
	if opts == nil {
		opts = &RenderOptions{}
	}
	r := rendering{opts: *opts, limit: limit, written: make(map[int]json.RawMessage), bytes: cmp.Or(opts.Bytes, maxRendered)}
	if r.opts.Count == nil {
		r.opts.Count = EstimateTokens
	}
	r.tried, r.whole = maxTried*r.bytes, r.bytes
	d := &Definitions{Form: Form{v, opts.Strict, b}, List: []json.RawMessage{}, Note: b.Note(), Losses: make(map[string][]schema.Loss), NotStrict: make(map[string]string), Projections: make(map[string]*schema.Projection)}
	r.d = d
	for _, list := range lists {
		for i, site := list.next(); site != nil; i, site = list.next() {
			before := r.used()
			r.tool(i, &b.tools[i])
			site.used += r.used() - before
		}
	}
	for i := range b.tools {
		if raw, ok := r.written[i]; ok {
			d.List = append(d.List, raw)
			d.Names = append(d.Names, b.tools[i].Name)
		}
	}
	slices.Sort(d.Left)
	d.Tools = v.wrap(d.List)
	return d
}

// rendering is the state of writing the definitions of one request.
type rendering struct {
	opts         RenderOptions
	limit        request
	bytes, tried int
	whole        int // bytes at first
	d            *Definitions
	written      map[int]json.RawMessage
}

// tool writes one definition, if the request has room for it.
func (r *rendering) tool(i int, t *Tool) {
	d, v := r.d, r.d.Form.Vendor
	if len(r.written) >= r.limit.tools || r.tried <= 0 {
		d.Left = append(d.Left, t.Name)
		return
	}
	w, ok, err := t.within(v, r.opts.Strict, r.fits)
	crowded := err == nil && w.p.Strict && !r.limit.strictly(w.p)
	if crowded {
		w, ok, err = t.within(v, false, r.fits)
	}
	switch {
	case err != nil:
		if code := codeOf(err); code == string(schema.CodeOutput) || code == string(schema.CodeCost) {
			r.tried -= triedInVain
		}
		d.Skipped = append(d.Skipped, unrendered(t, err))
		return
	case !ok:
		d.Left = append(d.Left, t.Name)
		return
	}
	size := r.opts.Count(string(w.raw))
	r.bytes -= len(w.raw)
	d.Tokens += size
	r.written[i], d.Projections[t.Name] = w.raw, w.p
	if len(w.p.Loss) > 0 {
		d.Losses[t.Name] = w.p.Loss
	}
	if r.opts.Strict && !w.p.Strict {
		d.NotStrict[t.Name] = cmp.Or(w.p.Why, WhyVendor)
	}
	if crowded {
		d.NotStrict[t.Name] = whyRequest
	}
}

// used returns the part of the room that is used, of the limit that is nearest.
func (r *rendering) used() float64 {
	part := max(float64(len(r.written))/float64(r.limit.tools), 1-float64(r.bytes)/float64(r.whole))
	if r.opts.Tokens > 0 {
		part = max(part, float64(r.d.Tokens)/float64(r.opts.Tokens))
	}
	return part
}

// fits reports whether there is room for a definition.
func (r *rendering) fits(raw json.RawMessage) bool {
	r.tried -= len(raw)
	return len(raw) <= r.bytes && (r.opts.Tokens == 0 || r.d.Tokens+r.opts.Count(string(raw)) <= r.opts.Tokens)
}

// chosen returns the tools that a query finds, with the best first, and the others, which come after
// them.
func (b *Box) chosen(opts *RenderOptions) (found, others []int) {
	seen := make([]bool, len(b.tools))
	if opts.Query != "" {
		for _, f := range b.search(opts.Query, len(b.tools)) {
			seen[f.Entry] = true
			found = append(found, f.Entry)
		}
	}
	for i := range b.tools {
		if !seen[i] {
			others = append(others, i)
		}
	}
	return found, others
}

// unrendered returns the entry for a tool that has no definition.
func unrendered(t *Tool, err error) Skipped {
	return Skipped{Domain: t.Domain, Key: t.Key, Code: codeOf(err), Reason: reasonOf(err), Asked: true, Err: err}
}

func codeOf(err error) string {
	switch e := err.(type) {
	case *schema.Error:
		return string(e.Code)
	case *httpcall.Error:
		return CodeContract
	case *wayfind.Error:
		if e.Code == wayfind.CodeSchema { // from Capability.Check
			return CodeContract
		}
	}
	if _, ok := err.(*wayfind.Error); ok {
		return CodeContract
	}
	return "failed"
}

// render writes one definition.
func (t *Tool) render(v Vendor, strict bool) (json.RawMessage, *schema.Projection, error) {
	if err := v.check(); err != nil {
		return nil, nil, err
	}
	t, err := t.chosen()
	if err != nil {
		return nil, nil, err
	}
	if len(t.Name) > MaxName || !goodName.MatchString(t.Name) { // a table of names may have it
		return nil, nil, &schema.Error{Code: "vendor_rule", Reason: "no vendor accepts its name"}
	}
	p, err := t.Projection(Form{Vendor: v, Strict: strict})
	if err != nil {
		return nil, nil, err
	}
	words, short := t.text(v.row.text)
	if short {
		p.Loss = append(p.Loss, schema.Loss{Keyword: "description", Effect: schema.None, Code: codeToolCut})
	}
	title, short := t.title()
	if short && v.row.titled {
		p.Loss = append(p.Loss, schema.Loss{Keyword: "title", Effect: schema.None, Code: codeToolCut})
	}
	return v.row.define(definition{name: t.Name, title: title, text: words, input: p.JSON, strict: p.Strict, hints: t.hints()}).json(), p, nil
}

// annotations are hints of MCP. They are always explicit, because the defaults are for a
// dangerous tool.
type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Door is for other packages of this module, which use it through internal/site/effect.
func (t *Tool) Door() any { return t.effect() }

// effect returns what calls of the tool do. It is derived once, and kept with the tool: a tool that a
// program has made itself has none yet.
func (t *Tool) effect() *effect.Effect {
	if t.does == nil {
		own := effect.Of(t.Capability)
		return &own
	}
	return t.does
}

// derive keeps what calls of the tool do, according to its definition and to the effect that was kept before.
func (t *Tool) derive() {
	own := effect.Of(t.Capability)
	if t.does != nil {
		own = own.And(*t.does)
	}
	t.does = &own
}

// hints returns the effects of a call as hints.
func (t *Tool) hints() annotations {
	does := t.effect()
	return annotations{ReadOnly: does.OnlyReads(false), Destructive: does.Destructive(false), Idempotent: does.Idempotent(false), OpenWorld: true}
}

// ReadOnly reports whether calls change nothing, according to the method or the protocol, and the
// site says nothing that adds caution: no price, and no need for a confirmation. A statement of the site
// that a tool only reads is not enough.
func (t *Tool) ReadOnly() bool { return t.hints().ReadOnly }
