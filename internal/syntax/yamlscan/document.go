package yamlscan

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/wayfindhq/wayfind"
)

// Whole returns the limits of a document that consists of YAML only. The limit of 64 levels is
// the same as for JSON. 500,000 marks keep the time of yaml.v3 below a second, and its memory
// below 200 MiB.
func Whole() Limits {
	return Limits{Bytes: 8 << 20, Marks: 500_000, Depth: 64, Nodes: 1_000_000}
}

// spare is the number of bytes that aliases may add to a text of any size. Documents that
// define a header or an error once and use it everywhere are small.
const spare = 64 << 10

// ScanDocument reads a document. In contrast to [Scan] it supports features that large
// documents need. It skips a byte order mark, a directive %YAML, a first line "---" and a last line
// "...". Escapes may encode any character. Anchors, aliases and merge keys are read. The values of aliases are
// shared, but counted as if they were copied: they may add twice the size of the text and 64
// KiB, so that the cost of writing the result is proportional to the text. An alias within its
// own anchor is refused. Tags are refused too, except for the tags of YAML's own types, which
// are ignored: "!!binary aGk=" is a text.
//
// The result and the error are as for Scan.
func ScanDocument(text string, limits Limits) (Node, error) {
	if len(text) > limits.Bytes {
		return Node{}, prescan(text, 1, limits)
	}
	most := spare + 2*len(text)
	s := &shared{nodes: make(map[*yaml.Node]*node), left: most, most: most}
	return scan(withoutMarkers(text), walker{first: 1, limits: limits, shared: s})
}

// withoutMarkers removes the document markers of a text with one document (YAML 1.2 §9.1).
// Lines and columns of the rest do not change.
func withoutMarkers(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	for start := 0; start < len(text); {
		line, rest := cutLine(text[start:])
		if isMarker(line, "---") {
			text = text[:start] + "   " + text[start+3:]
			break
		}
		if strings.HasPrefix(line, "%YAML ") {
			text = text[:start] + "#" + text[start+1:] // all versions are read alike
			line = ""
		}
		if bare := strings.TrimLeft(line, " \t"); bare != "" && bare[0] != '#' {
			break
		}
		start = len(text) - len(rest)
	}
	if body := strings.TrimRight(text, " \t\r\n"); strings.HasSuffix(body, "\n...") {
		return strings.TrimSuffix(body, "...")
	}
	return text
}

// isStandard reports whether a tag adds no meaning to a value (YAML 1.2 §10). Such tags are
// ignored.
func isStandard(tag string) bool {
	switch tag {
	case "!!str", "!!binary", "!!timestamp", "!!map", "!!seq":
		return true
	}
	return isConverted(tag)
}

func isConverted(tag string) bool {
	return tag == "!!int" || tag == "!!float" || tag == "!!bool" || tag == "!!null"
}

// isPlain reports whether n is a scalar without quotes with a tag of a type other than string.
func isPlain(n *yaml.Node) bool { return n.Style == yaml.TaggedStyle && isConverted(n.Tag) }

// shared contains the values of aliases.
type shared struct {
	// nodes contains complete nodes by their nodes of yaml.v3.
	nodes map[*yaml.Node]*node
	// left is the number of bytes that aliases may still add. most is the initial number.
	left, most int
}

// keep stores a node that has an anchor. It is called after the whole node was read, so that a
// node cannot contain itself.
func (s *shared) keep(n *yaml.Node, made *node) {
	if s == nil {
		return
	}
	made.size = len(made.text) + 2
	for _, c := range made.children {
		made.size += c.size + len(c.key) + 4
	}
	if n.Anchor != "" {
		s.nodes[n] = made
	}
}

// alias returns the value of an alias. It copies the outermost node, and gives it the key and
// the line of the alias.
func (s *shared) alias(n *yaml.Node, line int) (*node, error) {
	target := s.nodes[n.Alias]
	if target == nil {
		return nil, fail(wayfind.CodeYAMLForbidden, line, "an alias within its own anchor")
	}
	if err := s.spend(target.size, line); err != nil {
		return nil, err
	}
	made := *target
	made.key, made.line, made.column = "", line, n.Column
	return &made, nil
}

// spend subtracts the size of nodes that are repeated.
func (s *shared) spend(size, line int) error {
	if s.left -= size; s.left < 0 {
		return beyond(line, wayfind.TooLarge{Of: "bytes that aliases add to YAML", Limit: int64(s.most)})
	}
	return nil
}

// merge adds the keys of merge keys that a mapping does not have itself. If several mappings
// have a key, the first one is used.
func (w *walker) merge(merges []*yaml.Node, out *node, seen map[string]bool, depth int) error {
	for _, m := range merges {
		from, err := w.value(m, depth+1)
		if err != nil {
			return err
		}
		list := []*node{from}
		if from.kind == Sequence {
			list = from.children
		}
		for _, mapping := range list {
			if mapping.kind != Mapping {
				return fail(wayfind.CodeYAMLForbidden, mapping.line, "a merge key whose value is not a mapping")
			}
			for _, c := range mapping.children {
				if !seen[c.key] {
					seen[c.key] = true
					out.children = append(out.children, c)
				}
			}
		}
	}
	return nil
}
