package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Site returns the definition of the tool in the form that package diff compares: its Service
// with only this Capability.
func (t *Tool) Site() *wayfind.Site {
	service := *t.Service
	service.Capabilities = nil
	if t.Capability != nil {
		service.Capabilities = []wayfind.Capability{*t.Capability}
	}
	return &wayfind.Site{Origin: t.Origin, Base: t.Base, Services: []wayfind.Service{service}}
}

// Digest returns the SHA-256 of the definition, in hexadecimal. It covers everything that the
// site states about the tool and about how to reach it.
func (t *Tool) Digest() (string, error) {
	raw, err := json.Marshal(t.Site())
	if err != nil {
		return "", err
	}
	does, err := json.Marshal(t.effect())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(raw, does...))
	return hex.EncodeToString(sum[:]), nil
}

// subject identifies a tool.
func (t *Tool) subject() string { return NameKey(t.Origin, t.Key) }

// whole returns the tool with its whole definition, which is not stored. It returns the tool
// itself if the definition cannot be read, or only from its site.
func (t *Tool) whole() *Tool {
	if t.partial == nil || t.Schema == nil {
		return t
	}
	own := *t
	if d, err := t.partial.read(); err == nil {
		own.Capability = d.Capability
	}
	return &own
}

// bySubject returns the tools of a Box by subject.
func (b *Box) bySubject() map[string]*Tool {
	tools := make(map[string]*Tool, len(b.tools))
	for i := range b.tools {
		tools[b.tools[i].subject()] = &b.tools[i]
	}
	return tools
}

// keep adds the tools of an earlier reading of the same domain that the new reading cannot
// confirm or deny, because a document or a server could not be asked.
func (b *Box) keep(old *Box) {
	now := b.bySubject()
	var unknown []string
	if old.site != nil && b.site != nil {
		unknown = diff.Sites(old.site, b.site).Unknown
	}
	var kept []Tool
	for i := range old.tools {
		t := &old.tools[i]
		if now[t.subject()] == nil && (slices.Contains(unknown, t.Key) || slices.ContainsFunc(b.skipped, t.unasked)) {
			kept = append(kept, *t)
		}
	}
	if len(kept) > 0 {
		b.tools, b.site = append(b.tools, kept...), old.site // the last one that had them
	}
}

// unasked reports whether an entry means that the place of a tool gave no answer. A refusal by
// the caller is an answer.
func (t *Tool) unasked(s Skipped) bool {
	if s.Asked || errors.Is(s.Err, wayfind.ErrRefused) {
		return false
	}
	return s.Whole() || s.Key != "" && (s.Key == t.Key || s.Key == t.Service.ID) ||
		slices.ContainsFunc(t.Sources, func(r wayfind.Ref) bool { return s.URL != "" && r.Source == s.URL })
}

// changedSince returns the tools whose definitions differ from an earlier reading of the same
// domain, by subject.
func (b *Box) changedSince(ctx context.Context, old *Box) map[string]Changed {
	changed := make(map[string]Changed)
	if slices.Equal(b.digests, old.digests) {
		return changed
	}
	before := old.bySubject()
	for i := range b.tools {
		now := &b.tools[i]
		was := before[now.subject()]
		if was == nil || was.Capability == now.Capability && was.Service == now.Service && !now.warnsMore(was) {
			continue
		}
		r, err := diff.SitesContext(ctx, was.whole().Site(), now.whole().Site())
		if err != nil {
			continue
		}
		changes := slices.Concat(r.Added, r.Removed, r.Changed)
		if now.warnsMore(was) && !slices.ContainsFunc(changes, func(c diff.Change) bool { return c.Class == diff.ClassEffects || c.Field == "price" }) {
			changes = append(changes, now.warnings(was)...)
		}
		if len(changes) > 0 {
			changed[now.subject()] = Changed{Changes: changes, Grade: diff.Of(changes...)}
		}
	}
	return changed
}

// warnsMore reports whether the documents of a tool together have a caution or a price that those of an
// earlier reading did not have. A document that describes the call beside the one of its Capability may
// have it.
func (t *Tool) warnsMore(was *Tool) bool {
	now, before := t.effect(), was.effect()
	return slices.ContainsFunc(now.Cautions, func(c effect.Caution) bool { return !before.Has(c) }) ||
		slices.ContainsFunc(now.Prices, func(p string) bool { return !slices.Contains(before.Prices, p) })
}

// warnings returns the cautions and the price of all documents as changes.
func (t *Tool) warnings(was *Tool) (changes []diff.Change) {
	stated := func(x *effect.Effect) json.RawMessage {
		raw, _ := json.Marshal(x.Warnings()) // booleans always marshal
		return raw
	}
	now, before := t.effect(), was.effect()
	if old, new := stated(before), stated(now); string(old) != string(new) {
		changes = append(changes, diff.Change{Kind: diff.KindCapability, Key: t.Key, Class: diff.ClassEffects, Field: "effects", Old: old, New: new})
	}
	if old, new := before.Price(), now.Price(); old != new {
		changes = append(changes, diff.Change{Kind: diff.KindCapability, Key: t.Key, Class: diff.ClassTerms, Field: "price", Old: rawjson.Quote(old), New: rawjson.Quote(new)})
	}
	return changes
}

// offersAs reports whether a reading has the tools and the entries of Skipped of an earlier one,
// apart from the definitions of the tools.
func (b *Box) offersAs(old *Box) bool {
	before := old.bySubject()
	for i := range b.tools {
		if before[b.tools[i].subject()] == nil {
			return false
		}
	}
	return len(b.tools) == len(old.tools) && len(newIn(b.skipped, old.skipped))+len(newIn(old.skipped, b.skipped)) == 0
}

// newIn returns the entries of a list that are not in another one.
func newIn(list, other []Skipped) (entries []Skipped) {
	for _, s := range list {
		if !slices.ContainsFunc(other, s.same) {
			entries = append(entries, s)
		}
	}
	return entries
}

// same reports whether two entries are about the same thing, for the same kind of reason.
func (s *Skipped) same(o Skipped) bool {
	return s.Domain == o.Domain && s.Key == o.Key && s.URL == o.URL && s.Code == o.Code
}
