// Package authkind holds the table of the kinds of authentication. One row has the
// words that documents use for a kind, the members that a scheme of it has, the place
// of its credential, the grants that fit it, and the words for a person. The formats
// read documents by it, package call compares grants with it, and the command and its
// page take their words from it.
//
// The words of the model ([wayfind.SchemeKind]) are in the root package, and their set
// is open. A kind that is not in the table counts as [wayfind.SchemeCustom].
package authkind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Kind is a row: one way to authenticate.
type Kind struct {
	Kind wayfind.SchemeKind
	// HTTP is the HTTP authentication scheme; "" for a kind that has none, and for
	// all other schemes of HTTP.
	HTTP string
	// Words that documents use for it.
	Words []Word
	// Members are the members of a Scheme that only a document can give.
	Members Members
	// Grants that fit it. The first is made of a value that a person gives.
	Grants []Grant
	// In and Field are the place of its credential, if the kind decides it: "header"
	// with the name of the field, or "tls".
	In, Field string
	// text is what a person reads, and more the rest of it, which depends on the scheme.
	text string
	more func(s wayfind.Scheme, show func(string) string) string
}

// Word is a word for a kind, with the vocabularies that have it.
type Word struct {
	Text string
	In   Vocabulary
}

// Vocabulary is a set of words that documents use in one place. A sum is several of them.
type Vocabulary uint32

// The vocabularies. A folded word is compared as [Fold] returns it, any other as it is.
const (
	HTTPAuth      Vocabulary = 1 << iota // names of HTTP authentication schemes, folded (RFC 9110 §11.1)
	OpenAPI                              // types
	A2A                                  // types of 0.2 and 0.3
	A2AMember                            // the member that holds a scheme of 1.0
	A2AName                              // names of 0.1, and what publishers write for a type, folded
	ADP                                  // types
	AgentsMD                             // the words of the specification
	AgentsMDOther                        // what publishers write for them, folded
	AIDiscovery                          // types, folded
	AIPlugin                             // types
	AIPluginOther                        // what publishers write for them
	AWP                                  // types
	MCP                                  // what publishers write, since no specification has words, folded
)

// Members are members of a Scheme that belong to a kind.
type Members uint8

// The members of schemes.
const (
	PlaceOfKey  Members = 1 << iota // In, Name and Prefix
	NameOfHTTP                      // HTTPScheme
	OAuthFlows                      // Flows
	MetadataURL                     // MetadataURL (OpenID Connect Discovery 1.0 §4)
)

// Grant is a kind of credential that a caller has.
type Grant string

// The grants.
const (
	Key         Grant = "key"
	Basic       Grant = "basic"
	Bearer      Grant = "bearer"
	OAuth       Grant = "oauth"
	Certificate Grant = "certificate"
)

// Table lists kinds. If several are a scheme's, the first counts.
type Table []Kind

// Kinds returns the table.
func Kinds() Table { return slices.Clone(kinds[:]) }

// Of returns the kind of a scheme.
func Of(s wayfind.Scheme) Kind { return Table(kinds[:]).Of(s) }

// Read returns the kind that a word of a vocabulary means.
func Read(v Vocabulary, word string) (k Kind, known bool) { return Table(kinds[:]).Read(v, word) }

// Of returns the kind of a scheme.
func (t Table) Of(s wayfind.Scheme) Kind {
	for _, k := range t {
		if k.Kind == s.Kind && (k.HTTP == "" || strings.EqualFold(k.HTTP, s.HTTPScheme)) {
			return k
		}
	}
	return unknown()
}

// Read returns the kind that a word of a vocabulary means. A word that is not known means
// [wayfind.SchemeCustom].
func (t Table) Read(v Vocabulary, word string) (k Kind, known bool) {
	for _, k := range t {
		if slices.ContainsFunc(k.Words, func(w Word) bool { return w.In&v != 0 && w.Text == word }) {
			return k, true
		}
	}
	return unknown(), false
}

// Fold returns a word in lower case and without some signs, to compare it whatever its
// spelling.
func Fold(word, signs string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if strings.ContainsRune(signs, c) {
			return -1
		}
		return c
	}, word))
}

// Scheme returns a scheme of the kind.
func (k Kind) Scheme() wayfind.Scheme { return wayfind.Scheme{Kind: k.Kind, HTTPScheme: k.HTTP} }

// Name returns a name for a scheme of the kind, for documents that give it none.
func (k Kind) Name() string { return cmp.Or(k.HTTP, string(k.Kind)) }

// Word returns the first word for the kind in a vocabulary; "" if it has none.
func (k Kind) Word(v Vocabulary) string {
	for _, w := range k.Words {
		if w.In&v != 0 {
			return w.Text
		}
	}
	return ""
}

// Issued reports whether an authorization server issues the credential.
func (k Kind) Issued() bool { return k.Members&(OAuthFlows|MetadataURL) != 0 }

// Takes reports whether a grant fits the kind.
func (k Kind) Takes(g Grant) bool { return slices.Contains(k.Grants, g) }

// Made returns the grant that the value of a person becomes. For a kind that no grant
// fits it is a bearer token, and the call says that it does not fit.
func (k Kind) Made() Grant { return append(slices.Clone(k.Grants), Bearer)[0] }

// Place returns the place of the credential of a scheme.
func (k Kind) Place(s wayfind.Scheme) (in, field string) {
	if k.Members == PlaceOfKey {
		return s.In, s.Name
	}
	return k.In, k.Field
}

// Text says for a person how a scheme of the kind authenticates. The texts of the
// document go through show.
func (k Kind) Text(s wayfind.Scheme, show func(string) string) string {
	if k.more == nil {
		return k.text
	}
	return k.text + k.more(s, show)
}
