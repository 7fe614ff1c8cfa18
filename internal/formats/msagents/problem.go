package msagents

import (
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// problem recognises the body of an error, and describes it. Four kinds are in use:
//
//	{"type", "title", "status", "detail"}      problem details (RFC 9457; the design names its ancestor, RFC 7807)
//	{"error": {"message", "type", "code"}}     DevUI, after the API it is compatible with
//	{"detail": "…"}, {"detail": {"error": …}}  DevUI's web framework
//	{"error": "…"}
//
// Members of the wrong type are ignored (RFC 9457 §3.1). A list is not an error, even if it
// has other members next to it, and neither is an object with a name.
func problem(in *parse.Input, root parse.Node) (at parse.Node, words string, ok bool) {
	if root.Kind() != parse.Object || root.Get("agents").Exists() || root.Get("entities").Exists() {
		return parse.Node{}, "", false
	}
	if in.MediaType == "application/problem+json" {
		return root, describeProblem(root), true
	}
	if isNamed(root) || isString(root.Get("id")) {
		return parse.Node{}, "", false
	}
	status, counted := root.Get("status").Int()
	if counted && status >= 400 && status <= 599 && (isString(root.Get("title")) || isString(root.Get("type"))) {
		return root, describeProblem(root), true
	}
	detail := root.Get("detail")
	for _, n := range [...]parse.Node{root.Get("error"), detail.Get("error")} {
		if n.Kind() == parse.Object && (isString(n.Get("message")) || isString(n.Get("type"))) {
			return n, describeProblem(n), true
		}
	}
	if text, is := root.Get("error").Str(); is {
		return root.Get("error"), fmt.Sprintf("%.200q", text), true
	}
	if text, is := detail.Str(); is && root.Len() == 1 {
		return detail, fmt.Sprintf("detail %.200q", text), true
	}
	return parse.Node{}, "", false
}

// describeProblem reads the members that describe the error.
func describeProblem(obj parse.Node) string {
	var said []string
	if status, ok := obj.Get("status").Int(); ok {
		said = append(said, fmt.Sprintf("status %d", status))
	}
	for _, m := range [...]string{"title", "type", "code", "message", "detail", "instance"} {
		if text, ok := obj.Get(m).Str(); ok && text != "" {
			said = append(said, fmt.Sprintf("%s %.100q", m, text))
		}
	}
	if said == nil {
		return "it does not say which"
	}
	return strings.Join(said, ", ")
}

// broken makes the reading for an error that was served as a document.
func (r *reader) broken(at parse.Node, words string) *parse.Reading {
	r.Report(ruleProblem, at, "the answer is an error, sent as if it were a document: %s", words)
	return &parse.Reading{Unusable: "it is an error", Diagnostics: r.Diagnostics()}
}
