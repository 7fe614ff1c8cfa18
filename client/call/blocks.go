package call

import (
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// MaxBlocks is how many blocks a result has; the text of the result mentions each of the
// others too.
const MaxBlocks = 256

// Block is a block of content of an answer of MCP, for a program that hands an answer on
// in the same protocol. It is data of the site: cleaned, cut, without credentials of the
// call. All texts together are as long as the text of a result may be.
type Block struct {
	// Role is "user" or "assistant" in a message of a prompt, otherwise empty.
	Role string
	// Text of a text or of a resource. A Part has none, and neither has a link.
	Text string
	// URI and Media of a resource or a link, as the server calls it; empty for a text.
	URI, Media string
	// Name of a link, and whether the block is one.
	Name string
	Link bool
	// Part is the image, the sound or the file that the block is, or nil.
	Part *Part
}

// mcpBlock adds a block of content of MCP, or the contents of a resource. The role is that
// of a message, or empty.
func (s *sent) mcpBlock(res *Result, role string, block parse.Node) {
	m := &res.Model
	parts := len(m.Parts)
	s.mcpPart(res, block)
	if len(m.Blocks) == MaxBlocks {
		return
	}
	if role != "assistant" && role != "" {
		role = "user"
	}
	b := Block{Role: role}
	kind := textOf(block.Get("type"))
	if resource := block.Get("resource"); kind == "resource" {
		block = resource
	}
	said, isText := block.Get("text").Str()
	if kind != "text" {
		b.URI, b.Media = s.word(block.Get("uri")), s.word(block.Get("mimeType"))
	}
	switch {
	case kind == "resource_link":
		b.Link, b.Name = true, s.word(block.Get("name"))
	case len(m.Parts) > parts:
		part := m.Parts[parts]
		b.Part, b.Media = &part, part.Media
	case isText:
		left := s.textLeft(m)
		if left == 0 {
			return // the result says that it is cut
		}
		b.Text, _ = text.Clean(string(s.equipment.secrets.over([]byte(said))), true, left)
	default:
		return // octets that are none, or a kind that is not known: the text mentions it
	}
	m.Blocks = append(m.Blocks, b)
}

// word is a short text of the site.
func (s *sent) word(n parse.Node) string {
	return line(string(s.equipment.secrets.over([]byte(textOf(n)))))
}

// textLeft is the number of characters that the blocks may still have.
func (s *sent) textLeft(m *ModelResult) int {
	left := s.caller.opts.ModelBytes
	for i := range m.Blocks {
		left -= len(m.Blocks[i].Text)
	}
	return max(0, left)
}
