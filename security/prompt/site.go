package prompt

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Site writes the offers of a site: a block for each service with a list of its capabilities,
// and a block for the policies of the site. If site is nil, nothing is written.
func (p *Prompt) Site(site *wayfind.Site) {
	if site == nil {
		return
	}
	var keys []string
	for _, c := range site.Capabilities() {
		keys = append(keys, c.Key)
	}
	tell := text.Telling(keys)
	for i := range site.Services {
		s := &site.Services[i]
		p.block(provenance(s.Sources, site.Origin+"/"), func(b *promptBlock) {
			b.service(s)
			on := facts.On(s)
			for j := range s.Capabilities {
				b.entry("capabilities", func() {
					b.out.WriteByte('\n')
					b.summary(on.In(&s.Capabilities[j]))
					if key := s.Capabilities[j].Key; tell(key) != key {
						b.line("written", tell(key)+", which looks like another key")
					}
				})
			}
		})
	}
	if len(site.Policies) > 0 {
		p.block(provenance(site.Policies[0].Sources, site.Origin+"/"), func(b *promptBlock) {
			for _, policy := range site.Policies {
				b.entry("policies", func() {
					b.policy(policy)
				})
			}
		})
	}
	p.tell()
}

// Detail writes how to call a capability, or describes a service. If d is nil, nothing is
// written. Of a file, such as a skill, it writes the facts but not the text: a skill is written
// to be followed, and foreign text in a prompt must not be followed. A program that wants the
// model to follow a skill passes Detail.Content to it separately.
func (p *Prompt) Detail(d *wayfind.Detail) {
	switch {
	case d == nil:
	case d.Capability != nil:
		c := d.Capability
		p.block(provenance(c.Sources, ""), func(b *promptBlock) {
			b.entry("capabilities", func() { b.summary(facts.On(d.Service).In(c)) })
			for _, ref := range c.Sources[min(1, len(c.Sources)):] {
				b.entry("sources", func() { b.line("also from", strings.TrimSpace(ref.Source+" "+ref.Pointer)) })
			}
			b.contract(c)
			b.content(d.Content)
			auth := c.Auth
			if auth == nil && d.Service != nil {
				auth = d.Service.Auth
			}
			b.auth(auth)
		})
		p.tell()
	case d.Service != nil:
		p.Site(&wayfind.Site{Origin: blockOf(provenance(d.Service.Sources, "")).origin, Services: []wayfind.Service{*d.Service}})
	}
}

// provenance returns the first reference of a thing.
func provenance(refs []wayfind.Ref, otherwise string) Provenance {
	if len(refs) == 0 {
		return Provenance{Source: otherwise}
	}
	return Provenance{Source: refs[0].Source, Pointer: refs[0].Pointer}
}

// policy writes a statement of a site, in its own words or as values.
func (b *promptBlock) policy(p wayfind.Policy) {
	b.line("policy", p.Kind)
	b.text("text", p.Text)
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		b.line("value", name+"="+p.Values[name])
	}
	b.line("agents", strings.Join(p.Agents, " "))
	b.line("paths", strings.Join(p.Paths, " "))
}

// content writes that there is a file, and whether its digest is the one in the listing.
func (b *promptBlock) content(c *wayfind.Content) {
	if c == nil {
		return
	}
	b.entry("files", func() {
		b.line("file", cmp.Or(c.MediaType, "of an unknown type")+", "+strconv.FormatInt(c.Size, 10)+" bytes")
		verified := "it has the digest of its listing"
		if !c.Verified {
			verified = "not verified: its listing gives no digest"
		}
		b.fact("bytes", verified)
		b.fact("text", "not part of this prompt")
	})
}

func (b *promptBlock) service(s *wayfind.Service) {
	b.entry("services", func() {
		b.line("service", s.ID)
		b.line("name", s.Name)
		b.suspicious(s.Suspicious)
		b.text("description", s.Description)
	})
	for i := range s.Interfaces {
		b.entry("interfaces", func() {
			f := &s.Interfaces[i]
			b.url("interface", b.word(f.Protocol), cmp.Or(f.URL, f.Template))
			b.trust(f.Trust)
		})
	}
	for _, said := range facts.Of(facts.On(s), facts.Prompt, facts.AboutService) {
		b.entry("statements", func() { b.said(said) })
	}
	b.auth(s.Auth)
}

