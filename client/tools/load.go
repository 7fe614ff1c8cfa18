package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Options are the options of [Load]. Nil and zero values are the safe defaults.
type Options struct {
	// MaxName is the maximum length of a name. If it is zero, the maximum is 64. Use
	// [MaxPrefixed] if an MCP host adds a prefix.
	MaxName int
	// Names is a table that [Box.Names] wrote; its names are kept.
	Names []byte
	// Sites puts the whole domain before every name: see [NameOptions].
	Sites bool
	// OperationNames are names of tools that you choose. They take precedence over Names, and
	// have no site before them.
	OperationNames []OperationName
	// Only keeps the capabilities that one of these filters matches; it keeps all if there is
	// no filter. Except excludes the capabilities that one of these filters matches. Skipped
	// contains the others, with [CodeFiltered]. It also contains, with [CodeUnmatched], each
	// part of a filter that matches nothing and each operation of OperationNames that has no
	// tool.
	Only, Except []Filter
	// Keep is for conditions that filters cannot express. If it is nil, all are kept. An agent
	// is a capability of kind [wayfind.KindAgent] without a contract. Keep may be called from
	// several goroutines.
	Keep func(*wayfind.Service, *wayfind.Capability) bool
	// InFlight and Pause are as in [client.BatchOptions]: the number of domains that are asked
	// at a time, and the minimum time between two domains of one registrable domain. A single
	// domain has no pause.
	InFlight int
	Pause    time.Duration
	// LeastPause is the minimum time between two readings of a domain by [Watch], and has no effect
	// on Load. If it is zero, it is 5 minutes. A shorter time, of a second at least, is for those
	// whose own sites they are.
	LeastPause time.Duration
	// Text and PropertyText are the maximum lengths of the description of a tool and of a
	// property in a definition, in bytes. If zero, they are 1,024 and 512. A longer description
	// is cut at a sentence, and the definition has a loss. [Box.Tool] returns the whole text.
	// OpenAI refuses a description of a tool with more than 1,024 characters, so definitions for
	// OpenAI and MCP have at most 1,024 bytes of it.
	Text, PropertyText int
}

// Load asks domains and creates tools from their offers. The domains are asked as by
// [client.Client.ResolveAll]: many at a time, but domains of one registrable domain one after
// another. The result has the order of the list. Answers in the Client's cache are not
// requested again. If the description of a service is on another site, or no document lists the
// tools of a server, it is described as by [client.Client.Describe], with the approvals and
// credentials of ctx: a [Box.Private] is for this caller only.
//
// If the operations of a document share schemas, Load reads only their requests, and each
// schema once. [Box.Tool] reads the rest of a definition from the document, which the Box
// stores. A Box has room for 64 MiB of definitions, and for 4 MiB of definitions that cannot be
// shared: the schemas of other tools are created when the tools are chosen.
//
// A Box is returned even if there is an error, unless Options are invalid. The error is the
// error of ctx or of Options, or wayfind.ErrClosed if the Client was closed before all was read. All omissions are reported: Skipped contains each domain that
// could not be asked, each document that the site names and that was not read, and each service
// and capability without a contract or with a schema that is refused. If reading a domain
// panics, the panic is the reason for that domain. If ctx ends, the Box has the tools that were
// read until then, if sorting them needs only little more work. Skipped then contains the other
// domains and capabilities with [CodeDeadline] or [CodeCanceled].
func Load(ctx context.Context, c *client.Client, domains []string, opts *Options) (*Box, error) {
	if err := access.Check(c); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	if opts == nil {
		opts = &Options{}
	}
	given, sieve, err := readOptions(opts)
	if err != nil {
		return nil, err
	}
	l := newLoader(c, opts, newBudget())
	l.box.given, l.sieve = given, sieve
	for _, part := range l.parts(ctx, domains, func(int, *Box) {}) {
		l.took(part)
		l.box.skipped = append(l.box.skipped, part.skipped...)
		for _, t := range part.tools {
			l.put(t)
		}
	}
	l.unmet()
	l.choose()
	return l.box, cmp.Or(l.finish(ctx), l.box.closed())
}

// readOptions reads the names and the filters of Options.
func readOptions(opts *Options) (given map[string]string, s *sieve, err error) {
	if given, err = readTable(opts.Names); err != nil {
		return nil, nil, err
	}
	if opts.LeastPause != 0 && opts.LeastPause < time.Second {
		return nil, nil, fmt.Errorf("tools: Options.LeastPause is %v, and a second is the shortest", opts.LeastPause)
	}
	if err = checkNames(opts); err != nil {
		return nil, nil, err
	}
	s, err = newSieve(opts)
	return given, s, err
}

