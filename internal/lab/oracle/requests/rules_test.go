package requests

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// conditions returns the conditions of the rules: a row may name a rule for a difference only
// if its condition is true.
func conditions() map[string]func(e *example, builder string, b *built, part string) bool {
	return map[string]func(e *example, builder string, b *built, part string) bool{
		"fragment": func(e *example, _ string, _ *built, part string) bool {
			return strings.Contains(e.path, "#") && (part == "url" || part == "query")
		},
		"base-url": func(e *example, builder string, _ *built, part string) bool {
			return part == "url" && builder != "swagger-client" && strings.HasPrefix(e.request.URL, "https://shop.example/")
		},
		"server-variable": func(_ *example, builder string, b *built, part string) bool {
			return part == "url" && builder == "openapi-client-axios" && strings.HasPrefix(b.URL, "https://{")
		},
		"slash": func(e *example, _ string, b *built, part string) bool {
			scheme, rest, _ := strings.Cut(b.URL, "://")
			return part == "url" && address(scheme+"://"+strings.Replace(rest, "//", "/", 1)).place == address(e.request.URL).place && strings.Contains(rest, "//")
		},
		"parsed-string": func(e *example, _ string, b *built, part string) bool {
			return part == "body" && !e.bare(b) && (e.alike(b, parsed) || b.Pairs != nil && slices.Equal(unquoted(e.texts(e.fields())), unquoted(e.texts(b.fields()))))
		},
		"empty-members": func(e *example, builder string, b *built, part string) bool {
			return part == "body" && builder == "oas-to-har" && !e.alike(b, parsed) && e.alike(b, func(v any) any { return parsed(filled(v)) })
		},
		"bare-string": func(e *example, _ string, b *built, part string) bool { return part == "body" && e.bare(b) },
		"header-value": func(e *example, builder string, b *built, part string) bool {
			_, name, ok := strings.Cut(part, "header ")
			return ok && builder == "oas-to-har" && e.request.Header.Get(name) == unescaped(b.Headers[strings.ToLower(name)])
		},
		"percent": func(e *example, builder string, b *built, part string) bool {
			return part == "query" && builder == "oas-to-har" && strings.Contains(e.request.URL, "%25")
		},
		"unexpanded": func(_ *example, builder string, b *built, part string) bool {
			return part == "url" && builder == "swagger-client" && strings.Contains(b.URL, "{")
		},
		"second-query": func(e *example, builder string, _ *built, part string) bool {
			return part == "query" && builder == "openapi-client-axios" && strings.Contains(e.path, "?")
		},
		"exploded-object": func(e *example, builder string, b *built, part string) bool {
			signs := func(url string) int { return strings.Count(strings.Join(valued(address(url).query), "&"), "=") }
			return part == "query" && builder == "oas-to-har" && signs(b.URL) == signs(e.request.URL)+1
		},
		"defaults": func(e *example, builder string, b *built, part string) bool {
			return part == "query" && builder == "swagger-client" && e.withDefaults(b)
		},
		"object-part": func(e *example, builder string, b *built, part string) bool {
			return part == "body" && builder == "oas-to-har" && b.Pairs != nil && e.missing(b)
		},
		"empty-value": func(e *example, _ string, b *built, part string) bool {
			ours, theirs := address(e.request.URL).query, address(b.URL).query
			switch kind, _, _ := mime.ParseMediaType(e.request.Header.Get("Content-Type")); {
			case part == "body" && kind == "text/plain":
				return len(e.request.Body) == 0 && b.empty()
			case part == "body" && kind == "application/x-www-form-urlencoded":
				ours, theirs = e.fields(), b.fields()
			case part != "query":
				return false
			}
			return slices.Equal(valued(ours), valued(theirs))
		},
		"nested-query": func(e *example, _ string, b *built, part string) bool {
			query, _ := e.values()["query"].(map[string]any)
			return part == "query" && slices.ContainsFunc(slices.Collect(maps.Values(query)), func(v any) bool {
				list, _ := v.([]any)
				return slices.ContainsFunc(list, func(one any) bool { _, nested := one.(map[string]any); return nested })
			})
		},
		"bytes": func(e *example, _ string, b *built, part string) bool {
			return part == "body" && b.Body != nil && *b.Body == base64.StdEncoding.EncodeToString(e.request.Body)
		},
		"file-part": func(_ *example, builder string, b *built, part string) bool {
			return part == "body" && builder == "swagger-client" && slices.ContainsFunc(b.Pairs, func(pair []any) bool { return pair[1] == "(file)" })
		},
		"joined-items": func(e *example, builder string, b *built, part string) bool {
			return part == "body" && builder == "swagger-client" && e.joined(b) && !lacks(b, valued(e.fields()))
		},
		"no-version": func(e *example, builder string, b *built, part string) bool {
			return part == "body" && builder == "swagger-client" && b.empty() && b.Headers["content-type"] == "" && e.tool.Capability.Extensions != nil
		},
	}
}

