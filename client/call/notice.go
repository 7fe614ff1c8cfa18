package call

import (
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

// maxNotices is the maximum number of notices per request that are passed on.
const maxNotices = 1000

// progress returns the member that requests progress notices.
func (h *hearing) progress(token string) (list []rawjson.Member) {
	if h != nil {
		list = append(list, rawjson.Member{Name: "progressToken", Value: rawjson.Quote(token)})
	}
	return list
}

// wishes returns the members that request notices within one request, as of [mcpera.Modern].
func (h *hearing) wishes(token string) []rawjson.Member {
	list := h.progress(token)
	if h != nil && h.level != "" {
		list = append(list, rawjson.Member{Name: "io.modelcontextprotocol/logLevel", Value: rawjson.Quote(h.level)})
	}
	return list
}

// maxNoticeText is the maximum number of characters of a notice that are passed on.
const maxNoticeText = 512
