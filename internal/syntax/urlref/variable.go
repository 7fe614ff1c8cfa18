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
