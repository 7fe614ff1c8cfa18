package inspect

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/schema"
)

// VendorSum contains the numbers of the definitions for a vendor.
type VendorSum struct {
	Vendor tools.Vendor `json:"vendor"`
	Tools  int          `json:"tools"`
	Tokens int          `json:"tokens"`
	Bytes  int          `json:"bytes"`
	// Narrower and Wider are the numbers of tools that lose a rule with that effect.
	Narrower int `json:"narrower"`
	Wider    int `json:"wider"`
	// Renamed is the number of tools with renamed arguments.
	Renamed int `json:"renamed"`
	// Skipped and Left are the numbers of tools that the vendor does not get.
	Skipped int `json:"skipped"`
	Left    int `json:"left"`
	// NotStrict is the number of tools that could not be strict.
	NotStrict int `json:"notStrict"`
}

// Vendors compares all vendors.
func (i *Inspector) Vendors(strict bool) ([]VendorSum, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []VendorSum
	for _, v := range tools.Vendors() {
		d, err := s.render(wanted{vendor: v, strict: strict})
		if err != nil {
			return nil, err
		}
		sum := VendorSum{Vendor: v, Tools: len(d.Names), Tokens: d.Tokens, Bytes: len(d.Tools), Skipped: len(d.Skipped), Left: len(d.Left), NotStrict: len(d.NotStrict)}
		for _, name := range d.Names {
			narrower, wider := effects(d.Losses[name])
			sum.Narrower += min(narrower, 1)
			sum.Wider += min(wider, 1)
			sum.Renamed += min(len(d.Projections[name].Names), 1)
		}
		list = append(list, sum)
	}
	return list, nil
}

// effects returns the numbers of losses that change which values are valid.
func effects(losses []schema.Loss) (narrower, wider int) {
	for _, l := range losses {
		switch l.Effect {
		case schema.Narrower:
			narrower++
		case schema.Wider:
			wider++
		}
	}
	return narrower, wider
}

// VendorView contains the definitions for a vendor.
type VendorView struct {
	Vendor tools.Vendor `json:"vendor"`
	Tokens int          `json:"tokens"`
	Tools  []VendorRow  `json:"tools"`
	// Skipped are the tools that the vendor cannot accept. Left are the tools that exceed the
	// number that a request may have.
	Skipped []tools.Skipped `json:"skipped"`
	Left    []string        `json:"left"`
	Note    string          `json:"note,omitempty"`
}

// VendorRow is one definition in a list.
type VendorRow struct {
	Name     string `json:"name"`
	Key      string `json:"key"`
	Tokens   int    `json:"tokens"`
	Narrower int    `json:"narrower"`
	Wider    int    `json:"wider"`
	Renamed  int    `json:"renamed"`
	Strict   bool   `json:"strict"`
	WhyNot   string `json:"whyNot,omitempty"`
}

// Vendor lists the definitions for a vendor.
func (i *Inspector) Vendor(v tools.Vendor, strict bool) (*VendorView, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.render(wanted{vendor: v, strict: strict})
	if err != nil {
		return nil, err
	}
	out := &VendorView{Vendor: v, Tokens: d.Tokens, Tools: []VendorRow{}, Skipped: append([]tools.Skipped{}, d.Skipped...), Left: append([]string{}, d.Left...), Note: d.Note}
	for n, raw := range d.List {
		t, err := s.box.Tool(d.Names[n])
		if err != nil {
			return nil, err
		}
		narrower, wider := effects(d.Losses[t.Name])
		p := d.Projections[t.Name]
		out.Tools = append(out.Tools, VendorRow{
			Name: t.Name, Key: t.Key, Tokens: tools.EstimateTokens(string(raw)), Narrower: narrower, Wider: wider,
			Renamed: len(p.Names), Strict: p.Strict, WhyNot: notStrict(d.NotStrict[t.Name]),
		})
	}
	return out, nil
}

// VendorJSON returns the definitions for a vendor as JSON.
func (i *Inspector) VendorJSON(v tools.Vendor, strict bool) (*Text, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.render(wanted{vendor: v, strict: strict})
	if err != nil {
		return nil, err
	}
	return &Text{Text: jsonText(d.Tools), Bytes: len(d.Tools)}, nil
}

