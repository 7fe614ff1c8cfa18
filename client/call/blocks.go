package call

import (
	"github.com/wayfindhq/wayfind/parse"
)

// maxBlocks is the maximum number of blocks in a result. The text of the result mentions all
// further blocks.
const maxBlocks = 256

// Block is a block of content in the answer of an MCP server. A program can use it to pass the
// answer on in the same protocol. It contains data of the site, cleaned, cut, and without
// credentials of the call. The total length of all texts is limited in the same way as the
// text of a result.
type Block struct {
	// Role is "user" or "assistant" in a message of a prompt, otherwise empty.
	Role string
	// Text is the text of a text block or of a resource. It is empty for a Part and for a
	// link.
	Text string
	// URI and Media are the URI and the media type of a resource or a link, as the server
	// names them; empty for a text.
	URI, Media string
	// Name is the name of a link. Link is true if the block is a link.
	Name string
	Link bool
	// Part is the image, the sound or the file in the block; nil if the block has no such
	// part.
	Part *Part
}

// mcpBlock adds a block of MCP content, or the contents of a resource. role is the role of the
// message, or empty.
func (s *sent) mcpBlock(res *Result, role string, block parse.Node) {
	m := &res.Model
	parts := len(m.Parts)
	s.mcpPart(res, block)
	if len(m.Blocks) == maxBlocks {
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
			return // Cut of the result is true
		}
		b.Text = s.equipment.secrets.text(said, true, left)
	default:
		return // invalid octets or an unknown kind: the text mentions the block
	}
	m.Blocks = append(m.Blocks, b)
}

// word returns a short text of the site, cleaned and without secrets.
func (s *sent) word(n parse.Node) string {
	return s.equipment.secrets.text(textOf(n), false, maxLine)
}

// textLeft returns the length that the texts of further blocks may still have.
func (s *sent) textLeft(m *ModelResult) int {
	left := s.caller.opts.ModelBytes
	for i := range m.Blocks {
		left -= len(m.Blocks[i].Text)
	}
	return max(0, left)
}
