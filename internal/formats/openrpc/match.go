package openrpc

import (
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match looks for the version. Other documents have a member of that name with a URL, which is
// not a version.
func match(in *parse.Input) parse.Claim {
	whole, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	root, enveloped := unwrap(whole)
	version, _ := root.Get("openrpc").Str()
	minor, known := minorOf(version)
	content := root.Get("methods").Exists() || root.Get("info").Exists()
	switch {
	case known && content && enveloped:
		return parse.Claim{Level: parse.Exact, Dialect: DialectDiscover}
	case known && content:
		return parse.Claim{Level: parse.Exact}
	case minor < 0 && version != "" && root.Get("methods").Kind() == parse.Array:
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// unwrap returns the document: the body, or the result if the body is a response of JSON-RPC
// 2.0 (§5) with a document.
func unwrap(whole parse.Node) (root parse.Node, enveloped bool) {
	if result := whole.Get("result"); isResponse(whole) && result.Kind() == parse.Object {
		return result, true
	}
	return whole, false
}

// isResponse reports whether a value is a message of JSON-RPC 2.0.
func isResponse(n parse.Node) bool {
	version, _ := n.Get("jsonrpc").Str()
	return version == "2.0"
}

// minorOf returns the second number of a version 1.x. For any other text, it returns -1 and
// known is false. The rest of a version ("1.0.0-rc1") is ignored (Versions).
func minorOf(version string) (minor int, known bool) {
	rest, ok := strings.CutPrefix(version, "1.")
	digits, _, _ := strings.Cut(rest, ".")
	minor, err := strconv.Atoi(digits)
	if !ok || err != nil || minor < 0 || len(digits) > 4 {
		return -1, false
	}
	return minor, true
}
