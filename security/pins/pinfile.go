package pins

import (
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// pinFile is the file that a [Set] is kept in.
func pinFile() file[Pin] {
	return file[Pin]{op: "pins", schema: "wayfind-pins/1", member: "pins", check: checkPin}
}

// checkPin says why an entry is no pin.
func checkPin(p Pin, before []Pin) error {
	if p.Site == nil {
		return errors.New("it has no site")
	}
	if origin, err := security.CanonicalOrigin(p.Site.Origin); err != nil || origin != p.Site.Origin {
		return errors.New("its site has no origin such as https://example.com")
	}
	if _, c := p.Site.Capability(p.Key); p.Key != "" && c == nil && p.Site.Service(p.Key) == nil {
		return errors.New("its site does not have " + text.Printable(p.Key))
	}
	if slices.ContainsFunc(before, func(o Pin) bool { return o.order(p) == 0 }) {
		return errors.New("it is pinned a second time")
	}
	return nil
}

// Parse reads what [Set.Encode] wrote. The error is of kind
// wayfind.ErrInvalid with code wayfind.CodeStored, and names the line.
func Parse(data []byte) (*Set, error) {
	list, err := pinFile().parse("", data)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, Pin.order)
	return &Set{list: list}, nil
}

// Encode writes pins as JSON, one on each line, in order of origin and key.
func (p *Set) Encode() ([]byte, error) { return pinFile().encode(p.All()) }

// Load reads pins from a file; one that is not there has none. The error is
// that of Parse, with the file's name.
func Load(name string) (*Set, error) {
	list, err := pinFile().load(name)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, Pin.order)
	return &Set{list: list}, nil
}

// Save writes pins to a file that only its owner may read, whole or not at
// all. A file that is there and cannot be read is left as it is, and the error
// is that of Load: mend it, or move it away.
func (p *Set) Save(name string) error { return pinFile().save(name, p.All()) }
