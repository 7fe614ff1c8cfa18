package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Options of [Load]. Nil and zero are the safe defaults.
type Options struct {
	// MaxName is how long a name may be: 64 when zero, [MaxPrefixed] behind the
	// prefix of an MCP host.
	MaxName int
	// Names is what [Box.Names] wrote; those names are kept.
	Names []byte
	// Keep says which capabilities become tools; nil: all. What it leaves out is
	// not skipped.
	Keep func(*wayfind.Service, *wayfind.Capability) bool
}

// Load asks domains and makes tools of what they offer. What the Client has in its
// cache is not asked again.
//
// There is a Box beside an error. The error is that of ctx, or of Options; a domain
// that cannot be asked is in Skipped, and so is a capability without a contract or
// with a schema that is refused.
func Load(ctx context.Context, c *client.Client, domains []string, opts *Options) (*Box, error) {
	if opts == nil {
		opts = &Options{}
	}
	given, err := readTable(opts.Names)
	if err != nil {
		return nil, err
	}
	l := &loader{client: c, opts: opts, box: &Box{given: given}, origins: make(map[string]bool)}
	for _, domain := range domains {
		if err = ctx.Err(); err != nil {
			break
		}
		l.domain(ctx, domain)
	}
	if named := l.name(); err == nil {
		err = named
	}
	l.box.order()
	return l.box, err
}

// loader fills a Box.
type loader struct {
	client  *client.Client
	opts    *Options
	box     *Box
	origins map[string]bool
	from    []string // what each tool is named after
}

func (l *loader) skip(s Skipped) { l.box.skipped = append(l.box.skipped, s) }