// said writes a statement of a site: in our words, or as text of the publisher.
func (b *promptBlock) said(said facts.Said) {
	switch {
	case said.Apart():
	case said.Own:
		b.fact(said.Label(), said.Words)
	default:
		b.line(said.Label(), said.Words)
	}
}

// summary writes a capability as an entry of a list.
func (b *promptBlock) summary(on facts.Subject) {
	c := on.Capability
	b.line("capability", c.Key)
	if title := cmp.Or(c.Title, c.Name); title != c.ID {
		b.line("title", title)
	}
	b.suspicious(c.Suspicious)
	b.text("description", c.Description)
	if v := c.Invocation; v != nil {
		b.url("call", b.word(v.Method), cmp.Or(v.URL, v.Template))
		b.line("through", strings.TrimSpace(v.Via+" "+v.Operation))
	}
	b.trust(c.Trust)
	b.effects(c.Effects)
	b.line("price", c.Price)
	for i := range c.Offers {
		b.line("price", c.Offers[i].String())
	}
	if c.RobotsDisallowed {
		b.fact(facts.Robots.Label(), "asks crawlers to keep out")
	}
	for _, said := range facts.Of(on, facts.Prompt, facts.AboutCapability) {
		b.said(said)
	}
}

// contract writes the inputs and outputs of a call.
func (b *promptBlock) contract(c *wayfind.Capability) {
	for i := range c.Params {
		b.entry("parameters", func() {
			p := &c.Params[i]
			need := ""
			if p.Required != nil && *p.Required {
				need = "required"
			}
			b.line("parameter", strings.Join(strings.Fields(strings.Join([]string{p.Name, p.In, p.Type, need}, " ")), " "))
			b.text("description", p.Description)
		})
	}
	b.schema("input", c.Input)
	b.schema("output", c.Output)
	for i := range c.Examples {
		b.entry("examples", func() {
			e := &c.Examples[i]
			b.line("example", e.Title)
			b.text("text", e.Text)
			b.json("request", e.Request)
			b.json("response", e.Response)
		})
	}
}

// schema writes a schema, if there is one.
func (b *promptBlock) schema(label string, raw []byte) {
	if len(raw) > 0 {
		b.entry("schemas", func() { b.json(label, raw) })
	}
}

// word returns a short text of a stranger, for use among our own words.
func (b *promptBlock) word(s string) string {
	const maxWord = 32
	s, _ = text.Clean(s, false, maxWord)
	return b.inert(s)
}

func (b *promptBlock) suspicious(classes []string) {
	for _, class := range classes {
		b.fact("warning", "its text seems to address you: "+b.word(class))
	}
}

func (b *promptBlock) trust(t wayfind.Trust) {
	switch t {
	case wayfind.TrustCrossSite:
		b.fact("trust", "it is on another site")
	case wayfind.TrustNeedsApproval:
		b.fact("trust", "it is on another site and needs approval")
	}
}

// effects writes facts that a person should know before a call.
func (b *promptBlock) effects(e *wayfind.Effects) {
	if e == nil {
		return
	}
	for _, f := range []struct {
		is   *bool
		want bool
		text string
	}{
		{e.NeedsConfirmation, true, "ask the user before"}, {e.Destructive, true, "destroys something"},
		{e.ReadOnly, true, "reads only"}, {e.ReadOnly, false, "changes something"}, {facts.Reversible(e), false, "cannot be taken back"},
	} {
		if f.is != nil && *f.is == f.want {
			b.fact("effect", f.text)
		}
	}
}

// auth names the ways to authenticate. It contains no credential.
func (b *promptBlock) auth(a *wayfind.Auth) {
	if a == nil {
		return
	}
	if a.Unknown {
		b.entry("ways to authenticate", func() { b.fact("authenticate", "not said: assume that something is needed") })
	}
	for _, alternative := range a.Requirements {
		b.entry("ways to authenticate", func() {
			var names []string
			for _, r := range alternative {
				names = append(names, string(a.Schemes[r.Scheme].Kind))
			}
			b.line("authenticate", strings.Join(names, " and "))
		})
	}
}
