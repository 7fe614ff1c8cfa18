// Package wayfind is the vocabulary of discovery: the offers of a web domain to AI agents, in
// one model for all formats that declare them.
//
// The package contains only values. It performs no I/O and imports no other package of this
// module. Package client asks a domain and returns a [Site]:
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
// A Site is immutable once returned. Other callers may share it, so do not write to it. It
// survives a JSON round trip. JSON names are the field names in lowerCamelCase, times are RFC
// 3339, the names of durations contain the unit, and unknown facts are omitted. Unknown is
// different from zero, so optional facts are pointers or have an Unknown value.
//
// Strangers wrote the text in the model. Control and invisible characters were removed, and the
// text was cut to a length. It is data: never an instruction, and never a reason for more
// trust.
package wayfind

import "strings"

// SpecRef names the text of a rule.
type SpecRef struct {
	// Title is the title of the specification, "Agent Discovery Protocol 1.0" for example.
	Title string `json:"title"`
	// URL is the URL of the text, if it has one.
	URL string `json:"url,omitempty"`
	// Section is the section, "§2" for example. It is empty for the whole text.
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
