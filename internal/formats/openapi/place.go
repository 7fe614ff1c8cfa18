package openapi

import (
	"slices"
	"strings"
)

// place gives each parameter of the path the name of its variable (Path Templating: the name must
// correspond to a template expression). A parameter without a variable cannot be sent: the request
// would go to another address.
func (d *detail) place(list []parameter) {
	names := d.template.Names()
	for i := range list {
		p := &list[i]
		if p.in != "path" || slices.Contains(names, p.name) {
			continue
		}
		if near := like(names, list, p.name); near != "" {
			d.Report(rulePathParam, p.node, "the parameter %q stands for the variable {%s}: they differ in capitals", p.name, near)
			p.name = near
		} else if d.dropped == nil {
			d.dropped = p
		}
	}
	for _, v := range names {
		name := strings.TrimRight(v, "+*")
		if name != v && !slices.ContainsFunc(list, func(p parameter) bool { return p.name == v }) {
			d.Report(ruleUnplacedInput, d.op.node, "the path has {%s}, which is no variable: {%s} is one", v, name)
		}
	}
	for part := range strings.SplitSeq(d.op.path, "/") {
		if name, colon := strings.CutPrefix(part, ":"); colon && isWord(name) {
			d.Report(ruleUnplacedInput, d.op.node, "the path has %q, which is no variable: {%s} is one", part, name)
		}
	}
}

// like returns the only variable that differs from a name in nothing but capitals, if no parameter
// of the path has the name of that variable.
func like(names []string, list []parameter, name string) (near string) {
	for _, v := range names {
		taken := slices.ContainsFunc(list, func(p parameter) bool { return p.in == "path" && p.name == v })
		if !strings.EqualFold(v, name) || taken {
			continue
		}
		if near != "" {
			return ""
		}
		near = v
	}
	return near
}

// isWord reports whether a text consists of ASCII letters, digits and "_", and begins with no digit.
func isWord(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if s[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}
