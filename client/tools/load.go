package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/door"
	"github.com/wayfindhq/wayfind/internal/work"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Options of [Load]. Nil and zero are the safe defaults.
type Options struct {
	// MaxName bounds the length of a name: 64 when zero, [MaxPrefixed] behind
	// the prefix of an MCP host.
	MaxName int
	// Names is a table that [Box.Names] wrote; its names are kept.
	Names []byte
	// Sites puts the whole domain before every name: see [NameOptions].
	Sites bool
	// Keep says which capabilities become tools; nil: all. An agent is one of
	// kind [wayfind.KindAgent], without a contract. The others are not in the
	// list of skipped ones.
	Keep func(*wayfind.Service, *wayfind.Capability) bool
}

// Load asks domains and makes tools of their offers. Answers in the Client's
// cache are not requested again.
//
// A Box is returned even beside an error. The error is that of ctx, or of
// Options. A domain that cannot be asked is in Skipped, and so is a capability
// without a contract or with a schema that is refused. When ctx ends, the Box
// has the tools that were read until then, as far as sorting them takes little
// more work.
func Load(ctx context.Context, c *client.Client, domains []string, opts *Options) (*Box, error) {
	if opts == nil {
		opts = &Options{}
	}
	given, err := readTable(opts.Names)
	if err != nil {
		return nil, err
	}
	l := &loader{client: c, opts: opts, box: &Box{given: given}, seen: make(map[string]bool), calls: make(map[string]int), steps: maxSteps}
	for _, domain := range domains {
		if err = ctx.Err(); err != nil {
			break
		}
		l.domain(ctx, domain)
	}
	count := work.Under(ctx)
	if err = ctx.Err(); err != nil {
		count = work.Within(lateSteps)
	}
	if ended := count.Do(func() { l.name(count); l.box.order(count) }); ended != nil {
		l.box.tools = nil
		l.box.order(nil)
		err = cmp.Or(ctx.Err(), err)
	}
	return l.box, err
}

const (
	// maxSteps bounds the work on all schemas of a Box. The schema of an
	// ordinary tool takes a hundred steps.
	maxSteps = 16_000_000
	// lateSteps bounds the work after the time is over.
	lateSteps = 1_000_000
)

// loader fills a Box.
type loader struct {
	client *client.Client
	opts   *Options
	box    *Box
	seen   map[string]bool // origins, and tools
	calls  map[string]int  // tools by their call
	from   []string        // the subject of each tool's name
	steps  int64           // that schemas may still take
	over   int             // number of a domain's tools that had no room
}

func (l *loader) skip(s Skipped) { l.box.skipped = append(l.box.skipped, s) }

// domain adds the tools of a domain.
func (l *loader) domain(ctx context.Context, domain string) {
	site, err := l.client.Resolve(ctx, domain)
	if err != nil {
		l.skip(Skipped{Domain: domain, Code: kindOf(err), Reason: reasonOf(err), Asked: answered(err), Err: err})
	}
	if site == nil || l.seen[site.Origin] {
		return
	}
	l.seen[site.Origin] = true
	if err == nil {
		l.unanswered(site)
	}
	l.over = 0
	keys := l.keys(site)
	at := 0
	if len(keys) > 0 {
		for d, err := range l.client.DescribeAll(ctx, site, keys...) {
			if at >= len(keys) || ctx.Err() != nil || len(l.box.tools) >= MaxTools {
				break
			}
			l.capability(site, keys[at], d, err)
			at++
		}
	}
	if l.over += len(keys) - at; l.over > 0 && ctx.Err() == nil {
		l.skip(Skipped{Domain: l.host(site), Code: CodeLimit, Reason: fmt.Sprintf("%d more are left out: a Box has at most %d tools", l.over, MaxTools), Asked: true})
	}
}

// keys are the capabilities that may become tools. An agent takes messages, so that
// its skills are none.
func (l *loader) keys(site *wayfind.Site) (keys []string) {
	agents := l.agents(site)
	l.unlisted(site)
	for service, c := range site.Capabilities() {
		switch {
		case c.Kind == wayfind.KindStatement, agents[service.ID] && (c.Kind == wayfind.KindSkill || c.Kind == wayfind.KindAgent):
		case l.opts.Keep != nil && !l.opts.Keep(service, c):
		case c.Kind == wayfind.KindSkill || c.Kind == wayfind.KindSkillFile:
			// To be read, not called: there is nothing to describe.
			err := (&wayfind.Capability{Key: c.Key, Kind: c.Kind}).Check()
			l.skip(Skipped{Domain: l.host(site), Key: c.Key, Code: CodeContract, Reason: reasonOf(err), Asked: true, Err: err})
		default:
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// unanswered reports that places of a site gave no answer, so that there may be
// more.
func (l *loader) unanswered(site *wayfind.Site) {
	counts := make(map[wayfind.Verdict]int)
	total := 0
	for i := range site.Probes {
		if v := site.Probes[i].Verdict; !v.Answered() && v != wayfind.VerdictEndpointLike {
			counts[v]++
			total++
		}
	}
	if total == 0 {
		return
	}
	var words []string
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%d %s", counts[v], v))
	}
	reason := fmt.Sprintf("%d of %d places gave no answer (%s): there may be more", total, len(site.Probes), strings.Join(words, ", "))
	l.skip(Skipped{Domain: l.host(site), Code: CodeIncomplete, Reason: reason})
}

// unlisted reports MCP servers whose tools no document lists.
func (l *loader) unlisted(site *wayfind.Site) {
	for i := range site.Services {
		s := &site.Services[i]
		if len(s.Capabilities) == 0 && slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return f.Protocol == "mcp" }) {
			l.skip(Skipped{Domain: l.host(site), Key: s.ID, Code: CodeUnlisted, Reason: "its documents list no tools; the server itself was not asked, or listed none"})
		}
	}
}

