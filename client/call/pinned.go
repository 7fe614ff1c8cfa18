package call

import (
	"context"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Pinned returns a function for Options.Pinned from the pins of one user. A tool is pinned if
// its whole definition is pinned: a capability whose detail document was read needs a pin of
// [pins.Set.WithDetail]. A program with several users takes the set from the context:
//
//	opts.Pinned = func(ctx context.Context, t *tools.Tool) bool {
//		return call.Pinned(pinsOf(ctx))(ctx, t)
//	}
func Pinned(set *pins.Set) func(context.Context, *tools.Tool) bool {
	return func(ctx context.Context, t *tools.Tool) bool {
		return slices.ContainsFunc(set.All(), func(p pins.Pin) bool { return covers(ctx, p, t) })
	}
}

// covers reports whether a pin is for the definition of a tool, and for the document that the
// tool comes from.
func covers(ctx context.Context, p pins.Pin, t *tools.Tool) bool {
	if p.Site == nil || p.Site.Origin != t.Origin {
		return false
	}
	was := tools.Tool{Origin: t.Origin, Base: t.Base}
	sources := []wayfind.Ref(nil)
	switch {
	case t.Capability == nil && (p.Key == "" || p.Key == t.Service.ID):
		if was.Service = p.Site.Service(t.Service.ID); was.Service != nil {
			sources = was.Service.Sources
		}
	case t.Capability != nil && (p.Key == "" || t.Capability.HasKey(p.Key)):
		was.Service, was.Capability = p.Site.Capability(t.Key)
		if p.Described != nil {
			was.Capability = p.Described
		}
		if was.Capability == nil || was.Capability.Digest != "" && was.Capability.Digest != t.Capability.Digest {
			return false
		}
		sources = was.Capability.Sources
	}
	if was.Service == nil || len(sources) == 0 {
		return false
	}
	from := []string{sources[0].Source}
	if s := p.Site.Source(sources[0].Source); s != nil && s.FinalURL != "" { // the place to which the pinned one led
		from = append(from, s.FinalURL)
	}
	if !slices.ContainsFunc(t.Sources, func(r wayfind.Ref) bool { return slices.Contains(from, r.Source) }) {
		return false
	}
	r, err := diff.SitesContext(ctx, was.Site(), t.Site())
	return err == nil && r.Empty()
}
