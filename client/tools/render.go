package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/schema"
)

// RenderOptions say what to render. Nil: all tools, not strict.
type RenderOptions struct {
	// Strict asks for the vendor's strict mode for each tool that can be
	// expressed in it, and for at most as many as a request may have: 20 at
	// Anthropic.
	Strict bool
	// Query and Tokens choose: the best tools for the query, as many as Tokens
	// have room for. Without Tokens all are rendered that a request may have;
	// without a Query the first.
	Query  string
	Tokens int
	// Count counts tokens; nil: [EstimateTokens].
	Count func(string) int
}

// Definitions are tools as a vendor's API takes them.
type Definitions struct {
	// Tools is the JSON of the array for the request.
	Tools json.RawMessage
	// Names of the tools in it, in their order.
	Names []string
	// Losses are the rules that the vendor cannot be told, by tool.
	Losses map[string][]schema.Loss
	// NotStrict gives the reason why a tool is not strict although it was
	// requested, by tool.
	NotStrict map[string]string
	// Skipped are tools that the vendor cannot take, and Left those that Tokens
	// have no room for, or that are more than a request may have: 128 at OpenAI.
	Skipped []Skipped
	Left    []string
	// Tokens that the definitions come to.
	Tokens int
	// Note is a text for the model beside the tools: see [Box.Note].
	Note string
	// Projections turn a model's arguments back, by tool.
	Projections map[string]*schema.Projection
}

// Render writes the tools for a vendor. Each definition is valid by itself; a
// tool without a valid one is in Skipped. The order and the bytes depend only
// on the Box and the options, not on scores, so that prompt caches stay valid.
// For a Vendor that is not one of [Vendors] all tools are in Skipped, each with a
// [VendorError].
func (b *Box) Render(v Vendor, opts *RenderOptions) *Definitions {
	return b.render(v, opts, v.request())
}

// render writes tools within the limits of a request.
func (b *Box) render(v Vendor, opts *RenderOptions, limit request) *Definitions {
	if opts == nil {
		opts = &RenderOptions{}
	}
	count := opts.Count
	if count == nil {
		count = EstimateTokens
	}
	d := &Definitions{Note: b.Note(), Losses: make(map[string][]schema.Loss), NotStrict: make(map[string]string), Projections: make(map[string]*schema.Projection)}
	written := make(map[int]json.RawMessage)
	room := opts.Tokens
	for _, i := range b.chosen(opts) {
		t := &b.tools[i]
		raw, p, err := t.render(v, opts.Strict)
		crowded := err == nil && p.Strict && !limit.strictly(p)
		if crowded {
			raw, p, err = t.render(v, false)
		}
		if err != nil {
			d.Skipped = append(d.Skipped, Skipped{Domain: t.Domain, Key: t.Key, Code: codeOf(err), Reason: reasonOf(err), Asked: true, Err: err})
			continue
		}
		size := count(string(raw))
		if opts.Tokens > 0 && size > room || len(written) >= limit.tools {
			d.Left = append(d.Left, t.Name)
			continue
		}
		room -= size
		d.Tokens += size
		written[i], d.Projections[t.Name] = raw, p
		if len(p.Loss) > 0 {
			d.Losses[t.Name] = p.Loss
		}
		if opts.Strict && !p.Strict {
			d.NotStrict[t.Name] = cmp.Or(p.Why, WhyVendor)
		}
		if crowded {
			d.NotStrict[t.Name] = whyRequest
		}
	}
	list := []json.RawMessage{}
	for i := range b.tools {
		if raw, ok := written[i]; ok {
			list = append(list, raw)
			d.Names = append(d.Names, b.tools[i].Name)
		}
	}
	slices.Sort(d.Left)
	d.Tools = wrap(v, list)
	return d
}

// chosen are the tools in the order in which they get room.
func (b *Box) chosen(opts *RenderOptions) (list []int) {
	seen := make([]bool, len(b.tools))
	if opts.Query != "" {
		for _, f := range b.search(opts.Query, len(b.tools)) {
			seen[f.Entry] = true
			list = append(list, f.Entry)
		}
	}
	for i := range b.tools {
		if !seen[i] {
			list = append(list, i)
		}
	}
	return list
}

func codeOf(err error) string {
	if e, ok := err.(*schema.Error); ok {
		return string(e.Code)
	}
	return "failed"
}

// encode writes JSON as it is sent: without escapes that only HTML needs.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // strings, booleans and checked JSON: there is no error
	}
	return bytes.TrimSpace(b.Bytes())
}

// wrap puts definitions into the form that the API takes.
func wrap(v Vendor, list []json.RawMessage) json.RawMessage {
	if v == Gemini || v == GeminiJSON {
		if len(list) == 0 {
			return json.RawMessage("[]")
		}
		return encode([]any{struct {
			Declarations []json.RawMessage `json:"functionDeclarations"`
		}{list}})
	}
	return encode(list)
}

