package mcp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// around adds the members next to a list of servers. They describe one more server if they
// name a place that no server of the list has, and otherwise all of them. The only server of a
// list takes the members that fit.
func (r *reader) around(root parse.Node, found []wayfind.Service) []wayfind.Service {
	if root.Kind() != parse.Object {
		return found
	}
	quiet := *r
	quiet.Reader = newReporter()
	f := &faces{}
	quiet.places(root, f, &wayfind.Service{})
	if slices.ContainsFunc(f.list, func(face wayfind.Interface) bool { return !isKnown(face, found) }) {
		return append(found, r.server(root, ""))
	}
	named := *r
	named.shape = shapeConfig // a name is not needed
	whole := named.entity(root, "")
	owner := ownerOf(&whole, found)
	whole.Interfaces = nil
	for member, value := range whole.Extensions {
		if text := string(value); text == "[]" || text == "{}" {
			delete(whole.Extensions, member)
		}
	}
	if a := whole.Auth; a != nil && a.Unknown && a.Schemes == nil {
		whole.Auth = nil
	}
	for i := range found {
		if a := found[i].Auth; whole.Auth != nil && (a == nil || a.Unknown && a.Schemes == nil) {
			found[i].Auth = cloned(whole.Auth)
		}
	}
	if owner != nil {
		give(owner, &whole)
	}
	if isBare(&whole) {
		return found
	}
	return append(found, whole)
}

// ownerOf returns the server that the members next to a list describe: the only one, or the
// one with the same place.
func ownerOf(whole *wayfind.Service, found []wayfind.Service) *wayfind.Service {
	for i := range found {
		if len(found) == 1 || slices.ContainsFunc(whole.Interfaces, func(face wayfind.Interface) bool { return isKnown(face, found[i:i+1]) }) {
			return &found[i]
		}
	}
	return nil
}

// isKnown reports whether one of the servers has the place.
func isKnown(face wayfind.Interface, found []wayfind.Service) bool {
	return slices.ContainsFunc(found, func(s wayfind.Service) bool {
		return slices.ContainsFunc(s.Interfaces, func(have wayfind.Interface) bool { return bare(have.URL) == bare(face.URL) })
	})
}

// give moves the members next to a list to its only server: the tools, if the server has no
// tools of its own, and, if the members have no name, all facts that the server does not state
// itself.
func give(s, whole *wayfind.Service) {
	if len(s.Capabilities) == 0 {
		via := slices.ContainsFunc(s.Interfaces, func(face wayfind.Interface) bool { return face.URL != "" || face.Template != "" })
		for _, c := range whole.Capabilities {
			if via {
				c.Invocation = &wayfind.Invocation{Protocol: protocol, Via: protocol, Operation: c.ID}
			}
			if s.ID != "" {
				c.ID = s.ID + "/" + c.ID
			}
			s.Capabilities = append(s.Capabilities, c)
		}
		whole.Capabilities = nil
	}
	if whole.Name != "" {
		return
	}
	for _, text := range [...][2]*string{{&s.Version, &whole.Version}, {&s.Description, &whole.Description}, {&s.DocsURL, &whole.DocsURL}, {&s.IconURL, &whole.IconURL}} {
		if *text[0] == "" {
			*text[0], *text[1] = *text[1], ""
		}
	}
	for member, value := range whole.Extensions {
		if _, twice := s.Extensions[member]; !twice {
			parse.Keep(&s.Extensions, member, value)
			delete(whole.Extensions, member)
		}
	}
	if s.LocalInstall == nil {
		s.LocalInstall, whole.LocalInstall = whole.LocalInstall, nil
	}
	if s.Provider == nil {
		s.Provider, whole.Provider = whole.Provider, nil
	}
}

// isBare reports whether a server has no facts.
func isBare(s *wayfind.Service) bool {
	return s.Name == "" && s.Version == "" && s.Description == "" && s.DocsURL == "" && s.IconURL == "" && s.Provider == nil && s.Status == nil &&
		len(s.Extensions)+len(s.Capabilities)+len(s.LocalInstall)+len(s.Tags)+len(s.Categories) == 0
}
