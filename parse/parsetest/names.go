package parsetest

import (
	"bytes"
	"encoding/json"

	"github.com/wayfindhq/wayfind/parse"
)

// maxNames bounds the members of one document whose names are emptied.
const maxNames = 200

// unnamed returns a JSON document once for each member of its objects, with an
// empty name in the place of the member's own. Of more than maxNames members,
// maxNames are taken that lie evenly in it. There is none for a document that
// is not JSON.
func unnamed(body []byte) [][]byte {
	names := memberNames(body)
	if most := len(names); most > maxNames {
		few := make([][2]int, maxNames)
		for i := range few {
			few[i] = names[i*most/maxNames]
		}
		names = few
	}
	var list [][]byte
	for _, at := range names {
		list = append(list, bytes.Join([][]byte{body[:at[0]], body[at[1]:]}, []byte(`""`)))
	}
	return list
}

// memberNames are where the names of the members stand in a JSON document, each
// from its first quotation mark to behind its last.
func memberNames(body []byte) (names [][2]int) {
	if !json.Valid(body) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	var objects []bool // the objects and arrays around a token
	name := false      // a name comes next, or the end of an object
	for {
		token, err := d.Token()
		if err != nil {
			return names // the end of a document that is valid
		}
		end := int(d.InputOffset())
		switch token {
		case json.Delim('{'), json.Delim('['):
			objects = append(objects, token == json.Delim('{'))
			name = token == json.Delim('{')
			continue
		case json.Delim('}'), json.Delim(']'):
			objects = objects[:len(objects)-1]
		default:
			if name {
				names = append(names, [2]int{startOfString(body, end), end})
				name = false
				continue
			}
		}
		name = len(objects) > 0 && objects[len(objects)-1]
	}
}

// startOfString is where the JSON string begins that ends before end.
func startOfString(body []byte, end int) int {
	for at := end - 2; ; at-- {
		if body[at] != '"' {
			continue
		}
		slashes := 0
		for body[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// checkOnce checks the laws on a document with another body: one pass, without
// the laws that need several.
func checkOnce(f *parse.Format, doc Doc, body []byte) []string {
	c := &checker{format: f, doc: doc}
	c.doc.Body = body
	c.once()
	return c.problems
}
