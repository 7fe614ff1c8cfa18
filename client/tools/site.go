package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/security/schema"
)

// part returns the Box of one domain, without names. A panic while it is created is the reason
// for the domain, and for the remaining capabilities.
func (l *loader) part(ctx context.Context, domain string, resolved func() (*wayfind.Site, error)) (box *Box) {
	own := newLoader(l.client, l.opts, l.budget)
	own.sieve = l.sieve
	defer func() {
		box = own.box
		if v := recover(); v != nil {
			s := problem(domain, string(wayfind.CodePanic), fmt.Errorf("panic: %v", v))
			own.skip(s)
			own.leave(s)
		}
	}()
	site, err := resolved()
	own.site(ctx, domain, site, err)
	return own.box
}

// site adds the tools of a site, and an entry for everything that did not become a tool.
func (l *loader) site(ctx context.Context, domain string, site *wayfind.Site, err error) {
	if site == nil {
		l.skip(failed(ctx, domain, err))
		return
	}
	l.until(site.FreshUntil)
	for i := range site.Sources {
		l.box.digests = append(l.box.digests, site.Sources[i].URL+" "+site.Sources[i].SHA256)
	}
	l.box.site = site
	for i := range site.Diagnostics {
		if d := &site.Diagnostics[i]; d.Code == "document.stale" && !site.FreshUntil.After(time.Now()) && site.Source(d.Source) != nil {
			s := problem(urlref.Host(site.Origin), CodeStale, errors.New(d.Message))
			s.URL = d.Source
			l.box.stale = append(l.box.stale, s)
		}
	}
	l.unread(site)
	whole := l.present(ctx, l.services(ctx, site))
	l.left = l.keys(whole)
	l.tell(whole)
	if err == nil || isAnswer(err) {
		l.unanswered(site)
	}
	switch {
	case err == nil:
	case len(l.left) == 0 || !errors.Is(err, wayfind.ErrBlocked): // otherwise a server that refuses strangers has answered its caller
		l.skip(failed(ctx, domain, err))
	}
	l.describe(ctx, whole)
	slices.Sort(l.box.digests)
}

// describe adds a tool for each remaining key. Room in the Box is reserved before the work for
// a key is done.
func (l *loader) describe(ctx context.Context, site *wayfind.Site) {
	if len(l.left) == 0 {
		return
	}
	keys, why := l.left, full(site.Origin, "")
	if ctx.Err() == nil && l.budget.take() {
		for made, err := range access.Of(l.client).Requests(ctx, site, keys...) {
			key := l.left[0]
			if errors.Is(err, wayfind.ErrClosed) {
				why = failed(ctx, why.Domain, err)
			}
			if !l.capability(ctx, site, key, made, err) {
				l.budget.give()
			}
			l.left = l.left[1:]
			if len(l.left) == 0 || ctx.Err() != nil || l.budget.text.Load() < 0 || !l.budget.take() {
				break
			}
		}
		if l.budget.text.Load() < 0 {
			l.named(ctx, site)
		}
	}
	if ctx.Err() != nil {
		why = ended(ctx, why.Domain)
	}
	l.leave(why)
}

// named adds the remaining keys as tools without schemas, because the Box has no room for more
// definitions.
func (l *loader) named(ctx context.Context, site *wayfind.Site) {
	for len(l.left) > 0 && ctx.Err() == nil && l.budget.take() {
		if !l.later(ctx, site, l.left[0]) {
			l.budget.give()
		}
		l.left = l.left[1:]
	}
}

// leave reports the remaining keys, with one reason for all.
func (l *loader) leave(s Skipped) {
	for _, s.Key = range l.left {
		l.skip(s)
	}
	l.left = nil
}

// keys returns the capabilities that may become tools. An agent receives messages, so its
// skills do not become tools.
func (l *loader) keys(site *wayfind.Site) (keys []string) {
	agents := l.agents(site)
	for service, c := range site.Capabilities() {
		if c.Kind == wayfind.KindStatement || agents[service.ID] && (c.Kind == wayfind.KindSkill || c.Kind == wayfind.KindAgent) {
			continue
		}
		switch err := l.sieve.refuses(service, c); {
		case err != nil:
			l.filtered(site, c.Key, err)
		case c.Kind == wayfind.KindSkill || c.Kind == wayfind.KindSkillFile:
			// It is to be read, not called, so there is nothing to describe.
			err := (&wayfind.Capability{Key: c.Key, Kind: c.Kind}).Check()
			l.skip(Skipped{Domain: urlref.Host(site.Origin), Key: c.Key, Code: CodeContract, Reason: reasonOf(err), Asked: true, Err: err})
		default:
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// filtered reports a capability that Options exclude.
func (l *loader) filtered(site *wayfind.Site, key string, err error) {
	s := problem(urlref.Host(site.Origin), CodeFiltered, err)
	s.Key, s.Asked = key, true
	l.skip(s)
}

// These are the schemas of a message to an agent. An agent of A2A keeps a conversation.
const (
	messageSchema = `{"type":"object","properties":{"message":{"type":"string","description":"What to tell the agent, in plain language."}},"required":["message"],"additionalProperties":false}`
	threadSchema  = `{"type":"object","properties":{"message":{"type":"string","description":"What to tell the agent, in plain language."},` +
		`"conversation":{"type":"string","description":"To answer the agent or to go on: the conversation that its last answer named. Leave it out to begin a new one."}},"required":["message"],"additionalProperties":false}`
)

// agentSchema returns the schema of a message to the agent of a service.
func agentSchema(service *wayfind.Service) (*schema.Schema, error) {
	if speaks(service, "a2a") {
		return schema.Check([]byte(threadSchema), schema.Draft202012, nil)
	}
	return schema.Check([]byte(messageSchema), schema.Draft202012, nil)
}

// agents adds a tool for each agent, because the skills of an agent have no contracts.
func (l *loader) agents(site *wayfind.Site) map[string]bool {
	agents := make(map[string]bool)
	for i := range site.Services {
		service := &site.Services[i]
		if !speaks(service, "a2a", "ms-actors") {
			continue
		}
		s, err := agentSchema(service)
		if err != nil {
			continue
		}
		agents[service.ID] = true
		whole := &wayfind.Capability{Key: service.ID, ID: service.ID, Name: service.Name, Description: service.Description, Kind: wayfind.KindAgent, Sources: service.Sources}
		if err := l.sieve.refuses(service, whole); err != nil {
			l.filtered(site, whole.Key, err)
			continue
		}
		if err := unspokenAgent(site, service); err != nil {
			no := problem(urlref.Host(site.Origin), cmp.Or(kindOfRefusal(err), CodeContract), err)
			no.Key, no.Asked = whole.Key, true
			l.skip(no)
			continue
		}
		words := service.Description
		var skills []string
		for _, c := range service.Capabilities {
			if c.Kind == wayfind.KindSkill {
				skills = append(skills, cmp.Or(c.Name, c.ID))
			}
		}
		if skills != nil {
			words = strings.TrimSpace(words + " Skills: " + text.Head(strings.Join(skills, "; "), 400) + ".")
		}
		var sources []wayfind.Ref
		for _, f := range service.Interfaces {
			sources = append(sources, f.Sources...)
		}
		l.agent(site, Tool{Key: service.ID, Agent: true, Service: service, Sources: sources, Schema: s, description: words})
	}
	return agents
}

// agent adds an agent, if the Box has room for it.
func (l *loader) agent(site *wayfind.Site, t Tool) {
	l.of(site, &t)
	l.admit(t)
}
