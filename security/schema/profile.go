package schema

import "slices"

// Target is a reader of projections, which takes a certain part of JSON Schema.
type Target string

// The targets.
const (
	Plain           Target = "plain"            // JSON Schema 2020-12, as it was lifted
	MCP             Target = "mcp"              // inputSchema of the Model Context Protocol
	OpenAI          Target = "openai"           // function parameters, not strict
	OpenAIStrict    Target = "openai-strict"    // and strict
	Anthropic       Target = "anthropic"        // input_schema, not strict
	AnthropicStrict Target = "anthropic-strict" // and strict
	Gemini          Target = "gemini"           // parameters of a function declaration
	GeminiJSON      Target = "gemini-json"      // parametersJsonSchema
	Bedrock         Target = "bedrock"          // inputSchema of the Converse API
)

// Targets are all targets.
func Targets() []Target {
	return []Target{Plain, MCP, OpenAI, OpenAIStrict, Anthropic, AnthropicStrict, Gemini, GeminiJSON, Bedrock}
}

// profile is the part of JSON Schema that a target takes. The rules are those
// that vendors have published, and those that their errors state.
type profile struct {
	target Target
	// date of the look-up.
	date string
	// whole: everything of 2020-12 may stand below the root.
	whole bool
	// root: only type, properties and required may stand at the root.
	bareRoot bool
	// anyRoot: the root may be something else than an object.
	anyRoot bool
	// strict: the vendor enforces the schema; fallback is for schemas that
	// cannot be strict.
	strict   bool
	fallback Target

	closed      bool // objects must be closed
	allRequired bool // every property must be required
	openMaps    bool // additionalProperties may be a schema
	upper       bool // types are in upper case, and null is "nullable"
	itemsNeeded bool // arrays must have items
	omitEmpty   bool // an object without properties is left out at the root
	anyType     bool // a schema may be without a type

	keywords []string // bounds and the like that count
	enums    kinds    // types of values that enums may have
	foldCase bool     // values of enums must not differ in case alone
	emptyOK  bool     // the empty string may stand in an enum
	oneItem  bool     // minItems may be 0 or 1
	boundary bool     // patterns may have \b
	formats  []string // of strings; nil: any
	names    nameRule // of properties
	limits   limits
}

// limits are numbers of a request that a schema may use up alone. Zero is none.
type limits struct {
	depth, properties, enumValues, longEnum, longEnumChars, chars, optional, unions int
}

// nameRule decides which property names a vendor takes.
type nameRule struct {
	all    bool // any name at all
	most   int  // zero: any name but that of prototypes
	extra  string
	letter bool // the first one is a letter or "_"
}

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

// profileOf is the table.
func profileOf(t Target) (profile, bool) {
	anthropicNames := nameRule{most: 64, extra: "_.-"}
	geminiNames := nameRule{most: 64, extra: "_", letter: true}
	switch t {
	case OpenAIStrict:
		return profile{target: t, date: "2026-11", strict: true, fallback: OpenAI, closed: true, allRequired: true, itemsNeeded: true,
			keywords: append(numberKeywords(), "pattern", "format", "minItems", "maxItems"), enums: enumPrimitive, emptyOK: true, boundary: true,
			formats: strictFormats(), limits: limits{depth: 10, properties: 5000, enumValues: 1000, longEnum: 250, longEnumChars: 15000, chars: 120000}}, true
	case AnthropicStrict:
		return profile{target: t, date: "2026-11", strict: true, fallback: Anthropic, closed: true, itemsNeeded: true,
			keywords: []string{"pattern", "format", "minItems", "title"}, enums: enumPrimitive, foldCase: true, emptyOK: true, oneItem: true,
			formats: strictFormats("uri"), names: anthropicNames, limits: limits{optional: 24, unions: 16}}, true
	case Gemini:
		return profile{target: t, date: "2026-11", upper: true, itemsNeeded: true, omitEmpty: true,
			keywords: []string{"minimum", "maximum", "pattern", "minLength", "maxLength", "format", "minItems", "maxItems", "minProperties", "maxProperties", "title"},
			enums:    kindString, boundary: true, formats: []string{"date-time", "enum"}, names: geminiNames}, true
	}
	p := profile{target: t, date: "2026-11", whole: true, openMaps: true, anyType: true, keywords: allKeywords(), enums: enumAny, emptyOK: true, boundary: true}
	switch t {
	case Plain:
		p.anyRoot, p.names.all = true, true
	case MCP:
	case OpenAI:
		p.itemsNeeded = true
	case Anthropic:
		p.names = anthropicNames
	case Bedrock:
		p.whole, p.bareRoot, p.names, p.itemsNeeded = false, true, anthropicNames, true
	case GeminiJSON:
		p.whole, p.anyType, p.names = false, false, geminiNames
		p.keywords = []string{"minimum", "maximum", "minItems", "maxItems", "prefixItems", "format", "title"}
		p.enums, p.emptyOK = kindString|kindNumber, false
	default:
		return profile{}, false
	}
	return p, true
}
