package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// Site is the definition of the tool, as package diff compares it: its Service with this
// Capability alone.
func (t *Tool) Site() *wayfind.Site {
	service := *t.Service
	service.Capabilities = nil
	if t.Capability != nil {
		service.Capabilities = []wayfind.Capability{*t.Capability}
	}
	return &wayfind.Site{Origin: t.Origin, Base: t.Base, Services: []wayfind.Service{service}}
}

// Digest of the definition, as SHA-256 in hexadecimal: of all that the site says about the
// tool and about how it is reached.
func (t *Tool) Digest() (string, error) {
	raw, err := json.Marshal(t.Site())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// subject identifies a tool.
func (t *Tool) subject() string { return NameKey(t.Origin, t.Key) }

// whole is the tool with its whole definition, which is not held; the tool itself if it
// cannot be read, or only from its site.
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

// bySubject are the tools of a Box.
func (b *Box) bySubject() map[string]*Tool {
	tools := make(map[string]*Tool, len(b.tools))
	for i := range b.tools {
		tools[b.tools[i].subject()] = &b.tools[i]
	}
	return tools
}

// keep takes over the tools of an earlier reading of the same domain about which this one
// says nothing, because a document or a server could not be asked.
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

// unasked reports whether an entry says that the place of a tool gave no answer. A refusal
// of the caller is an answer.
func (t *Tool) unasked(s Skipped) bool {
	if s.Asked || errors.Is(s.Err, wayfind.ErrRefused) {
		return false
	}
	return s.Whole() || s.Key != "" && (s.Key == t.Key || s.Key == t.Service.ID) ||
		slices.ContainsFunc(t.Sources, func(r wayfind.Ref) bool { return s.URL != "" && r.Source == s.URL })
}

// changedSince are the tools whose definitions differ from those of an earlier reading of
// the same domain, by their subjects.
func (b *Box) changedSince(ctx context.Context, old *Box) map[string]Changed {
	changed := make(map[string]Changed)
	if slices.Equal(b.digests, old.digests) {
		return changed
	}
	before := old.bySubject()
	for i := range b.tools {
		now := &b.tools[i]
		was := before[now.subject()]
		if was == nil || was.Capability == now.Capability && was.Service == now.Service {
			continue
		}
		r, err := diff.SitesContext(ctx, was.whole().Site(), now.whole().Site())
		if err == nil && !r.Empty() {
			changes := slices.Concat(r.Added, r.Removed, r.Changed)
			changed[now.subject()] = Changed{Changes: changes, Grade: diff.Of(changes...)}
		}
	}
	return changed
}

// newIn are the entries of a list that another one does not have.
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