const (
	// maxSteps is the maximum work for all schemas of a Box, in steps. The schema of a typical
	// tool takes a hundred steps.
	maxSteps = 16_000_000
	// lateSteps is the maximum work after the time has expired, in steps.
	lateSteps = 1_000_000
)

// budget contains the limits that all domains of a Load share.
type budget struct {
	steps atomic.Int64 // that schemas may still take
	tools atomic.Int64 // that a Box may still add
	ready atomic.Int64 // bytes of definitions that a Box may still store
	whole atomic.Int64 // bytes of definitions that may still replace shared schemas
	text  atomic.Int64 // bytes of other definitions that may still be read in full
}

func newBudget() *budget {
	r := &budget{}
	r.steps.Store(maxSteps)
	r.tools.Store(maxTools)
	r.ready.Store(maxReady)
	r.whole.Store(maxWhole)
	r.text.Store(maxReady)
	return r
}

// take reserves room for a tool. The room must be given back if there is no tool.
func (r *budget) take() bool {
	if r.tools.Add(-1) >= 0 {
		return true
	}
	r.give()
	return false
}

func (r *budget) give() { r.tools.Add(1) }

// loader fills a Box: the Box of all domains, or the part of one domain.
type loader struct {
	client *client.Client
	opts   *Options
	box    *Box
	budget *budget
	sieve  *sieve
	seen   map[string]bool // tools
	calls  map[string]int  // tools by their call
	left   []string        // keys of a site that are not described yet
	ids    serviceIDs      // of the site
	heard  map[string]bool // origins of sites whose statements the Box has
	// shelves are the schemas that the tools of a service share if a Box is opened.
	shelves map[*wayfind.Service]*shelf
	paced   map[*wayfind.Service]*wayfind.Service // services with the rates of their sites
	// answered are the URLs of servers that were described.
	answered map[string]bool
}

func newLoader(c *client.Client, opts *Options, r *budget) *loader {
	return &loader{client: c, opts: opts, box: &Box{}, budget: r, sieve: &sieve{keep: opts.Keep}, seen: make(map[string]bool), calls: make(map[string]int)}
}

// from records a document or an answer of a server that a definition is from.
func (l *loader) from(s *wayfind.Source) {
	if s == nil {
		return
	}
	if l.answered == nil {
		l.answered = make(map[string]bool)
	}
	if !l.answered[s.URL] {
		l.answered[s.URL] = true
		l.box.digests = append(l.box.digests, s.URL+" "+s.SHA256)
	}
	l.box.private = l.box.private || s.Private
	l.until(s.FreshUntil)
}

// took copies from another Box who may use it, the time until which it is fresh, and what its
// sites state.
func (l *loader) took(b *Box) {
	l.box.private = l.box.private || b.private
	l.until(b.freshUntil)
	for _, t := range b.told {
		l.hear(t)
	}
}

// admit adds a tool to the Box, if the Box has room for it.
func (l *loader) admit(t Tool) {
	switch {
	case !l.budget.take():
		l.skip(full(t.Origin, t.Key))
	case !l.put(t):
		l.budget.give()
	}
}

// until limits the time until which the Box is fresh.
func (l *loader) until(t time.Time) {
	if !t.IsZero() && (l.box.freshUntil.IsZero() || t.Before(l.box.freshUntil)) {
		l.box.freshUntil = t
	}
}

func (l *loader) skip(s Skipped) { l.box.skipped = append(l.box.skipped, s) }

// finish names and sorts the tools. If ctx has ended, only little more work is done. Without
// names there are no tools.
func (l *loader) finish(ctx context.Context) error {
	var wrong error
	last := func(count *fuel.Counter) error {
		return cmp.Or(count.Do(func() { wrong = l.name(count); l.box.order(count) }), wrong)
	}
	err := last(fuel.Under(ctx))
	if err != nil && ctx.Err() != nil {
		err = last(fuel.Within(lateSteps))
	}
	if err != nil {
		for _, t := range l.box.tools {
			s := problem(urlref.Host(t.Origin), CodeLimit, err)
			if ctx.Err() != nil {
				s = ended(ctx, s.Domain)
			}
			l.left = append([]string{t.Key}, t.Aliases...)
			l.leave(s)
		}
		l.box.tools = nil
		l.box.order(nil)
	}
	return cmp.Or(ctx.Err(), err)
}

var errNoDescription = errors.New("there is no description")