// texts returns the fields that are no files of our form.
func (e *example) texts(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(field string) bool {
		name, _, _ := strings.Cut(field, "=")
		return slices.Contains(e.fields(), name+"=(file)")
	})
}

// valued returns the fields that have a value.
func valued(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(field string) bool { return strings.HasSuffix(field, "=") })
}

// missing reports whether a member of the form is not in the built form.
func (e *example) missing(b *built) bool { return lacks(b, e.fields()) }

// lacks reports whether one of some fields is not in the built form.
func lacks(b *built, fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		name, _, _ := strings.Cut(field, "=")
		return !slices.ContainsFunc(b.Pairs, func(pair []any) bool { return pair[0] == name })
	})
}

// joined reports whether several fields of the form are one in the built form.
func (e *example) joined(b *built) bool {
	of := make(map[string]int)
	for _, field := range e.fields() {
		name, _, _ := strings.Cut(field, "=")
		of[name]++
	}
	for _, pair := range b.Pairs {
		name, _ := pair[0].(string)
		of[name]--
	}
	return len(b.Pairs) > 0 && slices.ContainsFunc(slices.Collect(maps.Values(of)), func(n int) bool { return n > 0 })
}

// empty reports whether there is no body.
func (b *built) empty() bool { return (b.Body == nil || *b.Body == "") && len(b.Pairs) == 0 }

// bare reports whether the body is the text of a string that wayfind writes in quotation marks.
func (e *example) bare(b *built) bool {
	var text string
	return b.Body != nil && json.Unmarshal(e.request.Body, &text) == nil && (text == *b.Body || `"`+text+`"` == *b.Body || text == `"`+*b.Body+`"`)
}

// alike reports whether both bodies are the same JSON after a change.
func (e *example) alike(b *built, change func(any) any) bool {
	var ours, theirs any
	if b.Body == nil || json.Unmarshal(e.request.Body, &ours) != nil || json.Unmarshal([]byte(*b.Body), &theirs) != nil {
		return false
	}
	return same(change(ours), change(theirs))
}

func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

// parsed parses each string that is JSON.
func parsed(v any) any {
	switch v := v.(type) {
	case string:
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			return inner
		}
	case []any:
		for i, one := range v {
			v[i] = parsed(one)
		}
	case map[string]any:
		for name, one := range v {
			v[name] = parsed(one)
		}
	}
	return v
}

// filled removes values without members, in arrays and in objects.
func filled(v any) any {
	switch v := v.(type) {
	case []any:
		var out []any
		for _, one := range v {
			if one = filled(one); one != nil && !hollow(one) {
				out = append(out, one)
			}
		}
		return out
	case map[string]any:
		out := make(map[string]any)
		for name, one := range v {
			if one = filled(one); one != nil && !hollow(one) {
				out[name] = one
			}
		}
		return out
	}
	return v
}

func hollow(v any) bool {
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	return isList && len(list) == 0 || isObject && len(object) == 0
}

// unquoted removes the quotation marks around the values of fields.
func unquoted(list []string) (out []string) {
	for _, field := range list {
		out = append(out, strings.ReplaceAll(field, `"`, ""))
	}
	return out
}

// withDefaults reports whether the builder has all of our query, and parameters with a default.
func (e *example) withDefaults(b *built) bool {
	ours, theirs := address(e.request.URL).query, address(b.URL).query
	if slices.ContainsFunc(ours, func(pair string) bool { return !slices.Contains(theirs, pair) }) {
		return false
	}
	for _, pair := range theirs {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains(ours, pair) {
			continue
		}
		if !slices.ContainsFunc(e.tool.Capability.Params, func(p wayfind.Param) bool { return p.Name == name && p.Default != nil }) {
			return false
		}
	}
	return true
}
