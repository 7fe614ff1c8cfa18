package recorded

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/liverpc"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// maxTalkLines bounds the list of the recorded calls.
const maxTalkLines = 10

// talks are the recorded requests with a method: calls, and conversations with live endpoints.
type talks struct {
	servers []string // the URLs of conversations in JSON-RPC, sorted
	calls   []string // the calls, in words
}

// talksOf lists the calls and conversations of a recording.
func talksOf(recording *client.Recording) (t talks) {
	var others []*client.Exchange
	for _, x := range recording.Exchanges() {
		method, name := spoken(x)
		switch {
		case x.Method == "":
		case method == "":
			others = append(others, x)
		case !slices.Contains(t.servers, x.URL):
			t.servers = append(t.servers, x.URL)
		}
		if name != "" {
			t.calls = append(t.calls, fmt.Sprintf("%s %s, %s", method, name, x.URL))
		}
	}
	for _, x := range others {
		if !slices.Contains(t.servers, x.URL) { // else it begins or ends a session
			t.calls = append(t.calls, fmt.Sprintf("%s %s, %s", x.Method, x.URL, resultOf(x)))
		}
	}
	return t
}

// spoken returns the method of a recorded message of JSON-RPC, and the name of the called tool, or "".
func spoken(x *client.Exchange) (method, name string) {
	root, err := (&parse.Input{Body: x.Request}).JSON()
	if err != nil || x.Method != http.MethodPost {
		return "", ""
	}
	method, _ = root.Get("method").Str()
	params := root.Get("params")
	name, _ = params.Get("name").Str()
	if uri, ok := params.Get("uri").Str(); ok {
		name = uri
	}
	return method, name
}

// resultOf returns the result of a recorded request in words.
func resultOf(x *client.Exchange) string {
	if x.Failure != nil {
		return "which failed: " + string(x.Failure.Code)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)))
}

// probers returns the probers for the servers whose conversations are recorded.
func (t talks) probers() (list []client.LiveProber) {
	if len(t.servers) == 0 {
		return nil
	}
	for _, p := range []client.LiveProber{livemcp.New(nil), liverpc.New()} {
		list = append(list, recordedProber{p, t.servers})
	}
	return list
}

// recordedProber asks only servers whose conversations are recorded.
type recordedProber struct {
	client.LiveProber
	servers []string
}

// Probe implements client.LiveProber.
func (p recordedProber) Probe(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	if u := req.URL.String(); !slices.Contains(p.servers, u) {
		return nil, wayfind.NewError("live", u, wayfind.CodeOffline, errors.New("the recording has no conversation with this server"))
	}
	return p.LiveProber.Probe(ctx, req)
}

// target returns the URL of the one server of a host that no recorded document names, because the
// recording began with this URL. Else it returns the host.
func (t talks) target(host string, recording *client.Recording) string {
	if len(t.servers) != 1 {
		return host
	}
	u, err := url.Parse(t.servers[0])
	if err != nil || u.Host != host || u.Path == "/" || u.Path == "" {
		return host
	}
	for _, x := range recording.Exchanges() {
		if x.Method == "" && x.Status == http.StatusOK && strings.Contains(string(x.Body), u.Path) {
			return host
		}
	}
	if recording.Lookup(t.servers[0]) == nil { // no GET has shown that it is a server
		return resolve.ServerPrefix + t.servers[0]
	}
	return t.servers[0]
}

// tell lists the recorded calls.
func (t talks) tell(a *ui.App, dir string) {
	if len(t.calls) == 0 {
		return
	}
	fmt.Fprintf(a.Err, "wayfind: recorded calls, which \"wayfind serve %s\" answers:\n", ui.Show(dir))
	for _, call := range t.calls[:min(len(t.calls), maxTalkLines)] {
		fmt.Fprintf(a.Err, "  %s\n", ui.Show(call))
	}
	if more := len(t.calls) - maxTalkLines; more > 0 {
		fmt.Fprintf(a.Err, "  and %d more, in %s\n", more, document.RecordingIndex)
	}
}
