package call

import (
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// Some protocols have two dialects. A call is written in one of them and never repeated in the
// other. Before the first call to a server, a request that changes nothing finds out which
// dialect the server supports, and the Caller remembers the result.

// dialectKey identifies the server of an interface for one user.
type dialectKey struct{ principal, url string }

// isMissing reports whether a status may mean that there is nothing at the requested URL.
func isMissing(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, status)
}

// wantsOlder reports whether a server refuses the version of a call and supports a version
// with a handshake. The server has not processed such a call.
func wantsOlder(a *answer, id string) bool {
	m, ok := jsonrpc.Find(a.body, isEventStream(a.header), id)
	if !ok || m.Error == nil {
		return false
	}
	refusal := mcp.Refused(m.Error.Code, m.Error.Data)
	return refusal.Version && names(refusal.Supported, mcpera.HasHandshake)
}

// names reports whether a list contains a version for which is returns true.
func names(list parse.Node, is func(string) bool) bool {
	for _, v := range list.Items() {
		if version, _ := v.Str(); is(version) {
			return true
		}
	}
	return false
}
