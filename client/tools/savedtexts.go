package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// savedText is JSON of definitions. Other texts may be embedded in it: it consists of Parts[0],
// the text with the number Holes[0], Parts[1] and so on. Only texts before it in the list may
// be embedded in it.
type savedText struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Parts []string        `json:"parts,omitempty"`
	Holes []int           `json:"holes,omitempty"`
}

const (
	// leastHole is the minimum length of a schema that is written only once, in bytes.
	leastHole = 64
	// manyProperties is the number of properties from which they are written in runs of about
	// that length.
	manyProperties = 16
	// maxSavedText is the maximum length of a text with all embedded texts, in bytes.
	maxSavedText = 16 << 20
)

// savedTexts writes each text once, and each schema below "$defs" or "properties" that occurs
// in several texts.
type savedTexts struct {
	list   []savedText
	places map[string]int
}

// put returns the number of a text.
func (x *savedTexts) put(raw json.RawMessage) int {
	if place, known := x.places[string(raw)]; known {
		return place
	}
	made, from := savedText{}, 0
	root, _ := (&parse.Input{Body: raw}).JSON() // if it fails, nothing is embedded
	schemas(root, func(first, last parse.Node) {
		start, end := first.Offset(), last.Offset()+len(last.Raw())
		if end-start < leastHole {
			return
		}
		hole := savedText{Parts: []string{string(raw[start:end])}}
		if first == last {
			made.Holes = append(made.Holes, x.put(raw[start:end]))
		} else {
			made.Holes = append(made.Holes, x.add(hole.Parts[0], hole))
		}
		made.Parts = append(made.Parts, string(raw[from:start]))
		from = end
	})
	if made.Holes == nil {
		made.JSON = raw
	} else {
		made.Parts = append(made.Parts, string(raw[from:]))
	}
	return x.add(string(raw), made)
}

// add returns the number of a text that is complete, or a part of others.
func (x *savedTexts) add(whole string, made savedText) int {
	if _, known := x.places[whole]; !known {
		x.list = append(x.list, made)
		x.places[whole] = len(x.list) - 1
	}
	return x.places[whole]
}

// schemas calls found for the schemas below "$defs" and "properties", in their order, but not
// for schemas inside these. If there are many properties, found gets the first and the last of
// several. The content of the properties determines the boundaries, so lists that differ in
// some properties share the others.
func schemas(n parse.Node, found func(first, last parse.Node)) {
	for name, member := range n.Members() {
		if name != "$defs" && name != "properties" {
			schemas(member, found)
			continue
		}
		var first, last parse.Node
		for _, last = range member.Members() {
			if !first.Exists() {
				first = last
			}
			if name == "$defs" || member.Len() <= manyProperties || crc32.ChecksumIEEE(last.Raw())%manyProperties == 0 {
				found(first, last)
				first = parse.Node{}
			}
		}
		if first.Exists() {
			found(first, last)
		}
	}
	for _, item := range n.Items() {
		schemas(item, found)
	}
}

// check refuses texts that contain each other, or that are too long.
func (x *savedTexts) check() error {
	sizes := make([]int, len(x.list))
	for i, text := range x.list {
		sizes[i] = len(text.JSON)
		if text.Holes != nil && len(text.Parts) != len(text.Holes)+1 {
			return errors.New("a text of it has other parts than holes")
		}
		for _, part := range text.Parts {
			sizes[i] += len(part)
		}
		for _, hole := range text.Holes {
			if hole < 0 || hole >= i {
				return errors.New("a text of it refers to one that is not before it")
			}
			sizes[i] += sizes[hole]
		}
		if sizes[i] > maxSavedText {
			return fmt.Errorf("a text of it has more than %d bytes", maxSavedText)
		}
	}
	return nil
}

// appendTo appends a text with all embedded texts.
func (x *savedTexts) appendTo(out []byte, i int) []byte {
	text := &x.list[i]
	out = append(out, text.JSON...)
	for n, part := range text.Parts {
		out = append(out, part...)
		if n < len(text.Holes) {
			out = x.appendTo(out, text.Holes[n])
		}
	}
	return out
}

// text returns a text by its number.
func (x *savedTexts) text(i int) (json.RawMessage, error) {
	if i < 0 || i >= len(x.list) {
		return nil, errors.New("there is no such text")
	}
	return x.appendTo(nil, i), nil
}

// pack returns a definition with the numbers of its texts, and the numbers of its parameters.
func (x *savedTexts) pack(c *wayfind.Capability) (packed *wayfind.Capability, params []int) {
	packed, _ = withTexts(c, func(raw json.RawMessage) (json.RawMessage, error) {
		return strconv.AppendInt(nil, int64(x.put(raw)), 10), nil
	})
	packed.Params = nil
	for i := range c.Params {
		params = append(params, x.put(encode(&c.Params[i])))
	}
	return packed, params
}

// unpack returns a definition with its texts and its parameters.
func (x *savedTexts) unpack(packed *wayfind.Capability, params []int) (*wayfind.Capability, error) {
	c, err := withTexts(packed, func(raw json.RawMessage) (json.RawMessage, error) {
		i, err := strconv.Atoi(string(raw))
		if err != nil {
			return nil, err
		}
		return x.text(i)
	})
	if err != nil {
		return nil, err
	}
	if len(params) > 0 {
		c.Params = make([]wayfind.Param, len(params))
	}
	for i, number := range params {
		raw, err := x.text(number)
		if err == nil {
			err = json.Unmarshal(raw, &c.Params[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// brief returns a definition without texts, and without the parameters in a body that is not
// one argument.
func brief(c *wayfind.Capability) *wayfind.Capability {
	own := *c
	own.Input, own.Output, own.Examples, own.Extensions, own.Params = nil, nil, nil, nil, nil
	for _, p := range c.Params {
		if p.In != "body" || p.Whole {
			p.Schema = nil
			own.Params = append(own.Params, p)
		}
	}
	return &own
}

// withTexts returns a copy of a definition with other schemas, examples and Extensions.
func withTexts(c *wayfind.Capability, other func(json.RawMessage) (json.RawMessage, error)) (*wayfind.Capability, error) {
	own := *c
	own.Examples, own.Extensions = slices.Clone(c.Examples), maps.Clone(c.Extensions)
	var errs error
	change := func(raw *json.RawMessage) {
		if len(*raw) > 0 {
			changed, err := other(*raw)
			*raw, errs = changed, errors.Join(errs, err)
		}
	}
	change(&own.Input)
	change(&own.Output)
	for i := range own.Examples {
		change(&own.Examples[i].Request)
		change(&own.Examples[i].Response)
	}
	for _, name := range slices.Sorted(maps.Keys(own.Extensions)) {
		raw := own.Extensions[name]
		change(&raw)
		own.Extensions[name] = raw
	}
	return &own, errs
}