// answered reports an error that is an answer.
func answered(err error) bool {
	return errors.Is(err, wayfind.ErrNotFound) || errors.Is(err, wayfind.ErrInvalid)
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
func (l *loader) capability(site *wayfind.Site, key string, d *wayfind.Detail, described error) {
	no := Skipped{Domain: l.host(site), Key: key, Code: CodeDescribe, Reason: reasonOf(described), Asked: described == nil || answered(described), Err: described}
	if d == nil || d.Capability == nil {
		l.skip(no)
		return
	}
	c := d.Capability
	if err := c.Check(); err != nil {
		if described == nil {
			no.Code, no.Reason, no.Err = CodeContract, reasonOf(err), err
		}
		l.skip(no)
		return
	}
	service := d.Service
	if service == nil {
		service, _ = site.Capability(c.Key)
	}
	s, err := l.input(c, service)
	if err != nil {
		no.Code, no.Reason, no.Asked, no.Err = codeOf(err), reasonOf(err), true, err
		l.skip(no)
		return
	}
	l.add(site, Tool{Key: c.Key, Capability: c, Service: service, Sources: c.Sources, Schema: s, description: cmp.Or(c.Description, c.Title)}, fromOf(c))
}

// fromOf is the text that a tool is named after. The IDs of resources are URIs.
func fromOf(c *wayfind.Capability) string {
	if c.Kind == wayfind.KindResource && c.Name != "" {
		return c.Name
	}
	return cmp.Or(c.ID, c.Title, c.Key[strings.LastIndexAny(c.Key, ":/")+1:])
}

// noInput is the schema of no arguments.
const noInput = `{"type":"object","additionalProperties":false}`

// input checks the schema of the arguments. Without a schema there are no
// arguments.
func (l *loader) input(c *wayfind.Capability, service *wayfind.Service) (*schema.Schema, error) {
	auth := c.Auth
	if auth == nil && service != nil {
		auth = service.Auth
	}
	raw, dialect := visible(c, auth), schema.Unknown
	for _, format := range [...]string{"openapi:", "mcp:"} {
		if strings.HasPrefix(c.Key, format) {
			dialect = schema.Draft202012 // written by us; the default of the protocol
		}
	}
	if len(c.Input) == 0 {
		dialect = schema.Draft202012 // made of the parameters
	}
	if len(raw) == 0 {
		raw = json.RawMessage(noInput)
	}
	if l.steps <= 0 {
		return nil, &schema.Error{Code: schema.CodeCost, Reason: "the schemas of all tools together take more steps than are allowed"}
	}
	s, err := schema.Check(raw, dialect, &schema.Options{Steps: l.steps})
	if err != nil {
		l.steps -= int64(len(raw)) // more steps than reading took, except for the most expensive schemas
		return nil, err
	}
	l.steps -= s.Steps()
	return s, nil
}

// add puts a tool into the Box.
func (l *loader) add(site *wayfind.Site, t Tool, from string) {
	t.Origin, t.Base, t.Domain = site.Origin, site.Base, door.Of(l.client).Domain(l.host(site))
	switch id := NameKey(t.Origin, t.Key); {
	case len(l.box.tools) >= MaxTools:
		l.over++
		return
	case l.seen[id]:
		l.skip(Skipped{Domain: l.host(site), Key: t.Key, Code: CodeTwice, Reason: "there is a tool with this key already", Asked: true})
		return
	default:
		l.seen[id] = true
	}
	t.rank = rankOf(site, t.Sources)
	if l.joined(&t) {
		return
	}
	l.box.tools = append(l.box.tools, t)
	l.from = append(l.from, clip(from, maxFrom))
}

// maxFrom bounds the part of a text that becomes a name.
const maxFrom = 1 << 10

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

// messageSchema is the schema of a message to an agent.
const messageSchema = `{"type":"object","properties":{"message":{"type":"string","description":"What to tell the agent, in plain language."}},"required":["message"],"additionalProperties":false}`

// agents adds a tool for each agent: its skills have no contracts of their own.
func (l *loader) agents(site *wayfind.Site) map[string]bool {
	agents := make(map[string]bool)
	for i := range site.Services {
		service := &site.Services[i]
		if !slices.ContainsFunc(service.Interfaces, func(f wayfind.Interface) bool { return f.Protocol == "a2a" || f.Protocol == "ms-actors" }) {
			continue
		}
		s, err := schema.Check([]byte(messageSchema), schema.Draft202012, nil)
		if err != nil {
			continue
		}
		agents[service.ID] = true
		whole := &wayfind.Capability{Key: service.ID, ID: service.ID, Name: service.Name, Description: service.Description, Kind: wayfind.KindAgent, Sources: service.Sources}
		if l.opts.Keep != nil && !l.opts.Keep(service, whole) {
			continue
		}
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

// name gives all tools their names. Their keys are distinct.
func (l *loader) name(count *work.Counter) {
	subjects := make([]Subject, len(l.box.tools))
	for i, t := range l.box.tools {
		count.Text(len(l.from[i]) + len(t.Key))
		subjects[i] = Subject{Origin: t.Origin, Key: t.Key, From: l.from[i], Domain: t.Domain}
	}
	names, err := Names(subjects, &NameOptions{Max: l.opts.MaxName, Given: l.box.given, Sites: l.opts.Sites})
	if err != nil {
		l.box.tools = nil
		return
	}
	for i := range names {
		l.box.tools[i].Name = names[i]
	}
}
