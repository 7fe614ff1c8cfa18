package diff

import (
	"strings"

	"github.com/wayfindhq/wayfind"
)

// services compares the services. Services are the same if they have the same ID and document,
// otherwise if they have the same document (an ID like "adp~2" depends on the neighbours), and
// otherwise if they have the same ID.
func (d *differ) services() {
	old, now := pointers(d.old.site.Services), pointers(d.now.site.Services)
	for _, name := range []func(*wayfind.Service) string{
		func(s *wayfind.Service) string { return s.ID + "\n" + documentOf(s) },
		func(s *wayfind.Service) string {
			if documentOf(s) == "" {
				return ""
			}
			id, _, _ := strings.Cut(s.ID, "~")
			return id + "\n" + documentOf(s)
		},
		func(s *wayfind.Service) string { return s.ID },
	} {
		old, now = d.pairServices(old, now, name)
	}
	for _, s := range old {
		d.aloneService(d.old, s, &d.result.Removed)
	}
	for _, t := range now {
		d.aloneService(d.now, t, &d.result.Added)
	}
}

func pointers(list []wayfind.Service) []*wayfind.Service {
	all := make([]*wayfind.Service, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// documentOf returns the URL of the main document of a service.
func documentOf(s *wayfind.Service) string {
	if len(s.Sources) == 0 {
		return ""
	}
	return s.Sources[0].Source
}

// pairServices compares the services with the same name, where "" is not a name, and returns
// the rest.
func (d *differ) pairServices(old, now []*wayfind.Service, name func(*wayfind.Service) string) (oldRest, nowRest []*wayfind.Service) {
	d.work.Add(len(old) + len(now))
	at := make(map[string]*wayfind.Service, len(now))
	for _, t := range now {
		if k := name(t); k != "" && at[k] == nil {
			at[k] = t
		}
	}
	paired := make(map[*wayfind.Service]bool, len(at))
	for _, s := range old {
		t := at[name(s)]
		if t == nil || paired[t] {
			oldRest = append(oldRest, s)
			continue
		}
		paired[t] = true
		d.samePlace(s, t)
	}
	for _, t := range now {
		if !paired[t] {
			nowRest = append(nowRest, t)
		}
	}
	return oldRest, nowRest
}

// samePlace compares two services. If one has the ID of the other, and the other's document
// could not be requested, both are unknown instead.
func (d *differ) samePlace(s, t *wayfind.Service) {
	if documentOf(s) != documentOf(t) && (d.old.missing(documentOf(s), s) || d.now.missing(documentOf(t), t)) {
		d.unknown[s.ID], d.unknown[t.ID] = true, true
		return
	}
	d.service(s, t)
}

// aloneService lists a service that only one side has.
func (d *differ) aloneService(s *side, service *wayfind.Service, list *[]Change) {
	if s.anyMissing(service.Sources, service) {
		d.unknown[service.ID] = true
		return
	}
	*list = append(*list, Change{Kind: KindService, Key: service.ID})
}
