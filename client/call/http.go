package call

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/placing"
	"github.com/wayfindhq/wayfind/security"
)

// httpCall is plain HTTP: ADP, AI Discovery, AWP, OpenAPI and what plugins name.
type httpCall struct{}

func (httpCall) name() string { return "http" }

// prepare implements protocol.
func (httpCall) prepare(r *run) error {
	c := r.tool.Capability
	placed, err := placing.Place(&placing.Operation{Invocation: c.Invocation, Params: c.Params, Credentials: r.slots()}, r.args)
	if err != nil {
		return err
	}
	w, err := newWire(r, placed.Method, placed.URL)
	if err != nil {
		return err
	}
	w.body, r.unplaced = placed.Body, placed.Unplaced
	for name, values := range placed.Header {
		if name == "Cookie" {
			w.setCookies(values)
			continue
		}
		w.header[name] = values
	}
	if w.header["Accept"] == nil {
		w.header["Accept"] = []string{"application/json, text/*;q=0.8, */*;q=0.5"}
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
			w.cookies = append(w.cookies, security.Credential{Origin: w.origin(), In: "cookie", Field: name, Value: value})
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

// slots are the parameters that are not the model's to fill: those of security
// schemes, and of the idempotency key.
func (r *run) slots() (list []placing.Slot) {
	if a := r.auth(); a != nil {
		for _, name := range sortedKeys(a.Schemes) {
			if s := a.Schemes[name]; s.Kind == wayfind.SchemeAPIKey && s.Name != "" {
				list = append(list, placing.Slot{In: s.In, Name: s.Name})
			}
		}
	}
	if k, ok := r.keySlot(); ok {
		list = append(list, k)
	}
	return list
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
