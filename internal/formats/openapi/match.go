package openapi

import (
	"bytes"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match looks for the member that is required in every version. Other documents also have a
// member "openapi", which is a URL there.
func match(in *parse.Input) parse.Claim {
	named := false
	if in.BeginsYAML() {
		var likely bool
		if named, likely = mentions(in.Body); !named && !likely {
			return parse.Claim{}
		}
	}
	root, err := in.Tree()
	switch {
	case err == nil:
		return claimOf(root)
	case named:
		// Parse reports its fault if no other format claims it.
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// claimOf judges the top-level value.
func claimOf(root parse.Node) parse.Claim {
	dialect, written := dialectOf(root)
	content := root.Get("paths").Exists() || root.Get("info").Exists() || root.Get("webhooks").Exists() || root.Get("components").Exists()
	switch {
	case dialect != "" && content:
		return parse.Claim{Level: parse.Exact, Dialect: dialect}
	case root.Get("paths").Kind() == parse.Object && (written != "" || isPaths(root.Get("paths"))):
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// isPaths reports whether an object begins with a path that has a method, as in documents
// without their version.
func isPaths(paths parse.Node) bool {
	for path, item := range paths.Members() {
		for _, method := range [...]string{"get", "post", "put", "patch", "delete"} {
			if item.Get(method).Kind() == parse.Object {
				return path != "" && path[0] == '/'
			}
		}
		break
	}
	return false
}

// dialectOf returns the family of versions that a document declares, or "" if it is unknown,
// and the version as written.
func dialectOf(root parse.Node) (dialect, written string) {
	for _, member := range [...]string{"openapi", "swagger"} {
		n := root.Get(member)
		if n.Kind() != parse.String && n.Kind() != parse.Number {
			continue
		}
		if written, _ = n.Str(); n.Kind() == parse.Number {
			written = string(n.Raw())
		}
		break
	}
	major, rest, _ := strings.Cut(written, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch major + "." + minor {
	case "2.0", "2.":
		return Dialect20, written
	case "3.0", "3.":
		return Dialect30, written
	case "3.1":
		return Dialect31, written
	case "3.2":
		return Dialect32, written
	}
	if major == "3" && strings.Trim(minor, "0123456789") == "" {
		return Dialect32, written
	}
	return "", written
}

// mentions looks for keys of the outermost mapping at the start of lines. Only a text that begins with a
// key is read as YAML, and only if it names its version or has paths. A mapping in braces (YAML 1.2
// §7.4) is read if it has one of the names anywhere.
func mentions(body []byte) (version, paths bool) {
	indent := -1 // not known
	for line := range bytes.Lines(bytes.TrimPrefix(body, []byte("\ufeff"))) {
		text := bytes.TrimLeft(line, " ")
		if indent < 0 {
			switch {
			case len(bytes.TrimSpace(text)) == 0 || text[0] == '#' || text[0] == '%' || bytes.HasPrefix(line, []byte("---")):
				continue
			case text[0] == '{':
				return bytes.Contains(body, []byte("openapi")) || bytes.Contains(body, []byte("swagger")), bytes.Contains(body, []byte("paths"))
			case keyOf(text) == "":
				return false, false
			}
			indent = len(line) - len(text)
		}
		if len(line)-len(text) != indent {
			continue
		}
		switch key := keyOf(text); key {
		case "openapi", "swagger":
			return true, paths
		case "paths":
			paths = true
		}
	}
	return false, paths
}

// keyOf returns the key that a line of YAML begins with, or "" if there is none at its very
// start.
func keyOf(line []byte) string {
	if len(line) == 0 || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || line[0] == '-' {
		return ""
	}
	key, _, found := bytes.Cut(line, []byte(":"))
	if !found || len(key) > 64 || bytes.ContainsAny(key, " <>[]{}*`") {
		return ""
	}
	return strings.Trim(string(key), `'"`)
}
