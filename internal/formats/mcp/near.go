package mcp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// near leads from the address of each server to the place where it may have its card
// (SEP-2127), unless the document is a card or names another place for it.
func near(read *parse.Reading) []parse.Link {
	if read.Dialect == shapeCard.dialect() || read.Dialect == shapeInfo.dialect() {
		return nil
	}
	var links []parse.Link
	for i := range read.Services {
		s := &read.Services[i]
		if slices.ContainsFunc(read.Links, func(l parse.Link) bool { return l.Role == roleCard && l.Subject == s.ID }) {
			continue
		}
		for _, f := range s.Interfaces {
			if u := cardOf(f); u != "" {
				links = append(links, parse.Link{URLs: []string{u}, Role: roleCard, Format: name, Subject: s.ID})
			}
		}
	}
	return links
}

// cardOf returns the default address of the card of a server. It returns "" if the server's
// address has a query or variables, or its transport is another one.
func cardOf(f wayfind.Interface) string {
	if f.Protocol != protocol || f.Transport != "" && f.Transport != transportHTTP || f.URL == "" || strings.ContainsAny(f.URL, "?#") {
		return ""
	}
	return strings.TrimSuffix(f.URL, "/") + PathBelow
}
