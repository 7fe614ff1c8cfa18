package parsetest

import (
	"bytes"
	"encoding/json"

	"github.com/wayfindhq/wayfind/parse"
)

// maxNames is the maximum number of members of one document whose names are replaced.
const maxNames = 200

// unnamed returns copies of a JSON document. In each copy the name of one member is replaced
// with an empty name. If there are more than maxNames members, unnamed takes maxNames of them
// at regular distances. It returns nil for a document that is not JSON.
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

// memberNames returns the places of the member names in a JSON document, from the first
// quotation mark to the end of the last.
func memberNames(body []byte) (names [][2]int) {
	if !json.Valid(body) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	var objects []bool // the open objects and arrays
	name := false      // the next token is a name or the end of an object
	for {
		token, err := d.Token()
		if err != nil {
			return names // the end of a valid document
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

// startOfString returns the start of the JSON string that ends before end.
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

// checkOnce checks the laws on a document with another body in one pass. It omits the laws that
// need several passes.
func checkOnce(f *parse.Format, doc Doc, body []byte) []string {
	c := &checker{format: f, doc: doc}
	c.doc.Body = body
	c.once()
	return c.problems
}
