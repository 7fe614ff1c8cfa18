package client

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
)

// RobotsMode determines the treatment of robots.txt.
type RobotsMode int

const (
	// RobotsReport requests robots.txt and lists in the Site the places that it would forbid. Of these
	// it does not request the places of convention, such as /openapi.json, unless a document links there.
	RobotsReport RobotsMode = iota
	// RobotsIgnore does not request robots.txt.
	RobotsIgnore
	// RobotsEnforce requests robots.txt first and requests nothing that it forbids. This includes
	// redirects and Describe.
	RobotsEnforce
)

// defaultRobotsToken is the product token that rules may name.
const defaultRobotsToken = "wayfind"

// withRobots adds robots.txt to the formats or removes it, regardless of the caller's list:
// Options.Robots decides.
func withRobots(list []*parse.Format, mode RobotsMode) []*parse.Format {
	is := func(f *parse.Format) bool { return f != nil && f.Name == places.RobotsFormat }
	switch {
	case mode == RobotsIgnore:
		return slices.DeleteFunc(list, is)
	case !slices.ContainsFunc(list, is):
		return append(list, robots.Format())
	}
	return list
}