// domain adds the tools of a domain.
func (l *loader) domain(ctx context.Context, domain string) {
	site, err := l.client.Resolve(ctx, domain)
	if err != nil {
		l.skip(Skipped{Domain: domain, Code: kindOf(err), Reason: reasonOf(err), Asked: errors.Is(err, wayfind.ErrNotFound) || errors.Is(err, wayfind.ErrInvalid), Err: err})
	}
	if site == nil || l.origins[site.Origin] {
		return
	}
	l.origins[site.Origin] = true
	agents := l.agents(site)
	var keys []string
	for service, c := range site.Capabilities() {
		switch {
		case c.Kind == wayfind.KindStatement, agents[service.ID] && (c.Kind == wayfind.KindSkill || c.Kind == wayfind.KindAgent):
		case l.opts.Keep != nil && !l.opts.Keep(service, c):
		default:
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 {
		return
	}
	at := 0
	for d, err := range l.client.DescribeAll(ctx, site, keys...) {
		key := keys[min(at, len(keys)-1)]
		at++
		if d == nil || d.Capability == nil {
			l.skip(Skipped{Domain: l.host(site), Key: key, Code: "describe", Reason: reasonOf(err), Err: err})
			continue
		}
		l.capability(site, d)
	}
}

// kindOf is the word for a kind of error.
func kindOf(err error) string {
	for _, k := range []struct {
		kind error
		word string
	}{
		{wayfind.ErrNotFound, "not_found"}, {wayfind.ErrUnreachable, "unreachable"}, {wayfind.ErrBlocked, "blocked"}, {wayfind.ErrRefused, "refused"},
		{wayfind.ErrThrottled, "throttled"}, {wayfind.ErrInvalid, "invalid"}, {wayfind.ErrClosed, "closed"},
	} {
		if errors.Is(err, k.kind) {
			return k.word
		}
	}
	return "failed"
}

func reasonOf(err error) string {
	if err == nil {
		return "there is no description"
	}
	return clip(err.Error(), 300)
}

func (l *loader) host(site *wayfind.Site) string {
	u, err := url.Parse(site.Origin)
	if err != nil {
		return site.Origin
	}
	return u.Hostname()
}

// capability adds a tool for one contract.
func (l *loader) capability(site *wayfind.Site, d *wayfind.Detail) {
	c := d.Capability
	no := Skipped{Domain: l.host(site), Key: c.Key, Asked: true}
	if err := c.Check(); err != nil {
		no.Code, no.Reason, no.Err = "contract", reasonOf(err), err
		l.skip(no)
		return
	}
	service := d.Service
	if service == nil {
		service, _ = site.Capability(c.Key)
	}
	auth := c.Auth
	if auth == nil && service != nil {
		auth = service.Auth
	}
	s, err := inputOf(c, visible(c, auth))
	if err != nil {
		no.Code, no.Reason, no.Err = "schema", reasonOf(err), err
		if e, ok := errors.AsType[*schema.Error](err); ok {
			no.Code = string(e.Code)
		}
		l.skip(no)
		return
	}
	last := c.Key[strings.LastIndexAny(c.Key, ":/")+1:]
	l.add(site, Tool{Key: c.Key, Capability: c, Service: service, Sources: c.Sources, Schema: s, description: cmp.Or(c.Description, c.Title)}, cmp.Or(c.ID, c.Title, last))
}

// inputOf checks the schema of the arguments. Without one there are none.
func inputOf(c *wayfind.Capability, input json.RawMessage) (*schema.Schema, error) {
	if len(input) == 0 {
		return schema.Check([]byte(`{"type":"object","additionalProperties":false}`), schema.Draft202012, nil)
	}
	dialect := schema.Unknown
	for _, format := range [...]string{"openapi:", "mcp:"} {
		if strings.HasPrefix(c.Key, format) {
			dialect = schema.Draft202012 // written by us; the default of the protocol
		}
	}
	return schema.Check(input, dialect, nil)
}

// add puts a tool into the Box.
func (l *loader) add(site *wayfind.Site, t Tool, from string) {
	if len(l.box.tools) >= MaxTools {
		l.skip(Skipped{Domain: l.host(site), Key: t.Key, Code: "limit", Reason: "there are more than 10,000 tools", Asked: true})
		return
	}
	t.Origin, t.Domain = site.Origin, l.client.Domain(l.host(site))
	t.rank = rankOf(site, t.Sources)
	l.box.tools = append(l.box.tools, t)
	l.from = append(l.from, from)
}

// rankOf is the best rank of the sources.
func rankOf(site *wayfind.Site, refs []wayfind.Ref) int {
	best := wayfind.AuthoritySynthetic.Rank()
	for _, ref := range refs {
		if s := site.Source(ref.Source); s != nil {
			best = min(best, s.Authority.Rank())
		}
	}
	return best
}

// messageSchema is what agents take.
const messageSchema = `{"type":"object","properties":{"message":{"type":"string","description":"What to tell the agent, in plain language."}},"required":["message"],"additionalProperties":false}`

// agents adds a tool for each agent: its skills have no contracts of their own.
func (l *loader) agents(site *wayfind.Site) map[string]bool {
	agents := make(map[string]bool)
	for i := range site.Services {
		service := &site.Services[i]
		if !slices.ContainsFunc(service.Interfaces, func(f wayfind.Interface) bool { return f.Protocol == "a2a" }) {
			continue
		}
		s, err := schema.Check([]byte(messageSchema), schema.Draft202012, nil)
		if err != nil {
			continue
		}
		agents[service.ID] = true
		text := service.Description
		var skills []string
		for _, c := range service.Capabilities {
			if c.Kind == wayfind.KindSkill {
				skills = append(skills, cmp.Or(c.Name, c.ID))
			}
		}
		if skills != nil {
			text = strings.TrimSpace(text + " Skills: " + clip(strings.Join(skills, "; "), 400) + ".")
		}
		var sources []wayfind.Ref
		for _, f := range service.Interfaces {
			sources = append(sources, f.Sources...)
		}
		l.add(site, Tool{Key: service.ID, Agent: true, Service: service, Sources: sources, Schema: s, description: text}, cmp.Or(service.Name, service.ID))
	}
	return agents
}

// name gives all tools their names.
func (l *loader) name() error {
	subjects := make([]Subject, len(l.box.tools))
	for i, t := range l.box.tools {
		subjects[i] = Subject{Origin: t.Origin, Key: t.Key, From: l.from[i], Domain: t.Domain}
	}
	names, err := Names(subjects, &NameOptions{Max: l.opts.MaxName, Given: l.box.given})
	if err != nil {
		return err
	}
	for i := range names {
		l.box.tools[i].Name = names[i]
	}
	return nil
}
