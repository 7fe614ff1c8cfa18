// Package schema makes JSON Schemas of strangers safe to use, and writes them in the dialects
// of the vendors of language models. It is experimental.
//
// [Check] reads a schema of any dialect from draft 3 to 2020-12, and of OpenAPI, and lifts it
// to 2020-12. It refuses, with a code and a pointer, schemas that could harm a validator:
// references that leave the document or depend on the caller, loops that consume nothing of the
// value, costs that grow exponentially, and sizes beyond the limits below. An accepted schema
// is small enough to work with:
//
//	s, err := schema.Check(raw, schema.Unknown, nil)
//	p, err := s.For(schema.OpenAIStrict) // p.JSON, and lost rules in p.Loss
//	args, err := p.Decode(answer)        // names and nulls as the publisher wants them
//	err = s.Validate(args, 0)            // against the publisher's own schema
//
// [Schema.For] writes a schema for a vendor of language models. Each vendor supports a
// different part of JSON Schema, so rules are lost, but never silently. If a value that the
// publisher accepts can no longer be expressed, [Projection.Loss] has an entry that is
// [Narrower]. If a value is allowed that the publisher refuses, it has an entry that is
// [Wider].
//
// A schema may lead back to itself in two ways at once, for instance if two parts of an allOf
// describe one property. [Schema.Validate] remembers its results, but most other validators
// need twice the time for each additional level of the value. [Schema.For] cuts such a schema
// at the place where it leads back, for each target except [Plain], and lists the loss.
//
// The package is deterministic: the same input gives the same output. Work is counted in steps,
// and ends after at most one million steps.
package schema

// The limits of [Check], in addition to [jsonschema.MaxBytes], [jsonschema.MaxSubschemas] and
// [jsonschema.MaxSteps]. If one is exceeded, the error has a separate code. No schema is
// shortened.
const (
	// maxDepth is the maximum nesting depth of the arrays and objects of a schema.
	maxDepth = 64
	// maxValues is the maximum number of values of all its enums together.
	maxValues = 100_000
	// maxExponent is the largest power of ten of a number, and maxDigits the maximum length of
	// a number, in bytes.
	maxExponent = 400
	maxDigits   = 1000
	// maxPaths is the maximum number of ways in which in-place keywords ($ref, allOf, anyOf,
	// oneOf, not, if, then, else, dependentSchemas) lead from one schema to others. A validator
	// that does not remember results evaluates one value this many times.
	maxPaths = 10_000
	// maxChain is the maximum number of such keywords in a row.
	maxChain = 100
)

// The limits of [Schema.For].
const (
	// maxOutput is the maximum number of subschemas of a projection, and maxOutputBytes the
	// maximum size of the projection and its report together, in bytes.
	maxOutput      = 5_000
	maxOutputBytes = 1 << 20
)
