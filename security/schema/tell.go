package schema

import (
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// tell describes a failure without text of the schema.
func (f *failure) tell() *ValueError {
	return &ValueError{Pointer: cut(f.value.Pointer(), maxPointer), Rule: f.rule, Expected: f.expected(), Name: f.name}
}

// expected describes the value that is expected.
func (f *failure) expected() string {
	n := f.schema
	switch f.rule {
	case "type":
		return "want " + n.types.words()
	case "minimum":
		return "want at least " + number(n.minimum)
	case "maximum":
		return "want at most " + number(n.maximum)
	case "exclusiveMinimum":
		return "want more than " + number(n.above)
	case "exclusiveMaximum":
		return "want less than " + number(n.below)
	case "multipleOf":
		return "want a multiple of " + number(n.multiple)
	case "minLength":
		return fmt.Sprintf("want at least %d characters", *n.minLength)
	case "maxLength":
		return fmt.Sprintf("want at most %d characters", *n.maxLength)
	case "minItems":
		return fmt.Sprintf("want at least %d items", *n.minItems)
	case "maxItems":
		return fmt.Sprintf("want at most %d items", *n.maxItems)
	case "minProperties":
		return fmt.Sprintf("want at least %d properties", *n.minProps)
	case "maxProperties":
		return fmt.Sprintf("want at most %d properties", *n.maxProps)
	case "required", "dependentRequired":
		return fmt.Sprintf("want the property %+q", cut(f.name, 64))
	}
	return f.sentence()
}

// sentence returns the description for rules with a constant text.
func (f *failure) sentence() string {
	switch f.rule {
	case "enum", "const":
		return "want one of the values that are listed"
	case "pattern":
		return "want text that matches the pattern"
	case "uniqueItems":
		return "want items that differ"
	case "anyOf":
		return "no alternative takes it"
	case "oneOf":
		return "want exactly one alternative that takes it"
	case "not":
		return "it is excluded"
	case "contains":
		return "too few or too many items match"
	case "additionalProperties", "unevaluatedProperties":
		return fmt.Sprintf("there is no property %+q", cut(f.name, 64))
	case "propertyNames":
		return fmt.Sprintf("%+q is not a valid name of a property", cut(f.name, 64))
	}
	return "no value is valid here"
}

func number(n *jsonscan.Node) string { return cut(n.Text(), 40) }

// list returns the types of a set, in a fixed order. A number is one type.
func (k kinds) list() (list []string) {
	for _, t := range [...]struct {
		kind kinds
		word string
	}{{kindString, "string"}, {kindInteger, "integer"}, {kindFraction, "number"}, {kindBool, "boolean"}, {kindArray, "array"}, {kindObject, "object"}, {kindNull, "null"}} {
		if k&t.kind != 0 && !(t.kind == kindInteger && k&kindFraction != 0) {
			list = append(list, t.word)
		}
	}
	return list
}

func (k kinds) words() string { return strings.Join(k.list(), " or ") }