// capability adds a tool for one contract, and reports whether a tool was added.
func (l *loader) capability(ctx context.Context, site *wayfind.Site, key string, made *describe.Contract, described error) bool {
	no := problem(urlref.Host(site.Origin), CodeDescribe, errNoDescription)
	switch {
	case cut(ctx, described):
		no = ended(ctx, no.Domain)
	case described != nil:
		no.Reason, no.Asked, no.Err = reasonOf(described), isAnswer(described), described
	default:
		no.Asked = true
	}
	no.Key = key
	if made == nil || made.Detail == nil || made.Detail.Capability == nil {
		l.skip(no)
		return false
	}
	d := made.Detail
	l.from(d.Source)
	c := d.Capability
	service := d.Service
	if service == nil {
		service, _ = site.Capability(c.Key)
	}
	if err := c.Check(); err != nil {
		if described == nil {
			err = cmp.Or(installed(site, service, c), triedOf(site, c, err))
			no.Code, no.Reason, no.Err = CodeContract, reasonOf(err), err
		}
		l.skip(no)
		return false
	}
	if _, summary := site.Capability(key); summary != nil && undecided(summary) {
		if err := l.sieve.filters(service, c); err != nil {
			l.filtered(site, key, err)
			return false
		}
	}
	op := operationOf(c, service)
	if err := cmp.Or(unknown(d), triedOf(site, c, uncallable(site, service, c, op))); err != nil {
		no.Code, no.Reason, no.Asked, no.Err = cmp.Or(kindOfRefusal(err), CodeContract), reasonOf(err), true, err
		l.skip(no)
		return false
	}
	s, rest, err := l.arguments(ctx, site, made, op)
	if err != nil {
		no.Code, no.Reason, no.Asked, no.Err = codeOf(err), reasonOf(err), true, err
		if e := refusalOf(err); e != nil {
			no.Size, no.Limit = int64(e.Size), int64(e.Limit)
		}
		l.skip(no)
		return false
	}
	c = d.Capability
	t := Tool{Key: c.Key, Capability: c, Service: service, Sources: c.Sources, Schema: s, description: cmp.Or(c.Description, c.Title), partial: rest}
	t.derive()
	l.of(site, &t)
	return l.put(t)
}

// fromOf returns the text from which the name of a tool is made. The IDs of resources are URIs.
func fromOf(c *wayfind.Capability) string {
	if c.Kind == wayfind.KindResource && c.Name != "" {
		return c.Name
	}
	list := []string{c.ID, c.Title, c.Key[strings.LastIndexAny(c.Key, ":/")+1:]}
	if v := c.Invocation; v != nil && v.Method != "" {
		_, after, _ := strings.Cut(cmp.Or(v.Template, v.URL), "://")
		_, path, _ := strings.Cut(after, "/")
		if plain, err := url.PathUnescape(path); err == nil {
			path = plain
		}
		list = append(list, strings.ToLower(v.Method)+"/"+path)
	}
	return legible(list...)
}

// legible returns the first text that a name keeps without a loss, otherwise the first of which it keeps a
// letter, otherwise the first that is not empty. A text in another script leaves nothing to read.
func legible(texts ...string) string {
	some := ""
	for _, text := range texts {
		name, _, lost := plainName(text)
		switch {
		case name != "" && !lost:
			return text
		case some == "" && strings.ContainsFunc(name, unicode.IsLetter):
			some = text
		}
	}
	return cmp.Or(append([]string{some}, texts...)...)
}

// maxFrom is the maximum length of the text from which a name is made, in bytes.
const maxFrom = 1 << 10

// noInput is the schema for no arguments.
const noInput = `{"type":"object","additionalProperties":false}`

// input checks the schema of the arguments. If there is no schema, there are no arguments.
func (l *loader) input(c *wayfind.Capability, op *httpcall.Operation) (*schema.Schema, error) {
	raw, dialect := visible(c, op), httpcall.DialectOf(c)
	if len(raw) == 0 {
		raw = json.RawMessage(noInput)
	}
	s, err := l.checked(raw, dialect)
	if err != nil {
		return nil, err
	}
	if limits := l.limitsOf(c.Params, op, s); limits != nil {
		if raw, err = limited(raw, limits); err == nil {
			s, err = l.checked(raw, dialect)
		}
		if err != nil {
			return nil, err
		}
	}
	return possible(s.Filled(filledOf(c, op)))
}

