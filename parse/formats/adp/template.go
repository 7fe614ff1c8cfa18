package adp

import "strings"

// part is a piece of a URL with variables: a literal, or an expression of a
// URI template (RFC 6570 §2).
type part struct {
	text  string   // as written, braces included
	names []string // of the variables; none in a literal
	query bool     // the expression makes a query: {?a,b} or {&a,b}
	plain bool     // an expression of level 1: {name}
}

// split takes a template apart. It fails on braces that do not match, are
// nested or hold no name.
func split(text string) (parts []part, ok bool) {
	for text != "" {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			return append(parts, part{text: text}), true
		}
		length := strings.IndexAny(text[open+1:], "{}")
		if text[open] == '}' || length < 0 || text[open+1+length] == '{' {
			return nil, false
		}
		if open > 0 {
			parts = append(parts, part{text: text[:open]})
		}
		end := open + length + 2
		e, ok := expression(text[open:end])
		if !ok {
			return nil, false
		}
		parts, text = append(parts, e), text[end:]
	}
	return parts, true
}

// expression reads "{name}" and, beyond level 1, operators, lists and
// modifiers. "{name=things/*}" is read as the variable name.
func expression(text string) (part, bool) {
	p := part{text: text}
	inner := text[1 : len(text)-1]
	list := strings.TrimLeft(inner, "+#./;?&")
	if op := inner[:len(inner)-len(list)]; len(op) > 1 {
		return p, false
	} else if op == "?" || op == "&" {
		p.query = true
	}
	for item := range strings.SplitSeq(list, ",") {
		if i := strings.IndexAny(item, "=:*"); i >= 0 {
			item = item[:i]
		}
		if item == "" {
			return p, false
		}
		p.names = append(p.names, item)
	}
	p.plain = len(p.names) == 1 && p.names[0] == inner && !strings.ContainsFunc(inner, notVariable)
	return p, true
}

// notVariable reports characters that do not belong into the name of a
// variable (RFC 6570 §2.3).
func notVariable(c rune) bool {
	return c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// fill replaces all expressions, so that what is around them can be checked. A
// digit stands for a variable because it may stand in a port as well.
func fill(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.names == nil:
			b.WriteString(p.text)
		case !p.query:
			b.WriteByte('1')
		}
	}
	return b.String()
}

// names returns the variables of a template, each once, in order.
func names(parts []part) []string {
	var list []string
	seen := map[string]bool{}
	for _, p := range parts {
		for _, n := range p.names {
			if !seen[n] {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	return list
}

// braces rewrites the other notations of publishers for a variable to {name}:
// {{name}}, ${name} and <name>.
func braces(text string) string {
	if strings.Contains(text, "{{") {
		text = strings.NewReplacer("{{", "{", "}}", "}").Replace(text)
	}
	return strings.NewReplacer("${", "{", "<", "{", ">", "}").Replace(text)
}

// placeholders rewrites what stands for a variable in a base_url to {name}:
// besides the notations of braces, words like YOUR_DOMAIN, as labels of the
// host or as segments of the path.
func placeholders(text string) string {
	text = braces(text)
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, path, slash := strings.Cut(rest, "/")
	host = mapWords(host, ".", func(w string) bool { return isShouted(w) || isYours(w) })
	if slash {
		path = "/" + mapWords(path, "/", func(w string) bool { return isShouted(w) && strings.HasPrefix(w, "YOUR") })
	}
	return scheme + "://" + host + path
}

// mapWords puts braces around the words that are placeholders.
func mapWords(text, separator string, is func(string) bool) string {
	words := strings.Split(text, separator)
	for i, w := range words {
		if is(w) {
			words[i] = "{" + strings.ReplaceAll(w, "-", "_") + "}"
		}
	}
	return strings.Join(words, separator)
}

// isShouted reports words like YOUR_DOMAIN and TENANT_ID: capitals with an
// underscore, which no host name has.
func isShouted(word string) bool {
	return strings.Contains(word, "_") && strings.Trim(word, "_0123456789") != "" &&
		!strings.ContainsFunc(word, func(c rune) bool {
			return c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
		})
}

// isYours reports words like your-domain and yourcompany. The noun must be one
// that is filled in: your-move.example is a host like any other.
func isYours(word string) bool {
	noun, ok := strings.CutPrefix(strings.ToLower(word), "your")
	switch strings.TrimLeft(noun, "-_") {
	case "domain", "subdomain", "host", "hostname", "server", "site", "instance", "tenant", "region", "company",
		"org", "organization", "organisation", "account", "workspace", "project", "store", "shop", "app", "team",
		"environment", "env", "cluster", "service", "api":
		return ok
	}
	return false
}
