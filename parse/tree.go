package parse

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// Tree returns the top-level value of a body that is JSON or a mapping in YAML, for formats
// whose documents are served as both. The content decides: a body that begins with a brace or
// a bracket is JSON, read as [Input.JSON] does, unless the first key in it has no double quotes,
// as in a flow mapping of YAML. If it is no JSON but its media type or the ending of its URL says
// YAML, it is read as YAML too. Any other body is YAML of at most 8 MiB and 500,000 marks of
// structure, which is written as JSON and then read. So the result is the same Node for both, and
// [Node.Raw] returns JSON.
//
// Plain scalars become null, true and false (in the spellings of YAML 1.2 §10.3.2) and the
// numbers that JSON writes in the same way. Others are strings as they are written, even "no",
// "0x1F" and "2024-01-01". Anchors, aliases and merge keys are read as long as the text does
// not grow by more than twice its size and 64 KiB. Tags of types other than YAML's own,
// directives other than %YAML, and further documents are refused.
//
// The error is the error of [Input.JSON] or of [ParseYAML]. The body is read once.
func (in *Input) Tree() (Node, error) {
	if !in.BeginsYAML() {
		root, err := in.JSON()
		if err == nil || !in.namedYAML() {
			return root, err
		}
	}
	if in.tree.traced.Exists() {
		return in.tree.traced, nil
	}
	in.tree.once.Do(func() {
		if in.tree.json == nil {
			in.tree.json, in.tree.err = jsonOf(in.Body)
		}
		if in.tree.err == nil {
			in.tree.doc, in.tree.err = jsonscan.Scan(in.tree.json)
		}
		if in.tree.err == nil {
			// The JSON, and the text that strings are slices of.
			in.tree.size.Store(2*int64(len(in.tree.doc.Root().Raw())) + perNode*int64(in.tree.doc.Nodes()))
		}
	})
	if in.tree.err != nil {
		return Node{}, in.tree.err
	}
	return Node{in.tree.doc.Root()}, nil
}

// BeginsYAML reports whether the body is not JSON by how it begins, so that [Input.Tree] reads it as
// YAML. It is also true for any other text. Formats use it before they read a body that may be YAML.
func (in *Input) BeginsYAML() bool { return yamlscan.Begins(in.Body) }

// YAML returns the top-level value of a body that is a mapping in YAML. Its values have lines
// and columns, unlike the JSON that [Input.Tree] returns. The body is read at each call.
func (in *Input) YAML() (YAML, error) {
	root, err := yamlscan.ScanDocument(string(in.Body), yamlscan.Whole())
	return YAML{root}, err
}

// namedYAML reports whether the media type or the URL of the body says that it is YAML.
func (in *Input) namedYAML() bool {
	switch strings.ToLower(in.MediaType) {
	case "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "application/openapi+yaml", "application/vnd.oai.openapi":
		return true
	}
	u := cmp.Or(in.FinalURL, in.URL)
	return u != nil && (strings.HasSuffix(u.Path, ".yaml") || strings.HasSuffix(u.Path, ".yml"))
}

// jsonOf writes YAML as JSON.
func jsonOf(body []byte) ([]byte, error) {
	root, err := yamlscan.ScanDocument(string(body), yamlscan.Whole())
	if err != nil {
		return nil, err
	}
	if root.Kind() == yamlscan.Missing {
		return nil, Invalid("the document holds nothing")
	}
	return appendYAML(make([]byte, 0, len(body)), root), nil
}

// appendYAML writes a value as JSON.
func appendYAML(out []byte, n yamlscan.Node) []byte {
	switch n.Kind() {
	case yamlscan.Scalar:
		return appendScalar(out, n)
	case yamlscan.Sequence:
		out = append(out, '[')
		for i := range n.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendYAML(out, n.Index(i))
		}
		return append(out, ']')
	case yamlscan.Mapping:
		out = append(out, '{')
		for key, value := range n.Members() {
			if out[len(out)-1] != '{' {
				out = append(out, ',')
			}
			out = append(jsonscan.AppendQuote(out, key), ':')
			out = appendYAML(out, value)
		}
		return append(out, '}')
	}
	return append(out, "null"...)
}

func appendScalar(out []byte, n yamlscan.Node) []byte {
	text, _ := n.Str()
	if literal := literalOf(text); literal != "" && !n.Quoted() {
		return append(out, literal...)
	}
	return jsonscan.AppendQuote(out, text)
}

// literalOf returns the JSON literal of a plain scalar, or "" for a string.
func literalOf(text string) string {
	switch text {
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	}
	if isNumber(text) {
		return text
	}
	return ""
}

// isNumber reports whether text is a number of JSON (RFC 8259 §6).
func isNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	whole := trimDigits(text)
	if whole == text || text[0] == '0' && len(text)-len(whole) > 1 {
		return false
	}
	if fraction, ok := strings.CutPrefix(whole, "."); ok {
		if whole = trimDigits(fraction); whole == fraction {
			return false
		}
	}
	if whole == "" || whole[0]|0x20 != 'e' {
		return whole == ""
	}
	exponent := whole[1:]
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return exponent != "" && trimDigits(exponent) == ""
}

func trimDigits(s string) string { return strings.TrimLeft(s, "0123456789") }
