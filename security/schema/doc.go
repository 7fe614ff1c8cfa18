// Package schema makes JSON Schemas of strangers safe to use, and writes them
// in the dialects of language models' vendors. It is experimental.
//
// [Check] reads a schema of any dialect from draft 3 to 2020-12, and of
// OpenAPI, and lifts it to 2020-12. It refuses, with a code and a pointer,
// schemas that could harm a validator: references that leave the document or
// depend on the caller, loops that consume nothing of the value, costs that
// grow exponentially, and sizes beyond the limits below. An accepted schema is
// small enough to work with:
//
//	s, err := schema.Check(raw, schema.Unknown, nil)
//	p, err := s.For(schema.OpenAIStrict) // p.JSON, and lost rules in p.Loss
//	args, err := p.Decode(answer)        // names and nulls as the publisher wants them
//	err = s.Validate(args, 0)            // against the publisher's own schema
//
// [Schema.For] writes a schema for a vendor of language models. Each vendor
// takes another part of JSON Schema, so rules are lost, but never silently.
// Where a value that the publisher takes can no longer be expressed,
// [Projection.Loss] has an entry that is [Narrower]. Where a value is allowed
// that the publisher refuses, it has an entry that is [Wider].
//
// A schema may lead back to itself on two ways at once, for instance if two parts of an
// allOf describe one property. [Schema.Validate] remembers its answers, and most other
// validators take twice as long for each level of the value. [Schema.For] cuts such a
// schema where it leads back, for each target but [Plain], and lists the loss.
//
// Everything here is pure: the same input gives the same bytes. Work is counted,
// in steps, and ends after [MaxSteps] of them at most.
package schema

// The limits of [Check]. Exceeding one is an error with a code of its own; no
// schema is cut.
const (
	// MaxBytes is the largest schema: parse.MaxSchema.
	MaxBytes = 512 << 10
	// MaxDepth bounds the nesting of its arrays and objects.
	MaxDepth = 64
	// MaxSubschemas bounds the number of its subschemas.
	MaxSubschemas = 10_000
	// MaxValues bounds the values of its enums together.
	MaxValues = 100_000
	// MaxExponent is the largest power of ten of a number, and MaxDigits how
	// long a number may be.
	MaxExponent = 400
	MaxDigits   = 1000
	// MaxPaths bounds the ways on which in-place keywords ($ref, allOf, anyOf,
	// oneOf, not, if, then, else, dependentSchemas) lead from one schema to
	// others. A validator without a memory evaluates one value that often.
	MaxPaths = 10_000
	// MaxChain bounds the number of such keywords in a row.
	MaxChain = 100
	// MaxSteps ends all work on one schema or value.
	MaxSteps = 1_000_000
)

// The limits of [Schema.For] and [Schema.Validate].
const (
	// MaxOutput bounds the subschemas of a projection, and MaxOutputBytes the
	// bytes of the projection and its report together.
	MaxOutput      = 5_000
	MaxOutputBytes = 1 << 20
	// MaxValue is the largest value in bytes that is validated.
	MaxValue = 1 << 20
)
