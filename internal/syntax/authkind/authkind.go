// Package authkind contains the table of the kinds of authentication. A row contains the words
// for a kind in documents, the members of a scheme of the kind, the place of its credential,
// the grants that fit, and a text for people. The formats, package call, the command and its
// page use it.
//
// The kinds of the model ([wayfind.SchemeKind]) are an open set. A kind that is not in the
// table is read as [wayfind.SchemeCustom].
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
	// HTTP is the HTTP authentication scheme of the kind. It is "" in the row for all
	// HTTP schemes that have no row, and for kinds that are not HTTP.
	HTTP string
	// Words are the words for the kind in documents.
	Words []Word
	// Members are the members of a scheme of the kind. Only the document can give their values.
	Members Members
	// Grants are the grants that fit. A value that a person enters becomes the first of them.
	Grants []Grant
	// In ("header", "tls") and Field are the place of the credential if the document does not
	// give it.
	In, Field string
	// text is for people. more returns the details of a scheme.
	text string
	more func(s wayfind.Scheme, show func(string) string) string
}

// NeedsAnother reports whether only a client of another kind can authenticate: the kind is known, and no
// grant fits. Of an unknown kind that is not known: the service may take a message that is signed or paid
// for.
func (k Kind) NeedsAnother() bool { return k.HTTP != "" && len(k.Grants) == 0 }

// Word is a word for a kind, and the vocabularies that contain it.
type Word struct {
	Text string
	In   Vocabulary
}

// Vocabulary is a set of words that documents use in one place. The bits of several
// vocabularies are joined by |.
type Vocabulary uint32

// These are the vocabularies. The words of vocabularies that are marked "folded" are in the
// form of [Fold].
const (
	HTTPAuth      Vocabulary = 1 << iota // HTTP authentication schemes (RFC 9110 §11.1), in lower case
	OpenAPI                              // types
	A2A                                  // types, before 1.0
	A2AMember                            // members that hold a scheme, since 1.0
	A2AName                              // schemes of 0.1, and other words for a type; folded
	ADP                                  // types
	AgentsMD                             // words of the specification
	AgentsMDOther                        // other words in use; folded
	AIDiscovery                          // types; folded, because other spellings are in use
	AIPlugin                             // types
	AIPluginOther                        // other words in use
	AWP                                  // types
	Integrations                         // types of credentials in integrations.json
	AID                                  // tokens of records of Agent Identity & Discovery
	MCP                                  // words in use, without a specification; folded
)

// Members are members of a [wayfind.Scheme] that only some kinds have.
type Members uint8

// These are the members.
const (
	PlaceOfKey  Members = 1 << iota // In, Name and Prefix
	NameOfHTTP                      // HTTPScheme
	OAuthFlows                      // Flows
	MetadataURL                     // MetadataURL (OpenID Connect Discovery 1.0 §4)
)

// Grant is a kind of credential.
type Grant string

// These are the grants of package call.
const (
	Key         Grant = "key"
	Basic       Grant = "basic"
	Bearer      Grant = "bearer"
	OAuth       Grant = "oauth"
	Certificate Grant = "certificate"
)

// Table is a list of kinds. A row for one HTTP scheme precedes the row for all others.
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

// Read returns the kind that a word of a vocabulary means. An unknown word gives
// [wayfind.SchemeCustom].
func (t Table) Read(v Vocabulary, word string) (k Kind, known bool) {
	for _, k := range t {
		if slices.ContainsFunc(k.Words, func(w Word) bool { return w.In&v != 0 && w.Text == word }) {
			return k, true
		}
	}
	return unknown(), false
}

// Fold returns a word in lower case without the given signs: "API-Key" becomes "apikey".
func Fold(word, signs string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if strings.ContainsRune(signs, c) {
			return -1
		}
		return c
	}, word))
}

// Only returns an Auth that requires one scheme.
func Only(name string, s wayfind.Scheme, scopes ...string) *wayfind.Auth {
	return &wayfind.Auth{
		Schemes:      map[string]wayfind.Scheme{name: s},
		Requirements: [][]wayfind.Requirement{{{Scheme: name, Scopes: scopes}}},
	}
}

// Scheme returns a scheme of the kind without members of a document.
func (k Kind) Scheme() wayfind.Scheme { return wayfind.Scheme{Kind: k.Kind, HTTPScheme: k.HTTP} }

// Name returns the name of a scheme of the kind if its document gives no name.
func (k Kind) Name() string { return cmp.Or(k.HTTP, string(k.Kind)) }

// Word returns the first word for the kind in a vocabulary, or "".
func (k Kind) Word(v Vocabulary) string {
	for _, w := range k.Words {
		if w.In&v != 0 {
			return w.Text
		}
	}
	return ""
}

// Issued reports whether an authorization server issues the credential, as a token.
func (k Kind) Issued() bool { return k.Members&(OAuthFlows|MetadataURL) != 0 }

// Takes reports whether a grant fits the kind.
func (k Kind) Takes(g Grant) bool { return slices.Contains(k.Grants, g) }

// Made returns the grant for a value that a person enters. If no grant fits the kind, it
// returns a bearer token, which the call refuses.
func (k Kind) Made() Grant {
	if len(k.Grants) == 0 {
		return Bearer
	}
	return k.Grants[0]
}

// Place returns the place of the credential of a scheme.
func (k Kind) Place(s wayfind.Scheme) (in, field string) {
	if k.Members == PlaceOfKey {
		return s.In, s.Name
	}
	return k.In, k.Field
}

// Text describes a scheme of the kind for people. show escapes texts of a document.
func (k Kind) Text(s wayfind.Scheme, show func(string) string) string {
	if k.more == nil {
		return k.text
	}
	return k.text + k.more(s, show)
}
