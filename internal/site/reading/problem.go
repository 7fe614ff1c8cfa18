package reading

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// maxProblem bounds a text of a problem that a diagnostic repeats.
const maxProblem = 200

// demand keeps the site's description of its own demand for payment (402), which lists the accepted
// payments. It is cleaned, and not interpreted.
func (d *Contents) demand(w *fuel.Counter, status int) {
	if status != http.StatusPaymentRequired || d.verdict == wayfind.VerdictBlocked {
		return
	}
	defer d.price()
	root, err := d.input.JSONObject()
	if err != nil || root.Get("accepts").Kind() != parse.Array {
		return
	}
	d.reason = string(wayfind.CodePrice)
	for _, member := range []string{"accepts", "x402Version"} {
		parse.SetExtension(&d.demands, member, root.Get(member))
	}
	walker := walker{secrets: d.secrets, work: w}
	walker.walk(reflect.ValueOf(&d.demands).Elem(), "accepts", "")
	d.diags = append(d.diags, sourced(walker.diagnostics(), d.input.URL.String())...)
}

// price sets the error of a 402 that names a price. A price that is written for people is part of it.
func (d *Contents) price() {
	if d.reason != string(wayfind.CodePrice) {
		return
	}
	why := "the site answers 402 and names its price"
	if said, _ := text.Clean(d.input.Header.Get("Crawler-Price"), false, maxPrice); said != "" {
		why += ", " + strconv.Quote(said)
	}
	d.err = wayfind.NewError("match", d.input.URL.String(), wayfind.CodePrice, errors.New(why))
}

// maxPrice bounds a price that an error repeats.
const maxPrice = 40

// CodeProblem is the code of the diagnostic with a site's description of its own error.
const CodeProblem = "http.problem"

// problem reports a site's description of its own error (RFC 9457 §3.1). It is a claim of the site,
// so it is quoted and changes no verdict. Members of a wrong type are ignored, as §3.1 demands.
func problem(d *Contents, status int) []wayfind.Diagnostic {
	in := d.input
	if status < 400 || !strings.HasSuffix(in.MediaType, "json") {
		return nil
	}
	root, err := in.JSONObject()
	if err != nil {
		return nil
	}
	title, _ := root.Get("title").Str()
	detail, _ := root.Get("detail").Str()
	if in.MediaType != "application/problem+json" && title == "" {
		return nil
	}
	words := []string{fmt.Sprintf("the site answers %d", status)}
	for _, said := range []string{title, detail} {
		said, _ = text.Clean(said, false, 0)
		said, _ = d.secrets.redact("", said)
		if clean, _ := text.Clean(said, false, maxProblem); clean != "" {
			words = append(words, strconv.Quote(clean))
		}
	}
	diag := ruleProblem.Diagnostic(in.URL.String(), "%s", strings.Join(words, ", "))
	diag.Spec = &wayfind.SpecRef{Title: "RFC 9457", Section: ruleProblem.Section}
	return []wayfind.Diagnostic{diag}
}
