package tools

import (
	"bytes"
	"encoding/json"

	"github.com/wayfindhq/wayfind/security/schema"
)

// written is a definition, and the step by which it was shortened.
type written struct {
	raw     json.RawMessage
	p       *schema.Projection
	brevity schema.Brevity
}

// within writes a definition that fits: in full, or otherwise with as few omissions as
// possible. If even the shortest does not fit, ok is false, and w is the full definition.
func (t *Tool) within(v Vendor, strict bool, fits func(json.RawMessage) bool) (w written, ok bool, err error) {
	raw, p, err := t.render(v, strict)
	if w = (written{raw, p, t.brevity}); err != nil || fits(raw) {
		return w, err == nil, err
	}
	if !shrinks(raw) {
		return w, false, nil
	}
	steps := schema.Steps()
	if _, ok := t.step(v, strict, steps[len(steps)-1], fits); !ok {
		return w, false, nil
	}
	for _, b := range steps {
		if small, ok := t.step(v, strict, b, fits); ok {
			return small, true, nil
		}
	}
	return w, false, nil
}

// shrinks reports whether a definition contains anything that a step omits. Most definitions
// that do not fit contain nothing of this kind, and are not written again.
func shrinks(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"examples"`)) || bytes.Count(raw, []byte(`roperties":{`)) > 1 // including additionalProperties
}

// step writes a definition shortened by one step, if it then fits.
func (t *Tool) step(v Vendor, strict bool, b schema.Brevity, fits func(json.RawMessage) bool) (written, bool) {
	short := *t
	short.brevity = max(b, t.brevity)
	raw, p, err := short.render(v, strict)
	if err != nil || !fits(raw) {
		return written{}, false
	}
	return written{raw, p, short.brevity}, true
}