// notStrict returns the reason why a tool is not strict as a text.
func notStrict(code string) string {
	words := map[string]string{
		"limit_request":       "a request may have no more strict tools",
		"open_object":         "an object takes members that the schema does not name",
		"recursion":           "the schema refers to itself",
		"property_name":       "a property has a name that strict mode does not take",
		"required_undeclared": "a required property is not declared",
		"limit_depth":         "the schema is nested deeper than strict mode takes",
		"limit_properties":    "the schema has more properties than strict mode takes",
		"limit_enum":          "the schema lists more values than strict mode takes",
		"limit_enum_chars":    "the listed values are longer than strict mode takes",
		"limit_chars":         "the names and values are longer than strict mode takes",
		"limit_optional":      "more properties are optional than strict mode takes",
		"limit_unions":        "there are more alternatives than strict mode takes",
		"output_size":         "the strict schema would be too large",
	}[code]
	if code == "" || words == "" {
		return code
	}
	return words + " (" + code + ")"
}

// LossRow is one rule that is lost or changed.
type LossRow struct {
	schema.Loss
	// Text describes the effect.
	Text string `json:"text"`
}

func lossRows(losses []schema.Loss) []LossRow {
	rows := []LossRow{}
	for _, l := range losses {
		rows = append(rows, LossRow{l, l.Effect.Text()})
	}
	return rows
}

// ToolView is one tool in the form for a vendor.
type ToolView struct {
	Name        string        `json:"name"`
	Key         string        `json:"key"`
	Domain      string        `json:"domain"`
	Description string        `json:"description,omitempty"`
	Aliases     []string      `json:"aliases,omitempty"`
	Sources     []wayfind.Ref `json:"sources"`
	// From is the text that the name was made from, and Rules are the rules that have changed
	// it.
	From  string   `json:"from"`
	Rules []string `json:"rules"`
	// JSON is the definition. If there is no definition, JSON is empty and Skipped is the
	// reason.
	JSON    string `json:"json,omitempty"`
	Tokens  int    `json:"tokens,omitempty"`
	Skipped string `json:"skipped,omitempty"`
	Strict  bool   `json:"strict,omitempty"`
	WhyNot  string `json:"whyNot,omitempty"`
	// Losses are the rules that cannot be expressed for the vendor. Lifted are the rules that
	// were lost in reading the publisher's dialect.
	Losses  []LossRow      `json:"losses"`
	Dialect schema.Dialect `json:"dialect"`
	Lifted  []LossRow      `json:"lifted"`
	// Undone are the changes that are reversed in the arguments of a model.
	Undone []Undone `json:"undone"`
}

// Undone is a change that is reversed in the arguments of a model.
type Undone struct {
	// Shown is the name that the model sees, and Own the publisher's name. Both are empty for a
	// null that represents an absent property.
	Shown string `json:"shown,omitempty"`
	Own   string `json:"own,omitempty"`
}

// Tool returns one tool in the form for a vendor.
func (i *Inspector) Tool(v tools.Vendor, strict bool, name string) (*ToolView, error) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.render(wanted{vendor: v, strict: strict})
	if err != nil {
		return nil, err
	}
	t, err := s.box.Tool(name)
	if err != nil {
		return nil, err
	}
	from, rules := s.box.Naming(t)
	out := &ToolView{
		Name: t.Name, Key: t.Key, Domain: t.Domain, Description: said(t), Aliases: t.Aliases, Sources: t.Sources, From: from, Rules: []string{},
		Losses: lossRows(d.Losses[name]), Dialect: t.Schema.Dialect(), Lifted: lossRows(t.Schema.Losses()), WhyNot: notStrict(d.NotStrict[name]), Undone: []Undone{},
	}
	for _, rule := range rules {
		out.Rules = append(out.Rules, rule.Text())
	}
	at := slices.Index(d.Names, name)
	if at < 0 {
		out.Skipped = notWritten(d, t)
		return out, nil
	}
	raw := d.List[at]
	out.JSON, out.Tokens, out.Strict = jsonText(raw), tools.EstimateTokens(string(raw)), d.Projections[name].Strict
	out.Undone = undone(d.Projections[name])
	return out, nil
}

// notWritten returns the reason why a vendor does not get a tool.
func notWritten(d *tools.Definitions, t *tools.Tool) string {
	for _, s := range d.Skipped {
		if s.Key == t.Key {
			return s.Reason
		}
	}
	return "a request to this vendor may have no more tools"
}

// undone lists the changes that package schema reverses.
func undone(p *schema.Projection) []Undone {
	list := []Undone{}
	for shown, own := range p.Names {
		list = append(list, Undone{shown, own})
	}
	slices.SortFunc(list, func(a, b Undone) int { return strings.Compare(a.Shown, b.Shown) })
	if slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { return l.Code == "absent_becomes_null" }) {
		list = append(list, Undone{})
	}
	return list
}
