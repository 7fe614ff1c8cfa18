package urlref

import (
	"errors"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// ConfineVariables drops the values of variables that leave their part of the URL template: a
// variable in the host may have only characters of host names, and a variable in the path
// neither a slash nor a dot segment, plain or encoded. Otherwise a value would choose the host
// or the path of a call, and not only the part that the template leaves to it. The list is not
// changed; dropped contains the names of the variables that lost values. A variable in the
// port makes the template unusable, and is returned as the error.
func ConfineVariables(template string, list []wayfind.Variable) (kept []wayfind.Variable, dropped []string, err error) {
	if !strings.Contains(template, "{") {
		return list, nil, nil
	}
	places, err := variablePlaces(template)
	if err != nil {
		return list, nil, err
	}
	kept = slices.Clone(list)
	for i := range kept {
		v := &kept[i]
		leaves := func(value string) bool { return places[v.Name].leftBy(value) }
		if lost := slices.ContainsFunc(v.Enum, leaves); lost || leaves(v.Default) {
			dropped = append(dropped, v.Name)
			v.Enum = slices.DeleteFunc(slices.Clone(v.Enum), leaves)
			if leaves(v.Default) {
				v.Default = ""
			}
		}
	}
	return kept, dropped, nil
}

// ServerVariables is like [ConfineVariables] for a server, whose publisher writes the values too
// and could write the whole URL instead: a value may hold slashes, a port or a scheme. whole
// reports that one does, or that a variable is in the port, so that only the URL with the
// defaults can be judged. Dropped are values that no part of a URL has in plain, and those with
// dot segments.
func ServerVariables(template string, list []wayfind.Variable) (kept []wayfind.Variable, dropped []string, whole bool) {
	places, err := variablePlaces(template)
	kept, whole = slices.Clone(list), err != nil
	for i := range kept {
		v := &kept[i]
		leaves := func(value string) bool { return err != nil || places[v.Name].leftBy(value) }
		bad := func(value string) bool { return leaves(value) && !isPlain(value) }
		if bad(v.Default) || slices.ContainsFunc(v.Enum, bad) {
			dropped = append(dropped, v.Name)
			v.Enum = slices.DeleteFunc(slices.Clone(v.Enum), bad)
			if bad(v.Default) {
				v.Default = ""
			}
		}
		whole = whole || leaves(v.Default) || slices.ContainsFunc(v.Enum, leaves)
	}
	return kept, dropped, whole
}

// isPlain reports whether a value has only characters of hosts, ports and plain paths, after a
// scheme if it has one, and neither dot segments nor two slashes.
func isPlain(value string) bool {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		value = rest
	}
	for segment := range strings.SplitSeq(value, "/") {
		if segment != "" && strings.Trim(segment, ".") == "" {
			return false
		}
	}
	return !strings.Contains(value, "//") && strings.Trim(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz0123456789-._~:/") == ""
}

// variablePlace is the set of the parts of a URL that contain a variable.
type variablePlace struct{ host, path bool }

// leftBy reports whether a value leads out of a part of a URL.
func (p variablePlace) leftBy(value string) bool {
	if p.host && strings.ContainsAny(value, `/\?#@:[]% `) {
		return true
	}
	if !p.path || value == "" {
		return false
	}
	plain, err := url.PathUnescape(value)
	return err != nil || strings.ContainsAny(plain, `/\`) || strings.Trim(plain, ".") == ""
}

// variablePlaces finds the variables in the host and the path of a template. It skips the
// variables in the scheme, or in place of everything before the path: the URL that they result
// in is checked as a whole.
func variablePlaces(template string) (places map[string]variablePlace, err error) {
	template, _, _ = strings.Cut(template, "?")
	authority, path := "", template
	if scheme, rest, ok := strings.Cut(template, "://"); ok && !strings.Contains(scheme, "/") {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		authority, path = rest[:end], rest[end:]
	} else if strings.HasPrefix(template, "{") {
		_, rest, _ := strings.Cut(template, "}")
		path = rest
	}
	host, port, _ := strings.Cut(authority, ":")
	if strings.Contains(port, "{") {
		return nil, errors.New("a variable stands in its port")
	}
	places = map[string]variablePlace{}
	for name := range variablesIn(host) {
		places[name] = variablePlace{host: true}
	}
	for name := range variablesIn(path) {
		places[name] = variablePlace{host: places[name].host, path: true}
	}
	return places, nil
}

// variablesIn yields the names in braces.
func variablesIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(text, "{")
			name, after, closed := strings.Cut(rest, "}")
			if !ok || !closed || !yield(name) {
				return
			}
			text = after
		}
	}
}
