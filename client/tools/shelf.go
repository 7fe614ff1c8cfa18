package tools

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// shelf contains the schemas that the tools of a service share if a saved Box is opened, as in
// the Box that a Load made.
type shelf struct {
	definitions *schema.Definitions
	numbers     map[string]int             // by kind, name and text
	named       map[string]int             // of "$defs"
	runs        map[string][]schema.Member // parts of lists of properties
	size        int64                      // memory of everything that it contains, in bytes
}

func newShelf() *shelf {
	return &shelf{definitions: new(schema.Definitions), numbers: make(map[string]int), named: make(map[string]int), runs: make(map[string][]schema.Member)}
}

const (
	perSchema = 256 // the memory of a schema without the shared parts
	perRun    = 24  // the memory of each run of its properties
)

// input returns the schema of an object, of which some arguments must not be empty, and the number of
// steps that it took. The schema is
// nil if it cannot be shared: it has keywords that our definitions do not have, or it uses a
// name for another definition than an earlier tool.
func (x *shelf) input(raw json.RawMessage, filled []string) (s *schema.Schema, taken int64) {
	root, err := (&parse.Input{Body: raw}).JSONObject()
	if err != nil || !isPlainObject(root) || !x.agrees(root.Get("$defs")) {
		return nil, 0
	}
	for name, value := range root.Get("$defs").Members() {
		number, steps := x.number("$defs", name, value)
		x.named[name] = number
		x.definitions.Name(number, name)
		taken += steps
	}
	required := make(map[string]bool)
	for _, name := range root.Get("required").Items() {
		text, _ := name.Str()
		required[text] = true
	}
	var list []schema.Member
	var lists [][]schema.Member
	for name, value := range root.Get("properties").Members() {
		number, steps := x.number("properties", name, value)
		taken += steps
		list = append(list, schema.Member{Name: name, Number: number, Required: required[name], Filled: slices.Contains(filled, name)})
		if crc32.ChecksumIEEE([]byte(name))%manyProperties == 0 {
			lists, list = append(lists, x.run(list)), nil
		}
	}
	s, err = x.definitions.Object(append(lists, x.run(list))...)
	taken += s.Steps()
	if err != nil {
		return nil, taken
	}
	x.size += perSchema + perRun*int64(len(lists))
	return s, taken
}

// isPlainObject reports whether a schema is an object that has only properties. The names of
// the required properties must be in the order of the properties.
func isPlainObject(root parse.Node) bool {
	for name, value := range root.Members() {
		switch kind := value.Kind(); {
		case name == "type" && string(value.Raw()) == `"object"`, (name == "$defs" || name == "properties") && kind == parse.Object, name == "required" && kind == parse.Array:
		default:
			return false
		}
	}
	var ordered []string
	for _, name := range root.Get("required").Items() {
		text, _ := name.Str()
		ordered = append(ordered, text)
	}
	for name := range root.Get("properties").Members() {
		if len(ordered) > 0 && name == ordered[0] {
			ordered = ordered[1:]
		}
	}
	return root.Get("type").Exists() && len(ordered) == 0
}

// agrees reports whether no name of a definition is already used for another definition.
func (x *shelf) agrees(defs parse.Node) bool {
	for name, value := range defs.Members() {
		number, known := x.named[name]
		if same, held := x.numbers[keyOf("$defs", name, value)]; known && (!held || same != number) {
			return false
		}
	}
	return true
}

// number returns the number of a definition, which is read if it is new.
func (x *shelf) number(keyword, name string, value parse.Node) (number int, taken int64) {
	key := keyOf(keyword, name, value)
	number, known := x.numbers[key]
	if !known {
		number = len(x.numbers)
		x.numbers[key] = number
		taken = x.definitions.Add(keyword, strings.Clone(name), value.Copy(), nil)
		x.size += perInput * int64(len(key))
	}
	return number, taken
}

func keyOf(keyword, name string, value parse.Node) string {
	return keyword + "\x00" + name + "\x00" + string(value.Raw())
}

// run returns a part of a list of properties. Equal parts are stored once.
func (x *shelf) run(list []schema.Member) []schema.Member {
	var key strings.Builder
	for _, m := range list {
		fmt.Fprintf(&key, "%q %d %t %t,", m.Name, m.Number, m.Required, m.Filled)
	}
	known, held := x.runs[key.String()]
	if !held {
		known = slices.Clip(list)
		for i := range known {
			known[i].Name = strings.Clone(known[i].Name)
		}
		x.runs[key.String()] = known
		x.size += 2 * int64(key.Len())
	}
	return known
}
