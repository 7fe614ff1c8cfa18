package call

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
)

// Notice is a message that an MCP server sends about a call before its answer. The text comes
// from the service: cleaned, cut, without credentials of the call.
type Notice struct {
	// Level is the level of a log message, one of [Levels]. It is empty in a progress notice.
	Level string
	// Done is the amount of work that is done, and Total is the whole amount. Total is 0 if
	// the server does not know it.
	Done, Total float64
	Text        string
}

// Levels returns the levels of log messages (RFC 5424), the least important first.
func Levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// hearing is a hook for notices.
type hearing struct {
	level string
	tell  func(*Notice)
}

// Hearing returns a Caller that passes the notices of MCP servers about its calls to tell, on
// the goroutine of the call: progress notices, and log messages of the given level or a more
// important one. If the level is empty, it requests no log messages. No notice is passed on
// after the call has ended. Agreements, sessions and connections are shared with c.
func (c *Caller) Hearing(level string, tell func(*Notice)) *Caller {
	own := c.derive()
	own.hears = &hearing{level, tell}
	return own
}

// maxNotices is the maximum number of notices per request that are passed on.
const maxNotices = 1000

// progress returns the member that requests progress notices.
func (h *hearing) progress(token string) (list []rawjson.Member) {
	if h != nil {
		list = append(list, rawjson.Member{Name: "progressToken", Value: rawjson.Quote(token)})
	}
	return list
}

// wishes returns the members that request notices within one request, as of 2026-07-28.
func (h *hearing) wishes(token string) []rawjson.Member {
	list := h.progress(token)
	if h != nil && h.level != "" {
		list = append(list, rawjson.Member{Name: "io.modelcontextprotocol/logLevel", Value: rawjson.Quote(h.level)})
	}
	return list
}

// hear passes on a notice if it is about the request with the given progress token.
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
	n.Text = s.equipment.secrets.text(said, false, maxNoticeText)
	_ = tellHook("Hearing", func() { h.tell(n) }) // the answer is worth more than its notices
}

// maxNoticeText is the maximum number of characters of a notice that are passed on.
const maxNoticeText = 512