// target is the projection of a vendor.
func (v Vendor) target(strict bool) schema.Target {
	switch v {
	case AnthropicMessages:
		if strict {
			return schema.AnthropicStrict
		}
		return schema.Anthropic
	case Gemini:
		return schema.Gemini
	case GeminiJSON:
		return schema.GeminiJSON
	case Bedrock:
		return schema.Bedrock
	case MCP:
		return schema.MCP
	case Mistral:
		return schema.OpenAI
	}
	if strict {
		return schema.OpenAIStrict
	}
	return schema.OpenAI
}

// function is a definition of OpenAI, of Mistral without "strict".
type function struct {
	Type        string          `json:"type,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict,omitempty"`
}

// geminiJSON is a definition of Gemini whose schema is JSON Schema.
type geminiJSON struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"`
}

// render writes one definition.
func (t *Tool) render(v Vendor, strict bool) (json.RawMessage, *schema.Projection, error) {
	if err := v.check(); err != nil {
		return nil, nil, err
	}
	p, err := t.Schema.For(v.target(strict))
	if err != nil {
		return nil, nil, err
	}
	input := json.RawMessage(p.JSON)
	text := t.text()
	switch v {
	case OpenAIResponses:
		return encode(function{"function", t.Name, text, input, &p.Strict}), p, nil
	case OpenAIChat, Mistral:
		f := function{Name: t.Name, Description: text, Parameters: input}
		if v == OpenAIChat {
			f.Strict = &p.Strict
		}
		return encode(struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		}{"function", f}), p, nil
	case Gemini:
		return encode(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		}{t.Name, text, input}), p, nil
	case GeminiJSON:
		return encode(geminiJSON{t.Name, text, input}), p, nil
	case Bedrock:
		return t.bedrock(text, input), p, nil
	case MCP:
		return t.mcp(text, input), p, nil
	}
	return encode(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Strict      bool            `json:"strict,omitempty"`
	}{t.Name, text, input, p.Strict}), p, nil
}

func (t *Tool) bedrock(text string, input json.RawMessage) json.RawMessage {
	type inputSchema struct {
		JSON json.RawMessage `json:"json"`
	}
	type spec struct {
		Name        string      `json:"name"`
		Description string      `json:"description"`
		Schema      inputSchema `json:"inputSchema"`
	}
	return encode(struct {
		Spec spec `json:"toolSpec"`
	}{spec{t.Name, text, inputSchema{input}}})
}

// annotations are hints of MCP. They are always explicit, because the defaults are
// those of a dangerous tool.
type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// hints describe the effects of a call. A site's statement can only add
// caution: a tool is read-only only if its HTTP method is, too.
func (t *Tool) hints() annotations {
	a := annotations{Destructive: true, OpenWorld: true}
	if t.Capability == nil || t.Capability.Invocation == nil || t.Capability.Invocation.Protocol != "http" {
		return a
	}
	method, e := t.Capability.Invocation.Method, t.Capability.Effects
	if e == nil {
		e = &wayfind.Effects{}
	}
	denied := func(v *bool) bool { return v != nil && !*v }
	a.ReadOnly = slices.Contains([]string{"GET", "HEAD", "QUERY", "OPTIONS"}, method) && !denied(e.ReadOnly) && !said(e.Destructive)
	a.Destructive = !a.ReadOnly
	a.Idempotent = (a.ReadOnly || method == "PUT" || method == "DELETE") && !denied(e.Idempotent)
	return a
}

// ReadOnly reports whether a call changes nothing: by its HTTP method, and by the
// site's word where it has one.
func (t *Tool) ReadOnly() bool { return t.hints().ReadOnly }

func said(v *bool) bool { return v != nil && *v }

func (t *Tool) mcp(text string, input json.RawMessage) json.RawMessage {
	title := ""
	if t.Capability != nil {
		title = t.Capability.Title
	}
	return encode(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"inputSchema"`
		Annotations annotations     `json:"annotations"`
	}{t.Name, clip(title, 128), text, input, t.hints()})
}

// maxDescription bounds a description, in bytes.
const maxDescription = 1024

// text is the description of a tool for a model: its origin in our words, then
// the publisher's text, cut at a sentence.
func (t *Tool) text() string {
	from := "From " + t.Domain + ": "
	return from + sentences(strings.TrimSpace(t.description), maxDescription-len(from))
}

// sentences cuts a text at the end of a sentence, or of a word.
func sentences(s string, most int) string {
	if s == "" {
		return "no description."
	}
	if len(s) <= most {
		return s
	}
	s = clip(s, most-len("…"))
	if end := strings.LastIndexAny(s, ".!?。！？"); end > most/2 {
		return clip(s, end+runeLen(s[end:]))
	}
	if end := strings.LastIndexAny(s, " \n"); end > most/2 {
		s = s[:end]
	}
	return s + "…"
}

// runeLen is the length of the first character of a text.
func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}
