// Package effect derives what calls of a tool do, from everything that its documents and its protocol
// say: once, for all that depends on it. A second derivation would forget a fact that the first one
// counts, and a call that costs money would be announced as one that reads.
package effect

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/offer"
	"github.com/wayfindhq/wayfind/internal/syntax/facts"
)

// Effect is what calls of a tool do, whatever their arguments are.
type Effect struct {
	// Safe: the method alone guarantees that a call changes nothing (RFC 9110 §9.2.1).
	Safe bool `json:"safe,omitempty"`
	// Reads: the method or the protocol guarantees it, and the site does not deny it.
	Reads bool `json:"reads,omitempty"`
	// SaysReads: the site says that a call changes nothing. For a trusted server, that is enough.
	SaysReads bool `json:"saysReads,omitempty"`
	// Described: something is said about what a call does.
	Described bool `json:"described,omitempty"`
	// Repeatable: the method guarantees that a second call does no more than the first (RFC 9110 §9.2.2).
	Repeatable bool `json:"repeatable,omitempty"`
	// SaysRepeatable and SaysHarmless: the publisher says that calls can be repeated, and that they
	// destroy nothing.
	SaysRepeatable bool `json:"saysRepeatable,omitempty"`
	SaysHarmless   bool `json:"saysHarmless,omitempty"`
	// Cautions are in the order of [Cautions].
	Cautions []Caution `json:"cautions,omitempty"`
	// Prices are the prices in words, unless it is free.
	Prices []string `json:"prices,omitempty"`
}

// Caution is a reason to be careful, which no statement takes away.
type Caution string

// The cautions.
const (
	// Destroys: the publisher says that a call destroys something.
	Destroys Caution = "destroys"
	// Deletes: the method deletes, or an argument can be another method.
	Deletes Caution = "deletes"
	// MayDestroy: the format says so of a tool about which its publisher says nothing. It does not
	// count for a trusted server.
	MayDestroy Caution = "may_destroy"
	// Irreversible: it cannot be undone.
	Irreversible Caution = "irreversible"
	// Repeats: a second call does more than the first.
	Repeats Caution = "repeats"
	// Confirmation: the publisher wants a person to agree.
	Confirmation Caution = "confirmation"
	// Price: a call costs something.
	Price Caution = "price"
	// Sensitive: the publisher declares a sensitivity above standard.
	Sensitive Caution = "sensitive"
)

// Cautions returns all cautions.
func Cautions() []Caution {
	return []Caution{Destroys, Deletes, MayDestroy, Irreversible, Repeats, Confirmation, Price, Sensitive}
}

// Once reports whether a second call does more than the first because of a caution.
func (c Caution) Once() bool {
	return slices.Contains([]Caution{Destroys, Irreversible, Repeats, Confirmation, Price}, c)
}

// standard is the sensitivity that needs no caution.
const standard = "standard"

// Of returns the effect of a capability; nil is an agent, of which nothing is known.
func Of(c *wayfind.Capability) Effect {
	if c == nil {
		return Effect{}
	}
	var x Effect
	e := c.Effects
	if e == nil {
		x.Reads = c.Kind == wayfind.KindResource || c.Kind == wayfind.KindPrompt
		e = &wayfind.Effects{}
	}
	deletes := overridden(c)
	if v := c.Invocation; v != nil && v.Protocol == "http" {
		x.Safe = !deletes && IsSafe(v.Method)
		x.Repeatable = !deletes && (v.Method == http.MethodPut || v.Method == http.MethodDelete)
		deletes = deletes || v.Method == http.MethodDelete
	}
	back := facts.Reversible(e)
	x.Reads = (x.Reads || x.Safe && !denied(e.ReadOnly)) && !deletes
	x.SaysReads = said(e.ReadOnly) && (!deletes || stated(e, "readOnly", e.ReadOnly, true))
	x.Described = x.Safe || e.ReadOnly != nil || e.Idempotent != nil || back != nil
	x.SaysRepeatable = stated(e, "idempotent", e.Idempotent, true)
	x.SaysHarmless = stated(e, "destructive", e.Destructive, false)
	x.Prices = offer.Prices(c)
	harmless := stated(e, "readOnly", e.ReadOnly, true)
	destroys := facts.StatesDestroys(e)
	for _, row := range [...]struct {
		is      bool
		caution Caution
	}{
		{destroys, Destroys},
		{!destroys && deletes, Deletes},
		{!destroys && !deletes && said(e.Destructive), MayDestroy},
		{denied(back) && (!harmless || e.Reversible == nil), Irreversible},
		{stated(e, "idempotent", e.Idempotent, false) && !harmless, Repeats},
		{said(e.NeedsConfirmation), Confirmation},
		{x.Prices != nil, Price},
		{e.Sensitivity != "" && e.Sensitivity != standard, Sensitive},
	} {
		if row.is {
			x.Cautions = append(x.Cautions, row.caution)
		}
	}
	for i := range c.Alternatives {
		x = x.warned(Of(&c.Alternatives[i]))
	}
	return x
}

// warned returns the effect with the prices and the cautions of another reading of the same call. Of the
// rest, the reading of the highest rank decides.
func (x Effect) warned(other Effect) Effect {
	other.Cautions = slices.DeleteFunc(slices.Clone(other.Cautions), func(c Caution) bool { return c == MayDestroy }) // nothing is said there
	both := x.And(other)
	x.Prices, x.Cautions = both.Prices, both.Cautions
	return x
}

