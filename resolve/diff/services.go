package diff

import (
	"strings"

	"github.com/wayfindhq/wayfind"
)

// services compares the services. They are the same by ID and document, by
// document alone (an ID like "adp~2" comes and goes with its neighbours),
// and at last by ID.
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

// documentOf is the document that a service is chiefly made of.
func documentOf(s *wayfind.Service) string {
	if len(s.Sources) == 0 {
		return ""
	}
	return s.Sources[0].Source
}

// pairServices compares those of one name, "" for none, and returns the rest.
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

// samePlace compares two services, unless one took the ID of another whose
// document could not be asked: then neither is known to be the other.
func (d *differ) samePlace(s, t *wayfind.Service) {
	if documentOf(s) != documentOf(t) && (d.old.missing(documentOf(s), s) || d.now.missing(documentOf(t), t)) {
		d.unknown[s.ID], d.unknown[t.ID] = true, true
		return
	}
	d.service(s, t)
}

// aloneService lists a service that one side has.
func (d *differ) aloneService(s *side, service *wayfind.Service, list *[]Change) {
	if s.anyMissing(service.Sources, service) {
		d.unknown[service.ID] = true
		return
	}
	*list = append(*list, Change{Kind: KindService, Key: service.ID})
}