// filledOf returns the names of the arguments that must not be empty.
func filledOf(c *wayfind.Capability, op *httpcall.Operation) (names []string) {
	for i := range c.Params {
		if p := &c.Params[i]; op.Filled(p) && op.Withheld(p).IsZero() {
			names = append(names, cmp.Or(p.Argument, p.Name))
		}
	}
	return names
}

// checked checks a schema, within the steps that are left for all schemas.
func (l *loader) checked(raw json.RawMessage, dialect schema.Dialect) (*schema.Schema, error) {
	left := l.budget.steps.Load()
	if left <= 0 {
		return nil, &schema.Error{Code: schema.CodeCost, Reason: "the schemas of all tools together take more steps than are allowed"}
	}
	s, err := schema.Check(raw, dialect, &schema.Options{Steps: left})
	if err != nil {
		l.budget.steps.Add(-int64(len(raw))) // more steps than reading took, except for the most expensive schemas
		return nil, err
	}
	l.budget.steps.Add(-s.Steps())
	return s, nil
}

// possible refuses a schema for which no arguments are valid.
func possible(s *schema.Schema) (*schema.Schema, error) {
	if s.Never() {
		return nil, &schema.Error{Code: schema.CodeNever, Reason: "no arguments are valid: an argument that is required can have no value"}
	}
	return s, nil
}

// of assigns a tool to a site.
func (l *loader) of(site *wayfind.Site, t *Tool) {
	t.Origin, t.Base, t.Domain = site.Origin, site.Base, access.Of(l.client).Domain(urlref.Host(site.Origin))
	l.beside(site, t)
	t.rank, t.texts = rankOf(site, t.Sources), texts{l.opts.Text, l.opts.PropertyText}
	t.Service = l.pacedBy(site, t.Service)
}

// pacedBy returns a service with the rates of its site. All tools of the service share it.
func (l *loader) pacedBy(site *wayfind.Site, s *wayfind.Service) *wayfind.Service {
	if paced, ok := l.paced[s]; ok {
		return paced
	}
	rates := ratesOf(site)
	if len(rates) == 0 {
		return s
	}
	paced := *s
	paced.Limits = append(slices.Clone(s.Limits), rates...)
	if l.paced == nil {
		l.paced = make(map[*wayfind.Service]*wayfind.Service)
	}
	l.paced[s], l.paced[&paced] = &paced, &paced
	return &paced
}

// ratesOf returns the rates that the policies of a site demand of all agents, on all paths. The
// Crawl-delay of a robots.txt, which governs crawling, names its agents.
func ratesOf(site *wayfind.Site) (rates []wayfind.Limit) {
	for _, p := range site.Policies {
		l := p.Limit
		if l == nil || l.N <= 0 || l.Per <= 0 || len(p.Agents) > 0 || len(p.Paths) > 0 {
			continue
		}
		if l.Per/time.Duration(l.N) > slowest {
			l = &wayfind.Limit{N: 1, Per: slowest}
		}
		rates = append(rates, *l)
	}
	return rates
}

// slowest is the longest time between two calls that a policy can demand, as between the requests
// of discovery.
const slowest = 24 * time.Hour

// put adds a tool to the Box, and reports whether it is a new one.
func (l *loader) put(t Tool) bool {
	id := NameKey(t.Origin, t.Key)
	if l.seen[id] {
		s := problem(urlref.Host(t.Origin), CodeTwice, ErrSameKey)
		s.Key, s.Asked = t.Key, true
		l.skip(s)
		return false
	}
	l.seen[id] = true
	if l.joined(&t) {
		return false
	}
	l.box.turn(t.Domain)
	l.box.tools = append(l.box.tools, t)
	return true
}

// rankOf returns the best rank of the sources.
func rankOf(site *wayfind.Site, refs []wayfind.Ref) int {
	best := wayfind.AuthoritySynthetic.Rank()
	for _, ref := range refs {
		if s := site.Source(ref.Source); s != nil {
			best = min(best, s.Authority.Rank())
		}
	}
	return best
}

// name names all tools.
func (l *loader) name(count *fuel.Counter) error {
	subjects := make([]Subject, len(l.box.tools))
	for i := range l.box.tools {
		t := &l.box.tools[i]
		from := text.Head(t.from(), maxFrom)
		count.Text(len(from) + len(t.Key))
		subjects[i] = Subject{Origin: t.Origin, Key: t.Key, From: from, Domain: t.Domain}
	}
	names, err := Names(subjects, &NameOptions{Max: l.opts.MaxName, Given: l.box.given, Sites: l.opts.Sites})
	for i := range names {
		l.box.tools[i].Name = names[i]
	}
	return err
}
