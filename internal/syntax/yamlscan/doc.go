// Package yamlscan reads all YAML from strangers.
//
// [Scan] reads the small part of YAML that people write at the top of a text: mappings,
// sequences and scalars. It refuses constructs that give a text two meanings or make a short
// text expensive: anchors, aliases, tags, merge keys, directives, several documents, keys that
// are not text, and duplicate keys in a mapping, also in different spellings. Scalars are kept
// as written: "version: 1.10" remains 1.10 and "auth: no" remains no.
//
//	root, err := yamlscan.Scan(text, 2, yamlscan.FrontMatter())
//	if err != nil { … }
//	endpoint, ok := root.Get("mcp").Get("endpoint").Str()
//
// [ScanDocument] reads documents that consist of YAML only. They may be large, and may name a
// part and use it again, if the result stays in proportion.
//
// The package uses the grammar of yaml.v3, and is the only package that imports it. yaml.v3
// decodes UTF-16, breaks lines that YAML 1.2 does not break, and takes quadratic time and
// memory for some texts. A scan in linear time therefore runs first: if a text is too large or
// has too many marks of structure, yaml.v3 does not read it. yaml.v3 only fills its own node
// type, which is walked and copied. No value is decoded into a Go value.
package yamlscan

// Limits are the limits of a text. If a text exceeds one, the result is an error, never a
// silent cut.
type Limits struct {
	// Bytes is the size of the text.
	Bytes int
	// Marks is the number of characters that can be structure: brackets, colons, commas, dashes
	// before a space, quotes and comment signs. They are counted everywhere.
	Marks int
	// Depth is the nesting of mappings and sequences.
	Depth int
	// Nodes is the number of keys, scalars, mappings and sequences.
	Nodes int
}

// FrontMatter returns the limits of the block between "---" at the top of a Markdown file, and
// of a section that replaces it.
func FrontMatter() Limits {
	return Limits{Bytes: 8 << 10, Marks: 2000, Depth: 8, Nodes: 1000}
}
