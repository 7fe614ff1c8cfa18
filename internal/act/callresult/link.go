package callresult

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// linked returns the arguments with which a link of the publisher leads to the same operation
// again. It returns nil if there is no such link, or if the answer has no value for an
// argument.
func (a *Answer) linked(root jsonscan.Node) []Argument {
	if len(a.Links) == 0 || a.Operation == "" {
		return nil
	}
	doc, err := jsonscan.Scan(a.Links)
	if err != nil || doc.Root().Kind() != jsonscan.Object {
		return nil
	}
	links := doc.Root()
	for i := range links.Len() {
		link := links.Child(i)
		if id, _ := link.Get("operationId").Str(); id != a.Operation {
			continue
		}
		if list := a.evaluated(link.Get("parameters"), root); list != nil {
			return list
		}
	}
	return nil
}

// evaluated returns the parameters of a link whose values come from the answer. Parameters
// that come from the request stay unchanged.
func (a *Answer) evaluated(parameters, root jsonscan.Node) (list []Argument) {
	for i := range parameters.Len() {
		p := parameters.Child(i)
		expression, _ := p.Str()
		rest, ok := strings.CutPrefix(expression, "$response.")
		if !ok {
			continue
		}
		name := p.Name()
		for _, in := range [...]string{"query.", "path.", "header.", "cookie."} {
			name = strings.TrimPrefix(name, in)
		}
		value := a.expressed(rest, root)
		if value == nil || len(value) > maxCursor {
			return nil
		}
		list = append(list, Argument{name, value})
	}
	return list
}

// expressed returns the value of the part of a runtime expression after "$response.", as JSON.
func (a *Answer) expressed(expression string, root jsonscan.Node) []byte {
	if name, ok := strings.CutPrefix(expression, "header."); ok {
		if v := a.Header.Get(name); v != "" {
			return jsonscan.AppendQuote(nil, v)
		}
		return nil
	}
	pointer, ok := strings.CutPrefix(expression, "body#")
	if !ok {
		return nil
	}
	switch v, found := walk(root, pointer); {
	case !found:
	case v.Kind() == jsonscan.Number:
		return v.Raw()
	case v.Kind() == jsonscan.String:
		if text, _ := v.Str(); text != "" {
			return v.Raw()
		}
	}
	return nil
}

// declared returns the given arguments, each in the type of its parameter. It returns nil if
// an argument is not a parameter of the query or the body.
func (n *Next) declared(params []wayfind.Param) (list []Argument) {
	for _, given := range n.Given {
		var param *wayfind.Param
		for i := range params {
			if p := &params[i]; p.Name == given.Name && (p.In == "query" || p.In == "body" || p.In == "") && !p.Whole {
				param = p
				break
			}
		}
		if param == nil {
			return nil
		}
		value := given.Value
		if doc, err := jsonscan.Scan(value); err == nil {
			text, isText := doc.Root().Str()
			switch number := param.Type == "integer" || param.Type == "number"; {
			case isText:
				value = valueOf(param, text)
			case !number && param.Type != "":
				value = jsonscan.AppendQuote(nil, string(value))
			}
		}
		list = append(list, Argument{given.Name, value})
	}
	return list
}
