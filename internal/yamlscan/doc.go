// Package yamlscan is the one door through which YAML from strangers enters.
//
// [Scan] reads the small part of YAML that people write at the top of a text:
// mappings, sequences and scalars. It refuses constructs that give one text two
// meanings or make a short text costly: anchors, aliases, tags, merge keys,
// directives, several documents, keys that are no text, and a key that comes
// twice in one mapping, also in another spelling. Scalars are kept as they are
// written: "version: 1.10" stays 1.10 and "auth: no" stays no.
//
//	root, err := yamlscan.Scan(text, 2, yamlscan.FrontMatter())
//	if err != nil { … }
//	endpoint, ok := root.Get("mcp").Get("endpoint").Str()
//
// [ScanDocument] reads documents that are YAML as a whole. They may be large, and
// may name a part and use it again, as long as that stays in proportion.
//
// The grammar is that of yaml.v3; this package is the only one that imports it.
// yaml.v3 decodes UTF-16, breaks lines where YAML 1.2 does not, and takes
// quadratic time and memory for some texts, so a scan in linear time comes
// first: a text that is too large, or that has more marks of structure than any
// honest one, never reaches yaml.v3. It only fills its own node type, which is
// walked and copied: no value is decoded into Go values.
package yamlscan

// Limits bound a text. Exceeding one is an error, never a silent cut.
type Limits struct {
	// Bytes of the text.
	Bytes int
	// Marks are characters that can mean structure: brackets, colons, commas,
	// dashes before a blank, quotes, comment signs. They are counted wherever
	// they stand.
	Marks int
	// Depth bounds the nesting of mappings and sequences.
	Depth int
	// Nodes are keys, scalars, mappings and sequences.
	Nodes int
}

// FrontMatter returns the limits of the block between "---" at the top of a
// Markdown file, and of a section that takes its place.
func FrontMatter() Limits {
	return Limits{Bytes: 8 << 10, Marks: 2000, Depth: 8, Nodes: 1000}
}
