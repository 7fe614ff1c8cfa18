package pins

import (
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// pinVersion is the version of files of pins: since 2, a pin with detail holds the
// described capability.
const pinVersion = 2

// pinFile is the file that a [Set] is kept in.
func pinFile() file[Pin] {
	return file[Pin]{op: "pins", schema: "wayfind-pins", version: pinVersion, member: "pins", check: checkPin, name: Pin.name, twice: "it is pinned a second time"}
}

// name tells pins apart.
func (p Pin) name() string { return p.Site.Origin + "\n" + p.Site.Base + "\n" + p.Key }

// checkPin says why an entry is no pin.
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

// newSet makes pins of the entries of a file. Those with a detail of version 1
// cover less, and stay so until they are pinned again.
func newSet(list []Pin, version int) *Set {
	for i := range list {
		if version < 2 && list[i].Detail != "" {
			list[i].Version = version
		}
	}
	slices.SortFunc(list, Pin.order)
	return &Set{list: list, version: version}
}

// Parse reads the output of [Set.Encode]. The error is of kind
// wayfind.ErrInvalid with code wayfind.CodeStored, and names the line.
func Parse(data []byte) (*Set, error) {
	list, version, err := pinFile().parse("", data)
	if err != nil {
		return nil, err
	}
	return newSet(list, version), nil
}

// Encode writes pins as JSON, one on each line, in order of origin and key.
func (p *Set) Encode() ([]byte, error) { return pinFile().encode(p.All()) }

// Load reads pins from a file; one that is not there has none. The error is
// that of Parse, with the file's name.
func Load(name string) (*Set, error) {
	list, version, err := pinFile().load(name)
	if err != nil {
		return nil, err
	}
	return newSet(list, version), nil
}

// Save writes pins to a file that only its owner may read, whole or not at
// all. A file that is there and cannot be read is left as it is, and the error
// is that of Load: mend it, or move it away. So is a file of an older version,
// unless the Set is that of Upgrade.
func (p *Set) Save(name string) error { return pinFile().save(name, p.All(), p != nil && p.rewrite) }

// Version is that of the file which the pins were read from; 0 for pins that were
// read from none.
func (p *Set) Version() int {
	if p == nil {
		return 0
	}
	return p.version
}

// Upgrade returns the same pins, which Save may write over a file of an older
// version. Older programs cannot read it any more, and no pin covers more than
// before until it is pinned again.
func (p *Set) Upgrade() *Set {
	own := &Set{rewrite: true}
	if p != nil {
		own.list, own.version = p.list, p.version
	}
	return own
}
