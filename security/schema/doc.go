// Package schema makes JSON Schemas of strangers safe to use, and says them in
// the words of those who read tool definitions. It is experimental.
//
// [Check] reads a schema of any dialect from draft 3 to 2020-12, and of OpenAPI,
// and lifts it to 2020-12. It refuses, with a code and a pointer, what no
// validator should see: references that leave the document or depend on the
// caller, loops that consume nothing of the value, costs that grow exponentially,
// and sizes beyond the limits below. What is left is small enough to work with:
//
//	s, err := schema.Check(raw, schema.Unknown, nil)
//	p, err := s.For(schema.OpenAIStrict) // p.JSON, and what was lost in p.Loss
//	args, err := p.Decode(answer)        // names and nulls as the publisher wants them
//	err = s.Validate(args, 0)            // against the publisher's own schema
//
// [Schema.For] writes a schema for a vendor of language models. Each vendor takes
// another part of JSON Schema, so things are lost. Nothing is lost silently: where
// a value that the publisher takes cannot be said any more, [Projection.Loss] has
// an entry that is [Narrower], and where one gets in that the publisher refuses,
// an entry that is [Wider].
//
// Everything here is pure: the same input gives the same bytes. Work is counted,
// in steps, and ends after [MaxSteps] of them at most.
package schema

// The limits of what [Check] reads. Going beyond one is an error with a code of
// its own; nothing is cut.
const (
	// MaxBytes is the largest schema.
	MaxBytes = 256 << 10
	// MaxDepth is how deep its arrays and objects may be nested.
	MaxDepth = 64
	// MaxSubschemas is how many schemas it may be made of.
	MaxSubschemas = 10_000
	// MaxValues is how many values its enums may have together.
	MaxValues = 100_000
	// MaxExponent is the largest power of ten of a number, and MaxDigits how
	// long a number may be.
	MaxExponent = 400
	MaxDigits   = 1000
	// MaxPaths is how many ways in-place keywords ($ref, allOf, anyOf, oneOf,
	// not, if, then, else, dependentSchemas) may lead from one schema on: that
	// is how often a validator without a memory looks at one value.
	MaxPaths = 10_000
	// MaxChain is how many such keywords may follow each other.
	MaxChain = 100
	// MaxSteps ends all work on one schema or value.
	MaxSteps = 1_000_000
)

// The limits of what [Schema.For] writes and [Schema.Validate] reads.
const (
	// MaxOutput is how many subschemas a projection may have, and MaxOutputBytes
	// how many bytes it and its report may have together.
	MaxOutput      = 5_000
	MaxOutputBytes = 1 << 20
	// MaxValue is the largest value in bytes that is validated.
	MaxValue = 1 << 20
)
