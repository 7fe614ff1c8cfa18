package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/schema"
)

// VendorCall is a call as the model of a vendor would write it.
type VendorCall struct {
	Vendor tools.Vendor `json:"vendor"`
	JSON   string       `json:"json,omitempty"`
	// Why is the reason why there is no JSON.
	Why string `json:"why,omitempty"`
}

// vendorCalls returns a call as the model of each vendor would write it, with the names that
// the model was shown.
func (i *Inspector) vendorCalls(name, arguments string) (list []VendorCall) {
	s := &i.tools
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range tools.Vendors() {
		c := VendorCall{Vendor: v}
		d, err := s.render(wanted{vendor: v})
		if err == nil {
			c.JSON, err = vendorCall(v, name, arguments, d.Projections[name])
		}
		if err != nil {
			c.Why = err.Error()
		}
		list = append(list, c)
	}
	return list
}

func vendorCall(v tools.Vendor, name, arguments string, p *schema.Projection) (string, error) {
	if p == nil {
		return "", errors.New("this vendor does not get the tool")
	}
	args, err := shownArguments(p, arguments)
	if err != nil {
		return "", err
	}
	whole, err := v.Call(name, args)
	if err != nil {
		return "", err
	}
	return jsonText(whole), nil
}

// shownArguments returns arguments with the names that the model was shown. It returns an error
// unless the projection converts them back into the given arguments.
func shownArguments(p *schema.Projection, arguments string) (json.RawMessage, error) {
	shown := make(map[string]string, len(p.Names))
	for name, own := range p.Names {
		shown[own] = name
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var b bytes.Buffer
	if err := rename(d, &b, shown); err != nil {
		return nil, err
	}
	back, err := p.Decode(b.Bytes())
	if err != nil {
		return nil, err
	}
	if !sameJSON(back, []byte(arguments)) {
		return nil, errors.New("this vendor's model cannot write these arguments")
	}
	return b.Bytes(), nil
}

// rename copies a value with other names of members.
func rename(d *json.Decoder, b *bytes.Buffer, shown map[string]string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	mark, isMark := token.(json.Delim)
	if !isMark {
		return writeJSON(b, token)
	}
	b.WriteString(mark.String())
	for n := 0; d.More(); n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		if mark == '{' {
			if token, err = d.Token(); err != nil {
				return err
			}
			name, _ := token.(string) // each name is a string
			if shown[name] != "" {
				name = shown[name]
			}
			if err := writeJSON(b, name); err != nil {
				return err
			}
			b.WriteByte(':')
		}
		if err := rename(d, b, shown); err != nil {
			return err
		}
	}
	if token, err = d.Token(); err != nil {
		return err
	}
	fmt.Fprint(b, token)
	return nil
}

// writeJSON writes a string, a number, a boolean or null.
func writeJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the end of the line
	return nil
}

// sameJSON reports whether two texts contain the same value. Numbers are compared as they are
// written.
func sameJSON(a, b []byte) bool {
	var values [2]any
	for n, raw := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&values[n]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
