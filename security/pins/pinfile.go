package pins

import (
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// pinVersion is the version of files of pins. Since version 2 a pin with a detail contains the
// described capability.
const pinVersion = 2

// pinFile describes the file in which a [Set] is stored.
func pinFile() file[Pin] {
	return file[Pin]{op: "pins", schema: "wayfind-pins", version: pinVersion, member: "pins", check: checkPin, name: Pin.name, twice: "it is pinned a second time"}
}

// name identifies a pin.
func (p Pin) name() string { return p.Site.Origin + "\n" + p.Site.Base + "\n" + p.Key }

// checkPin returns the reason why an entry is not a valid pin, or nil if it is one.
func checkPin(p Pin, version int) error {
	if p.Site == nil {
		return errors.New("it has no site")
	}
	if origin, err := security.ReadOrigin(p.Site.Origin); err != nil || origin != p.Site.Origin {
		return errors.New("its site has no origin such as https://example.com")
	}
	if _, c := p.Site.Capability(p.Key); p.Key != "" && c == nil && p.Site.Service(p.Key) == nil {
		return errors.New("its site does not have " + text.Printable(p.Key))
	}
	if version < 2 && (p.Described != nil || p.Version != 0) {
		return errors.New("it has members that version 1 does not have")
	}
	return nil
}

// newSet makes a Set from the entries of a file. Pins of version 1 with a detail cover less,
// until they are pinned again.
func newSet(list []Pin, version int) *Set {
	for i := range list {
		if version < 2 && list[i].Detail != "" {
			list[i].Version = version
		}
	}
	slices.SortFunc(list, Pin.order)
	return &Set{list: list, version: version}
}

// Parse reads the output of [Set.Encode]. The error is of kind wayfind.ErrInvalid with code
// wayfind.CodeStored, and contains the line.
func Parse(data []byte) (*Set, error) {
	list, version, err := pinFile().parse("", data)
	if err != nil {
		return nil, err
	}
	return newSet(list, version), nil
}

// Encode encodes pins as JSON, one per line, in order of origin and key.
func (p *Set) Encode() ([]byte, error) { return pinFile().encode(p.All()) }

// Load reads pins from a file. If the file does not exist, there are none. The error is the
// error of Parse, with the name of the file.
func Load(name string) (*Set, error) {
	list, version, err := pinFile().load(name)
	if err != nil {
		return nil, err
	}
	return newSet(list, version), nil
}

// Save writes pins to a file that only its owner may read. It writes the whole file or nothing.
// If an existing file cannot be read, it is not changed, and the error is the error of Load:
// repair the file, or move it away. A file of an older version is not changed either, unless
// the Set was returned by Upgrade.
func (p *Set) Save(name string) error { return pinFile().save(name, p.All(), p != nil && p.rewrite) }

// Version returns the version of the file from which the pins were read, or 0 if they were not
// read from a file.
func (p *Set) Version() int {
	if p == nil {
		return 0
	}
	return p.version
}

// Upgrade returns the same pins in a Set that Save may write over a file of an older version.
// Older programs cannot read the new file, and no pin covers more than before until it is
// pinned again.
func (p *Set) Upgrade() *Set {
	own := &Set{rewrite: true}
	if p != nil {
		own.list, own.version = p.list, p.version
	}
	return own
}
