package diff

import (
	"reflect"
	"strings"
)

// part defines how a field of the model is compared.
type part struct {
	// class is the class of a change. If it is empty, the field is part of the contract.
	class Class
	// own is true if a separate rule compares the field and knows which differences to ignore.
	own bool
	// leftOut is the reason why the field is not compared, or empty if it is.
	leftOut string
}

const (
	whyNeighbours = "it comes and goes with other documents, and with other things of the document"
	whyMade       = "it is made of texts that are compared"
	whyDefault    = "it does not count whether a default was said or implied"
	whySources    = "documents are compared one by one, and pins hold the place of a definition"
	whyWords      = "they are words to search by, and no call depends on them; a digest covers them"
	whyDigest     = "it repeats every other change; pins compare it"
)

// serviceParts returns the fields of a service by their Go names. A field that is not listed is
// compared by its meaning, as a part of the contract.
func serviceParts() map[string]part {
	own, text := part{own: true}, part{class: ClassText}
	return map[string]part{
		"ID":           {leftOut: whyNeighbours},
		"Aliases":      {leftOut: whyNeighbours},
		"Name":         own,
		"Description":  text,
		"Version":      {class: ClassIdentity},
		"Provider":     {class: ClassIdentity},
		"Categories":   {leftOut: whyWords},
		"Tags":         {leftOut: whyWords},
		"Languages":    text,
		"DocsURL":      text,
		"StatusURL":    text,
		"IconURL":      text,
		"Contact":      text,
		"Pricing":      {class: ClassTerms},
		"Status":       own,
		"Updated":      {leftOut: "it is the date of the document, which every edition changes"},
		"Features":     {class: ClassContract},
		"Lazy":         {leftOut: "DetailURLs say whether there is more"},
		"DetailURLs":   {class: ClassEndpoint},
		"Interfaces":   own,
		"Capabilities": own,
		"Auth":         own,
		"Limits":       own,
		"TokenHints":   {class: ClassContract},
		"Unlinked":     {leftOut: whyMade},
		"Hints":        text,
		"Recovery":     text,
		"LocalInstall": own,
		"Restrictions": {class: ClassTerms},
		"Suspicious":   {leftOut: whyMade},
		"Extensions":   {class: ClassContract},
		"Sources":      {leftOut: whySources},
		"Digest":       {leftOut: whyDigest},
		"Defaulted":    {leftOut: whyDefault},
	}
}

// capabilityParts is like serviceParts for capabilities.
func capabilityParts() map[string]part {
	own, text := part{own: true}, part{class: ClassText}
	return map[string]part{
		"Key":              own,
		"Aliases":          {leftOut: whyNeighbours},
		"ID":               {leftOut: "the key is made of it, and the operation of the invocation"},
		"Name":             text,
		"Title":            text,
		"Description":      text,
		"Tags":             {leftOut: whyWords},
		"Kind":             {class: ClassIdentity},
		"Invocation":       own,
		"Params":           own,
		"Input":            own,
		"Output":           own,
		"InputModes":       {class: ClassContract},
		"OutputModes":      {class: ClassContract},
		"Examples":         text,
		"Effects":          own,
		"Auth":             own,
		"Limits":           own,
		"Price":            {class: ClassTerms},
		"Offers":           {class: ClassTerms},
		"DependsOn":        own,
		"Lazy":             {leftOut: "DetailURLs say whether there is more"},
		"DetailURLs":       {class: ClassEndpoint},
		"Artifact":         {class: ClassContract},
		"Deprecated":       own,
		"Claimed":          {leftOut: "it says how the definition was seen, and is no part of it"},
		"Trust":            {class: ClassTrust},
		"RobotsDisallowed": {leftOut: "it is a wish of robots.txt, not of the definition"},
		"Suspicious":       {leftOut: whyMade},
		"Related":          {leftOut: whyNeighbours},
		"Alternatives":     own,
		"Sources":          {leftOut: whySources},
		"Digest":           {leftOut: whyDigest},
		"Defaulted":        {leftOut: whyDefault},
		"Extensions":       {class: ClassContract},
	}
}

// plain compares the fields of two structs that have no separate rule.
func (c *comparison) plain(parts map[string]part, old, now any) {
	a, b := reflect.ValueOf(old).Elem(), reflect.ValueOf(now).Elem()
	for i := range a.NumField() {
		field := a.Type().Field(i)
		p := parts[field.Name]
		if p.own || p.leftOut != "" {
			continue
		}
		if p.class == "" {
			p.class = ClassContract
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		c.value(p.class, name, a.Field(i).Interface(), b.Field(i).Interface())
	}
}
