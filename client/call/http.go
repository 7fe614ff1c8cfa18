package call

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/placing"
	"github.com/wayfindhq/wayfind/security"
)

// protocolHTTP is the name of plain HTTP as a protocol.
const protocolHTTP = "http"

// httpCall is plain HTTP: ADP, AI Discovery, AWP, OpenAPI and what plugins name.
type httpCall struct{}

func (httpCall) name() string { return protocolHTTP }

// prepare implements protocol.
func (httpCall) prepare(r *run) error {
	c := r.tool.Capability
	placed, err := placing.Place(r.plan.operation, r.args)
	if err != nil {
		return err
	}
	w, err := wireWith(placed.Method, placed.URL, placed.Header)
	if err != nil {
		return err
	}
	w.body, r.unplaced = placed.Body, placed.Unplaced
	w.setCookies(w.header["Cookie"])
	delete(w.header, "Cookie")
	if w.header["Accept"] == nil {
		w.header["Accept"] = r.plan.accept
	}
	r.wire = w
	w.again = repeatsOf(c, w.method)
	return r.addKey()
}

// setCookies keeps the cookies of parameters: Client.HTTP takes them beside the
// request.
func (w *wire) setCookies(values []string) {
	for _, v := range values {
		for pair := range strings.SplitSeq(v, "; ") {
			name, value, _ := strings.Cut(pair, "=")
			w.cookies = append(w.cookies, security.Credential{Origin: w.origin, In: "cookie", Field: name, Value: value})
		}
	}
}

// repeatsOf says when a call may be repeated by its method.
func repeatsOf(c *wayfind.Capability, method string) repeats {
	switch {
	case isSafe(method) && (c.Effects == nil || !denied(c.Effects.ReadOnly)):
		return whenEverFailed
	case method == http.MethodPut || method == http.MethodDelete:
		return beforeAnswer
	}
	return never
}

// finish implements protocol.
func (httpCall) finish(r *run) error {
	a, err := r.exchangeAs(r.wire)
	if err != nil {
		return err
	}
	if err := r.take(a); err != nil {
		return err
	}
	r.async(a)
	return nil
}

// teller is the name of a tool that reads what this one changes: of the same site,
// with the same URL, by GET. It is "" where there is none.
func (r *run) teller() string {
	c := r.tool.Capability
	if c == nil || c.Invocation == nil || r.box == nil || isSafe(c.Invocation.Method) {
		return ""
	}
	for _, t := range r.box.Tools() {
		other := t.Capability
		if t.Origin != r.tool.Origin || other == nil || other.Invocation == nil || other.Invocation.Method != http.MethodGet {
			continue
		}
		if placeOf(other.Invocation) == placeOf(c.Invocation) {
			return t.Name
		}
	}
	return ""
}

func placeOf(v *wayfind.Invocation) string { return cmp.Or(v.Template, v.URL) }
