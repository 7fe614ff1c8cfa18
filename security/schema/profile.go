package schema

import "slices"

// profile is the part of JSON Schema that a target supports.
type profile struct {
	name string
	// whole is true if all keywords of 2020-12 are allowed below the root.
	whole bool
	// bareRoot is true if only type, properties and required are allowed at the root.
	bareRoot bool
	// anyRoot is true if the root may be something else than an object.
	anyRoot bool
	// loose is the name of the target for schemas that cannot be strict, if the vendor enforces
	// strict schemas. Otherwise it is empty.
	loose string

	closed      bool // objects must be closed
	allRequired bool // every property must be required
	upper       bool // types are in upper case, and null is "nullable"
	itemsNeeded bool // arrays must have items
	filled      bool // an object without properties is omitted at the root, and is a text elsewhere
	foldCase    bool // values of enums must not differ only in case
	oneItem     bool // minItems may be 0 or 1
	takes
	names  nameRule // of properties
	limits limits
}

// takes is the part of a profile that most targets support completely.
type takes struct {
	keywords []string // bounds and similar keywords that have an effect
	enums    kinds    // types of values that enums may have
	formats  []string // of strings; nil for any
	openMaps bool     // additionalProperties may be a schema
	anyType  bool     // a schema may be without a type
	emptyOK  bool     // an enum may contain the empty string
	boundary bool     // patterns may have \b
}

// limits are the limits of a request that one schema may use up. Zero means no limit.
type limits struct {
	depth, properties, enumValues, longEnum, longEnumChars, chars, optional, unions int
}

// nameRule determines which property names a vendor accepts.
type nameRule struct {
	all    bool // any name
	most   int  // zero means any name except the name of prototypes
	extra  string
	letter bool // the first character is a letter or "_"
}

// profiles is the table of targets. The rules are published by the vendors, or stated in their
// errors, as of November 2026.
var profiles = [...]profile{
	{name: "plain", whole: true, anyRoot: true, takes: everything(), names: nameRule{all: true}},
	// Hosts give a definition to any vendor as it is: mcp has the rules by which any of them refuses
	// a whole request, unless hosts convert their subject.
	{name: "mcp", whole: true, itemsNeeded: true, takes: everything(), names: geminiNames()},
	{name: "openai", whole: true, itemsNeeded: true, takes: everything()},
	{name: "openai-strict", loose: "openai", closed: true, allRequired: true, itemsNeeded: true,
		takes: takes{keywords: append(numberKeywords(), "pattern", "format", "minItems", "maxItems"), enums: enumPrimitive,
			formats: strictFormats(), emptyOK: true, boundary: true},
		limits: limits{depth: 10, properties: 5000, enumValues: 1000, longEnum: 250, longEnumChars: 15000, chars: 120000}},
	{name: "anthropic", whole: true, takes: everything(), names: anthropicNames()},
	{name: "anthropic-strict", loose: "anthropic", closed: true, itemsNeeded: true, foldCase: true, oneItem: true,
		takes: takes{keywords: []string{"pattern", "format", "minItems", "title"}, enums: enumPrimitive, formats: strictFormats("uri"), emptyOK: true},
		names: anthropicNames(), limits: limits{optional: 24, unions: 16}},
	{name: "gemini", upper: true, itemsNeeded: true, filled: true,
		takes: takes{keywords: []string{"minimum", "maximum", "pattern", "minLength", "maxLength", "format", "minItems", "maxItems", "minProperties", "maxProperties", "title"},
			enums: kindString, formats: []string{"date-time", "enum"}, boundary: true},
		names: geminiNames()},
	{name: "gemini-json",
		takes: takes{keywords: []string{"minimum", "maximum", "minItems", "maxItems", "prefixItems", "format", "title"}, enums: kindString | kindNumber,
			openMaps: true, boundary: true},
		names: geminiNames()},
	{name: "bedrock", bareRoot: true, itemsNeeded: true, takes: everything(), names: anthropicNames()},
}

func everything() takes {
	return takes{keywords: allKeywords(), enums: enumAny, openMaps: true, anyType: true, emptyOK: true, boundary: true}
}

func anthropicNames() nameRule { return nameRule{most: 64, extra: "_.-"} }

func geminiNames() nameRule { return nameRule{most: 64, extra: "_", letter: true} }

// strict reports whether the vendor enforces the schema.
func (p *profile) strict() bool { return p.loose != "" }

func (p *profile) has(keyword string) bool { return slices.Contains(p.keywords, keyword) }

// Keywords of groups of profiles.
func numberKeywords() []string {
	return []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
}

func allKeywords() []string {
	return append(numberKeywords(), "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "prefixItems", "title")
}

func strictFormats(more ...string) []string {
	return append([]string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, more...)
}

const (
	enumAny       = kindAny
	enumPrimitive = kindString | kindNumber | kindBool | kindNull
)
