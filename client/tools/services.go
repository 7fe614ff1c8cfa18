package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// maxDescribed is the maximum number of services of a site that are described.
const maxDescribed = 16

// services completes the services that discovery leaves to Describe: services with a
// description on another site, if Options.Approve of the Client allows it, and servers whose
// offers no document lists, if the Client queries live servers. It reports the services that
// list nothing.
func (l *loader) services(ctx context.Context, site *wayfind.Site) *wayfind.Site {
	var ids []string
	for i := range site.Services {
		s := &site.Services[i]
		switch {
		case len(s.Capabilities) > 0 || speaks(s, "a2a", "ms-actors"):
		case (s.Lazy && len(s.DetailURLs) > 0 || listsItself(s)) && len(ids) < maxDescribed:
			ids = append(ids, s.ID)
		case s.Lazy && len(s.DetailURLs) > 0 || listsItself(s):
			no := problem(urlref.Host(site.Origin), CodeLimit, fmt.Errorf("at most %d services of a site are described", maxDescribed))
			no.Limit = maxDescribed
			l.service(s, no)
		case !led(site, s) && !aboutAuth(s):
			l.service(s, listsNothing(site, s))
		}
	}
	whole := site
	for i, r := range l.asked(ctx, site, ids) {
		s := site.Service(ids[i])
		switch {
		case r.err != nil:
			l.undescribed(ctx, site, s, r.err)
		case listsItself(s) && r.detail.Source == nil && len(r.detail.Service.Capabilities) == 0:
			l.service(s, problem(urlref.Host(site.Origin), CodeUnlisted, errors.New("its documents list no tools, and the server itself was not asked")))
		case len(r.detail.Service.Capabilities) == 0:
			l.service(s, listsNothing(site, s))
		default:
			whole = whole.With(r.detail)
			l.from(r.detail.Source)
			l.partialLists(r.detail.Diagnostics, urlref.Host(site.Origin), s.ID)
			l.others(site, s, r.detail)
		}
	}
	return whole
}

// described is the result of one Describe.
type described struct {
	detail *wayfind.Detail
	err    error
}

// asked describes services concurrently, so a service that does not respond does not delay the
// others.
func (l *loader) asked(ctx context.Context, site *wayfind.Site, ids []string) []described {
	results := make([]described, len(ids))
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					results[i].err = problem(id, string(wayfind.CodePanic), fmt.Errorf("panic: %v", v)).Err
				}
			}()
			results[i].detail, results[i].err = l.client.Describe(ctx, site, id)
		})
	}
	group.Wait()
	return results
}

// service reports a service.
func (l *loader) service(s *wayfind.Service, why Skipped) {
	why.Key = s.ID
	l.skip(why)
}

// undescribed reports a service whose documents were refused, or could not be read.
func (l *loader) undescribed(ctx context.Context, site *wayfind.Site, s *wayfind.Service, err error) {
	no := Skipped{Domain: urlref.Host(site.Origin), Code: CodeDescribe, Reason: reasonOf(err), Asked: isAnswer(err), Err: err}
	if cut(ctx, err) {
		no = ended(ctx, no.Domain)
	}
	if len(s.DetailURLs) == 0 {
		l.service(s, no)
	}
	for _, no.URL = range s.DetailURLs {
		l.service(s, no)
	}
}

// others reports the documents of a service other than the one that was read.
func (l *loader) others(site *wayfind.Site, s *wayfind.Service, d *wayfind.Detail) {
	for _, u := range s.DetailURLs {
		if d.Source == nil || u == d.Source.URL {
			continue
		}
		no := problem(urlref.Host(site.Origin), string(wayfind.VerdictSkipped), fmt.Errorf("%s was read for the service in its place", d.Source.URL))
		no.URL = u
		l.service(s, no)
	}
}

// listsNothing returns the entry of a service without capabilities. Those of its documents may stand at
// another service, because another document describes them as well.
func listsNothing(site *wayfind.Site, s *wayfind.Service) Skipped {
	why := "its documents list nothing that can be called"
	var own, at []string
	for _, r := range s.Sources {
		own = append(own, r.Source)
	}
	n := 0
	for i := range site.Services {
		other := &site.Services[i]
		before := n
		for j := range other.Capabilities {
			if slices.ContainsFunc(readings(&other.Capabilities[j]), func(source string) bool { return slices.Contains(own, source) }) {
				n++
			}
		}
		if n > before {
			at = append(at, other.ID)
		}
	}
	if n > 0 {
		why = fmt.Sprintf("other documents describe the same capabilities (%d), which stand at %s", n, strings.Join(at, ", "))
	}
	none := problem(urlref.Host(site.Origin), CodeUnlisted, errors.New(why))
	none.Asked = true
	return none
}

// readings returns the documents that describe a capability.
func readings(c *wayfind.Capability) (sources []string) {
	for _, r := range c.Sources {
		sources = append(sources, r.Source)
	}
	for i := range c.Alternatives {
		sources = append(sources, readings(&c.Alternatives[i])...)
	}
	return sources
}

// led reports whether the documents of a service lead to others, which were read or have
// entries of their own.
func led(site *wayfind.Site, s *wayfind.Service) bool {
	from := func(source string) bool {
		return slices.ContainsFunc(s.Sources, func(r wayfind.Ref) bool { return r.Source == source })
	}
	return slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.From != "" && from(p.From) })
}

// authFormat is the format of metadata about authentication, which offers no tools.
const authFormat = "oauth"

// aboutAuth reports whether a service represents metadata about authentication.
func aboutAuth(s *wayfind.Service) bool {
	format, _, _ := strings.Cut(s.ID, ":")
	return format == authFormat && len(s.Interfaces) == 0
}

// listsItself reports whether a service uses a protocol in which its server lists its offers.
func listsItself(s *wayfind.Service) bool { return speaks(s, "mcp", "jsonrpc") }

// speaks reports whether a service has an interface with one of some protocols.
func speaks(s *wayfind.Service, protocols ...string) bool {
	return slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return slices.Contains(protocols, f.Protocol) })
}
