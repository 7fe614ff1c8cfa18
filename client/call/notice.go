package call

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Notice is what an MCP server says about a call before it answers. Its text is the
// service's: cleaned, cut, without credentials of the call.
type Notice struct {
	// Level of a message for a log, one of [Levels]. It is empty in a notice of progress.
	Level string
	// Done says how much of the work is done, and Total how much there is; 0 if the server
	// does not know.
	Done, Total float64
	Text        string
}

// Levels returns the levels of messages for a log (RFC 5424), the least important first.
func Levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// hearing is a hook for notices.
type hearing struct {
	level string
	tell  func(*Notice)
}

// Hearing returns a Caller whose calls of MCP servers hand their notices to tell, on the
// goroutine of the call: its progress, and messages of a level or a more important one. With
// an empty level it asks for no messages. No notice comes after the call has ended.
// Agreements, sessions and connections are shared with c.
func (c *Caller) Hearing(level string, tell func(*Notice)) *Caller {
	own := *c
	own.hears = &hearing{level, tell}
	return &own
}

// maxNotices is the number of notices of one request that are handed on.
const maxNotices = 1000

// progress asks for notices of progress.
func (h *hearing) progress(token string) (list []parse.Member) {
	if h != nil {
		list = append(list, parse.Member{Name: "progressToken", Value: parse.Quote(token)})
	}
	return list
}

// wishes asks for notices within one request, as of 2026-07-28.
func (h *hearing) wishes(token string) []parse.Member {
	list := h.progress(token)
	if h != nil && h.level != "" {
		list = append(list, parse.Member{Name: "io.modelcontextprotocol/logLevel", Value: parse.Quote(h.level)})
	}
	return list
}

// hear hands on a notice about the request whose progress has a token.
func (s *sent) hear(m *jsonrpc.Message, token string) {
	h := s.caller.hears
	if h == nil {
		return
	}
	n := &Notice{}
	said := ""
	switch m.Method {
	case "notifications/progress":
		own, _ := m.Params.Get("progressToken").Str()
		done, isNumber := m.Params.Get("progress").Float()
		if own != token || !isNumber {
			return
		}
		n.Done = done
		n.Total, _ = m.Params.Get("total").Float()
		said, _ = m.Params.Get("message").Str()
	case "notifications/message":
		n.Level, _ = m.Params.Get("level").Str()
		if i := slices.Index(Levels(), n.Level); h.level == "" || i < 0 || i < slices.Index(Levels(), h.level) {
			return
		}
		data := m.Params.Get("data")
		var isText bool
		if said, isText = data.Str(); !isText {
			said = string(data.Raw())
		}
	default:
		return
	}
	over := s.equipment.secrets.over
	said, _ = text.Clean(string(over([]byte(said))), false, maxNoticeText)
	n.Text = string(over([]byte(said)))           // an invisible character may have parted one
	_ = tellHook("Hearing", func() { h.tell(n) }) // the answer is worth more than its notices
}

// maxNoticeText is how many characters of a notice are handed on.
const maxNoticeText = 512
