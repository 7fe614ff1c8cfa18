package client

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
)

// RobotsMode is the treatment of robots.txt.
type RobotsMode int

const (
	// RobotsReport asks for it and lists in the Site the places that it would
	// forbid.
	RobotsReport RobotsMode = iota
	// RobotsIgnore does not ask for it.
	RobotsIgnore
	// RobotsEnforce asks for it first and requests nothing that it forbids,
	// redirects and Describe included.
	RobotsEnforce
)

// defaultRobotsToken is the product token that rules may name.
const defaultRobotsToken = "wayfind"

// withRobots returns the formats with robots.txt among them, or without,
// regardless of the caller's list: Options.Robots decides.
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