// And returns the effect of a tool that two documents describe: what only one of them says adds caution,
// and takes none away.
func (x Effect) And(other Effect) Effect {
	both := Effect{
		Safe: x.Safe && other.Safe, Reads: x.Reads && other.Reads, SaysReads: x.SaysReads && other.SaysReads,
		Described: x.Described || other.Described, Repeatable: x.Repeatable && other.Repeatable,
		SaysRepeatable: x.SaysRepeatable && other.SaysRepeatable, SaysHarmless: x.SaysHarmless && other.SaysHarmless,
		Prices: slices.Clone(x.Prices),
	}
	for _, p := range other.Prices {
		if !slices.Contains(both.Prices, p) {
			both.Prices = append(both.Prices, p)
		}
	}
	for _, c := range Cautions() {
		if x.Has(c) || other.Has(c) {
			both.Cautions = append(both.Cautions, c)
		}
	}
	return both
}

// Warnings returns the cautions of calls as a description states them. A price has no field there.
func (x *Effect) Warnings() wayfind.Effects {
	var e wayfind.Effects
	for _, row := range [...]struct {
		field **bool
		word  bool
		is    bool
	}{
		{&e.NeedsConfirmation, true, x.Has(Confirmation)}, {&e.Destructive, true, x.Has(Destroys) || x.Has(Deletes)},
		{&e.Reversible, false, x.Has(Irreversible)}, {&e.Idempotent, false, x.Has(Repeats)},
	} {
		if row.is {
			*row.field = new(row.word)
		}
	}
	return e
}

// Has reports whether there is a caution.
func (x *Effect) Has(c Caution) bool { return slices.Contains(x.Cautions, c) }

// Price returns the price in words, or "" if a call is free or no price is stated.
func (x *Effect) Price() string { return offer.Dearest(x.Prices) }

// Once reports whether a second call does more than the first.
func (x *Effect) Once() bool { return slices.ContainsFunc(x.Cautions, Caution.Once) }

// OnlyReads reports whether calls change nothing. trusted means that the word of the site counts.
func (x *Effect) OnlyReads(trusted bool) bool {
	return !x.Once() && (x.Reads || trusted && x.SaysReads)
}

// Destructive reports whether calls may destroy something, for a hint: all that change something may,
// unless a trusted server says that they do not.
func (x *Effect) Destructive(trusted bool) bool {
	return !x.OnlyReads(trusted) && !(trusted && x.SaysHarmless && !x.Once())
}

// Idempotent reports whether a second call does no more than the first, for a hint.
func (x *Effect) Idempotent(trusted bool) bool {
	return x.OnlyReads(trusted) && !x.Has(Repeats) || !x.Once() && x.Repeatable || trusted && x.SaysRepeatable && !x.Has(Price) && !x.Has(Repeats)
}

// Carried is a tool, which carries its Effect for packages of this module.
type Carried interface{ Door() any }

// In returns the effect that a tool carries.
func In(t Carried) Effect {
	if x, ok := t.Door().(*Effect); ok {
		return *x
	}
	return Effect{}
}

// IsSafe reports whether a method only reads by definition (RFC 9110 §9.2.1).
func IsSafe(method string) bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, "QUERY"}, method)
}

func said(word *bool) bool   { return word != nil && *word }
func denied(word *bool) bool { return word != nil && !*word }

// stated reports whether the publisher gives a field of effects this value. A default of the
// method or of the format is not a statement of the publisher.
func stated(e *wayfind.Effects, name string, word *bool, value bool) bool {
	return word != nil && *word == value && !slices.Contains(e.Defaulted, name)
}

// overrides are names of arguments by which frameworks take another method than that of the request. No
// call sends such header fields.
var overrides = [...]string{"_method", "_http_method", "_httpmethod", "x-http-method-override", "x-http-method", "x-method-override", "http_method_override", "$httpmethod"}

func isOverride(name string) bool {
	return slices.ContainsFunc(overrides[:], func(own string) bool { return strings.EqualFold(own, name) })
}

// overridden reports whether an argument of a call, or the fixed part of its query, can be another method.
func overridden(c *wayfind.Capability) bool {
	for i := range c.Params {
		if p := &c.Params[i]; p.In != "header" && p.In != "path" && p.In != "cookie" && (isOverride(p.Name) || mentions(p.Schema)) {
			return true
		}
	}
	if v := c.Invocation; v != nil {
		_, query, _ := strings.Cut(v.URL+v.Template, "?")
		for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return strings.ContainsRune("?&={},*", r) }) {
			if plain, err := url.QueryUnescape(part); isOverride(part) || err == nil && isOverride(plain) {
				return true
			}
		}
	}
	return mentions(c.Input)
}

// mentions reports whether a schema has a member of such a name.
func mentions(schema []byte) bool {
	if !bytes.ContainsAny(schema, "_$") && !bytes.Contains(bytes.ToLower(schema), []byte("x-")) {
		return false
	}
	small := bytes.ToLower(schema)
	return slices.ContainsFunc(overrides[:], func(name string) bool { return bytes.Contains(small, []byte(`"`+name+`"`)) })
}
