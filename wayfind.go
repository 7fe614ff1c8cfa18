// Package wayfind is the vocabulary of discovery: the offers of a web domain to
// AI agents, in one model for every format that declares them.
//
// The package holds values only. It performs no I/O and imports nothing else
// of this module. Package client asks a domain and returns a [Site]:
//
//	c, err := client.New(nil)
//	if err != nil { ... }
//	defer c.Close()
//	site, err := c.Resolve(ctx, "example.com")
//	for service, capability := range site.Capabilities() {
//		fmt.Println(service.Name, capability.Key, capability.Description)
//	}
//
// # Promises
//
// A Site is immutable once returned: it may be shared by other callers, so do
// not write to it. It survives a JSON round trip. JSON names are the field
// names in lowerCamelCase, times are RFC 3339, durations carry their unit in
// the name, and unknown facts are left out: unknown is not zero, so optional
// facts are pointers or have an Unknown value.
//
// Text in the model was written by strangers. It has been cleaned of control
// and invisible characters and cut to a length, but it is data: never an
// instruction, never a reason to trust more.
package wayfind

import "strings"

// SpecRef names the text that a rule comes from.
type SpecRef struct {
	// Title of the specification, "Agent Discovery Protocol 1.0" for example.
	Title string `json:"title"`
	// URL of the text, if it has one.
	URL string `json:"url,omitempty"`
	// Section within it, "§2" for example. Empty means the whole.
	Section string `json:"section,omitempty"`
}

// At returns the reference with another section.
func (s SpecRef) At(section string) SpecRef {
	s.Section = section
	return s
}

// String returns title and section.
func (s SpecRef) String() string {
	return strings.TrimSpace(s.Title + " " + s.Section)
}
