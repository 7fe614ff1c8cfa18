package schema

import "fmt"

// Code says why a schema or a value is refused.
type Code string

// The codes.
const (
	CodeSyntax     Code = "syntax"      // it is not JSON as strict readers want it
	CodeDepth      Code = "depth"       // it is nested too deep, or its references follow each other too long
	CodeSize       Code = "size"        // it is beyond a limit of size
	CodeSchemaType Code = "schema_type" // it is neither an object nor a boolean
	CodeDialect    Code = "dialect"     // "$schema" names an unknown dialect
	CodeRemote     Code = "ref_remote"  // a reference leads out of the document
	CodeMissing    Code = "ref_missing" // a reference leads to nothing, or not to a schema
	CodeCycle      Code = "ref_cycle"   // references run in a circle and consume nothing of the value
	CodeDynamic    Code = "ref_dynamic" // a reference depends on the path that leads to it
	CodeCost       Code = "cost"        // it costs more than it may
	CodeRoot       Code = "root_type"   // no object can be an argument
	CodeNever      Code = "never"       // no value can be an argument
	CodeOutput     Code = "output_size" // its projection is too large
)

// Error is why a schema or value is refused.
type Error struct {
	Code Code
	// Pointer (RFC 6901) to the place in the document, at most 512 bytes of it.
	Pointer string
	// Reason in a few words. Foreign text in it is quoted and cut.
	Reason string
	// Size of a schema that is too large and Limit that it exceeds, in bytes. Zero if it
	// is refused for another reason.
	Size, Limit int
	// Unshared: it needs one of the [Definitions] that is too large to be shared. By itself
	// it may be read.
	Unshared bool
}

// Error gives code, place and reason.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("schema refused (%s): %s", e.Code, e.Reason)
	}
	return fmt.Sprintf("schema refused (%s) at %+q: %s", e.Code, e.Pointer, e.Reason)
}

// maxPointer bounds the pointers that are shown.
const maxPointer = 512

// cut shortens foreign text, between characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := most - len("...")
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// refusal unwinds to the exported function that returns it. Unfinished results
// are discarded.
type refusal struct{ err *Error }

// refuseSize refuses a text that has more than most bytes.
func refuseSize(size, most int) {
	reason := fmt.Sprintf("it has %d bytes, at most %d are read", size, most)
	panic(refusal{&Error{Code: CodeSize, Reason: reason, Size: size, Limit: most}})
}

func refuse(code Code, pointer, reason string) {
	panic(refusal{&Error{Code: code, Pointer: cut(pointer, maxPointer), Reason: reason}})
}
