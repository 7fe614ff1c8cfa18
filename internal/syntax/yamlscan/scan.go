package yamlscan

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/wayfindhq/wayfind"
)

// Scan reads a text whose first line is line first of its document. The result
// is a mapping, or a Node that is missing when the text holds nothing.
//
// The error is a *wayfind.Error with Op "parse", Kind ErrInvalid and one of the
// codes yaml_syntax, yaml_forbidden, yaml_duplicate, invalid_utf8 and limit;
// its cause is a *[SyntaxError].
func Scan(text string, first int, limits Limits) (Node, error) {
	return scan(text, walker{first: first, limits: limits})
}

// scan reads a text with a walker that holds the rules of refusal.
func scan(text string, w walker) (Node, error) {
	if err := prescan(text, w.first, w.limits); err != nil {
		return Node{}, err
	}
	doc, err := tree(text)
	if err != nil {
		return Node{}, syntax(text, w.first, err, w.shared != nil)
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return Node{}, nil
	}
	w.rest, w.line, w.column = text, 1, 1
	root := doc.Content[0]
	if isNull(root) && root.Anchor == "" && root.Style == 0 && root.Value == "" {
		return Node{}, nil
	}
	n, err := w.value(root, 1)
	if err != nil {
		return Node{}, err
	}
	if n.kind != Mapping {
		return Node{}, fail(wayfind.CodeYAMLForbidden, n.line, "the text is no mapping of keys to values")
	}
	return Node{n}, nil
}

// tree runs yaml.v3, which can panic.
func tree(text string) (doc yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			err = errGaveUp
		}
	}()
	err = yaml.Unmarshal([]byte(text), &doc)
	return doc, err
}

// walker copies a tree of yaml.v3 and refuses forbidden nodes.
type walker struct {
	limits Limits
	first  int
	nodes  int
	// rest is the text from line and column on.
	rest         string
	line, column int
	// shared contains the values of aliases. If it is nil, aliases are refused.
	shared *shared
}

// value copies one value at a depth.
func (w *walker) value(n *yaml.Node, depth int) (*node, error) { return w.into(new(node), n, depth) }

// into copies a value into an empty node, which is not used for an alias.
func (w *walker) into(out *node, n *yaml.Node, depth int) (*node, error) {
	line := w.first + max(n.Line, 1) - 1
	if w.nodes++; w.nodes > w.limits.Nodes {
		return nil, beyond(line, wayfind.TooLarge{Of: "values in YAML", Limit: int64(w.limits.Nodes)})
	}
	if n.Kind == yaml.AliasNode && w.shared != nil {
		return w.shared.alias(n, line)
	}
	if err := w.plain(n, line); err != nil {
		return nil, err
	}
	out.line, out.column = line, n.Column
	defer w.shared.keep(n, out)
	switch n.Kind {
	case yaml.ScalarNode:
		return out, w.scalar(n, out)
	case yaml.SequenceNode:
		out.kind = Sequence
	case yaml.MappingNode:
		out.kind = Mapping
	default:
		return nil, fail(wayfind.CodeYAMLForbidden, line, "an alias")
	}
	if depth > w.limits.Depth {
		return nil, beyond(line, wayfind.TooLarge{Of: "levels of YAML", Limit: int64(w.limits.Depth)})
	}
	if out.kind == Mapping {
		return out, w.mapping(n, out, depth)
	}
	out.children = make([]*node, 0, len(n.Content))
	for _, item := range n.Content {
		child, err := w.value(item, depth+1)
		if err != nil {
			return nil, err
		}
		out.children = append(out.children, child)
	}
	return out, nil
}

// plain refuses nodes with an anchor or a tag. yaml.v3 does not keep the tag "!". A node
// without a tag never begins with that character.
func (w *walker) plain(n *yaml.Node, line int) error {
	sign := w.at(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return fail(wayfind.CodeYAMLForbidden, line, "an alias")
	case n.Anchor != "" && w.shared == nil:
		return fail(wayfind.CodeYAMLForbidden, line, "an anchor")
	case w.shared != nil && n.Style&yaml.TaggedStyle != 0 && isStandard(n.Tag):
	case n.Style&yaml.TaggedStyle != 0 || sign == '!':
		return fail(wayfind.CodeYAMLForbidden, line, "a tag")
	case w.shared == nil && (sign == '&' || sign == '*'):
		return fail(wayfind.CodeYAMLForbidden, line, "an anchor")
	}
	return nil
}

// at returns the character at which a node begins. Nodes come in the order of the text. For a
// node that comes earlier, which is an empty value, at returns 0.
func (w *walker) at(n *yaml.Node) rune {
	for w.line < n.Line {
		_, after, found := strings.Cut(w.rest, "\n")
		if !found {
			return 0
		}
		w.rest, w.line, w.column = after, w.line+1, 1
	}
	if w.line > n.Line || w.column > n.Column {
		return 0
	}
	for i, c := range w.rest {
		if c == '\n' || w.column == n.Column {
			w.rest = w.rest[i:]
			return c
		}
		w.column++
	}
	w.rest = ""
	return 0
}

// mapping copies the pairs of a mapping.
func (w *walker) mapping(n *yaml.Node, out *node, depth int) error {
	seen := make(map[string]bool, len(n.Content)/2)
	out.children = make([]*node, 0, len(n.Content)/2)
	var merges []*yaml.Node
	var spare *node // the node of the last key, which only an alias can keep
	for i := 0; i+1 < len(n.Content); i += 2 {
		if spare == nil {
			spare = new(node)
		}
		*spare = node{}
		key, err := w.into(spare, n.Content[i], depth+1)
		if err != nil {
			return err
		}
		if n.Content[i].Anchor != "" {
			spare = nil
		}
		switch {
		case key.kind != Scalar:
			return fail(wayfind.CodeYAMLForbidden, key.line, "a key that is not text")
		case key.text == "<<" && !key.quoted && w.shared != nil:
			merges = append(merges, n.Content[i+1])
			continue
		case key.text == "<<" && !key.quoted:
			return fail(wayfind.CodeYAMLForbidden, key.line, "a merge key")
		case seen[key.text]:
			return fail(wayfind.CodeYAMLDuplicate, key.line, "key %q is repeated in one mapping", key.text)
		}
		seen[key.text] = true
		child, err := w.value(n.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		child.key = key.text
		if child.line < key.line { // an empty value has no place in the text
			child.line, child.column = key.line, key.column
		}
		out.children = append(out.children, child)
	}
	return w.merge(merges, out, seen, depth)
}

// scalar copies a scalar. In front matter escapes must not add forbidden characters. In a
// document they may, as in JSON.
func (w *walker) scalar(n *yaml.Node, out *node) error {
	out.kind, out.text, out.quoted = Scalar, n.Value, n.Style != 0 && !isPlain(n)
	for _, c := range n.Value {
		if w.shared == nil && c != '\t' && c != '\n' && c != '\r' && forbidden(c) {
			return fail(wayfind.CodeYAMLForbidden, out.line, "the character %U", c)
		}
	}
	if isNull(n) {
		out.kind = Null
	}
	return nil
}

// isNull reports whether n is a spelling of null (YAML 1.2 §10.3.2).
func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style != 0 {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}
