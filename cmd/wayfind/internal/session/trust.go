package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security/cards"
	"github.com/wayfindhq/wayfind/security/pins"
)

// KeysHelp describes the value of --keys.
const KeysHelp = "check the signatures of Agent Cards with the keys in `FILE`: a JWK Set, with the list \"origins\" in each key that is for some sites only"

// setKeys reads --keys.
func (n *Network) setKeys(o *client.Options) (err error) {
	o.Trust.FetchKeys = n.fetchKeys
	o.Trust.Keys, err = ReadKeys(n.keys)
	return err
}

// ReadKeys reads the key store in a file. It returns nil if name is empty.
func ReadKeys(name string) (*cards.Keys, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, ui.Usagef("--keys: %w", err)
	}
	keys, err := cards.ParseKeys(data)
	if err != nil {
		return nil, ui.Usagef("--keys %s: %w", name, err)
	}
	return keys, nil
}

// setPins reads --pins and --pin-policy.
func (n *Network) setPins(o *client.Options) (err error) {
	policies := map[string]client.PinPolicy{"refuse": client.PinRefuse, "strict": client.PinStrict, "safer": client.PinAllowSafer, "warn": client.PinWarn}
	policy, ok := policies[n.pinPolicy]
	switch {
	case !ok:
		return ui.Usagef("--pin-policy %q: write strict, refuse, safer or warn", n.pinPolicy)
	case n.Pins == "" && n.Digests:
		o.Trust.Pins = &pins.Set{}
		return nil
	case n.Pins == "":
		return nil
	}
	o.Trust.PinPolicy = policy
	o.Trust.Pins, err = PinsOf(n.Pins)
	return err
}

// PinsOf reads a file of pins that must exist: pins that are looked for in vain protect from nothing.
func PinsOf(file string) (*pins.Set, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, ui.Usagef("--pins: there is no file %s; \"wayfind pin\" writes one", file)
	}
	return PinsToBe(file)
}

// PinsToBe reads a file of pins that may not exist yet.
func PinsToBe(file string) (*pins.Set, error) {
	set, err := pins.Load(file)
	if err != nil {
		return nil, ui.Usagef("--pins: %w", err)
	}
	return set, nil
}

// IsPinError reports whether an error is about a definition that differs from its pin.
func IsPinError(err error) bool {
	_, ok := errors.AsType[*pins.Error](err)
	return ok
}

// Unsaved returns the error for a file of pins or approvals that could not be written. It suggests
// --upgrade for version 1.
func Unsaved(version int, err error) error {
	if version == 1 {
		err = fmt.Errorf("%w; say so with --upgrade", err)
	}
	return ui.Usage(err)
}

// ShortDigest returns the first 12 characters of a digest, enough to compare two by eye.
func ShortDigest(s string) string {
	if s == "" {
		return "-"
	}
	return s[:min(len(s), 12)]
}
