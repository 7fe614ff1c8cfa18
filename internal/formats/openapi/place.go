package openapi

import "strings"

// place gives each parameter of the path the name of its variable (Path Templating: the name must
// correspond to a template expression). A parameter without a variable cannot be sent: the request
// would go to another address. The result has all variables: whether a parameter describes them.
func (d *detail) place(list []parameter) (described map[string]bool) {
	names := d.template.Names()
	described = make(map[string]bool, len(names))
	for _, v := range names {
		described[v] = false
	}
	for i := range list {
		if _, known := described[list[i].name]; known && list[i].in == "path" {
			described[list[i].name] = true
		}
	}
	free := make(map[string][]string) // variables without a parameter, by their names without capitals
	for _, v := range names {
		if lower := strings.ToLower(v); !described[v] {
			free[lower] = append(free[lower], v)
		}
	}
	for i := range list {
		p := &list[i]
		if p.in != "path" || described[p.name] {
			continue
		}
		lower := strings.ToLower(p.name)
		if near := free[lower]; len(near) == 1 {
			d.Report(rulePathParam, p.node, "the parameter %q stands for the variable {%s}: they differ in capitals", p.name, near[0])
			p.name, described[near[0]] = near[0], true
			delete(free, lower)
		} else if d.dropped == nil {
			d.dropped = p
		}
	}
	for _, v := range names {
		name := strings.TrimRight(v, "+*")
		if name != v && !described[v] {
			d.Report(ruleUnplacedInput, d.op.node, "the path has {%s}, which is no variable: {%s} is one", v, name)
		}
	}
	for part := range strings.SplitSeq(d.op.path, "/") {
		if name, colon := strings.CutPrefix(part, ":"); colon && isWord(name) {
			d.Report(ruleUnplacedInput, d.op.node, "the path has %q, which is no variable: {%s} is one", part, name)
		}
	}
	return described
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
