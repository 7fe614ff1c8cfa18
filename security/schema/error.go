package schema

import "fmt"

// Code is the reason why a schema or a value is refused. In addition to the constants it can be
// "schema_type", "dialect", "ref_remote", "ref_missing", "ref_cycle", "ref_dynamic", "root_type" or
// "vendor_rule"; the Reason of the [Error] describes each.
type Code string

// The codes.
const (
	CodeSyntax     Code = "syntax"      // it is not strict JSON
	CodeDepth      Code = "depth"       // it is nested too deep, or its references form too long a chain
	CodeSize       Code = "size"        // it exceeds a limit of size
	codeSchemaType Code = "schema_type" // it is neither an object nor a boolean
	codeDialect    Code = "dialect"     // "$schema" names an unknown dialect
	codeRemote     Code = "ref_remote"  // a reference leaves the document
	codeMissing    Code = "ref_missing" // a reference leads to nothing, or not to a schema
	codeCycle      Code = "ref_cycle"   // references form a cycle that consumes nothing of the value
	codeDynamic    Code = "ref_dynamic" // a reference depends on the path that leads to it
	CodeCost       Code = "cost"        // it is too expensive
	codeRoot       Code = "root_type"   // no object can be an argument
	CodeNever      Code = "never"       // no value can be an argument
	CodeOutput     Code = "output_size" // its projection is too large
	codeRule       Code = "vendor_rule" // its projection is against a rule by which vendors refuse requests
)

// Error is the error for a schema or a value that is refused.
type Error struct {
	Code Code
	// Pointer is the JSON Pointer (RFC 6901) of the place in the document, shortened to at most
	// 512 bytes.
	Pointer string
	// Reason is the reason in a few words. Foreign text in it is quoted and shortened.
	Reason string
	// Size is the size of a schema that is too large, and Limit the limit that it exceeds, in
	// bytes. Both are zero if it is refused for another reason.
	Size, Limit int
	// Unshared is true if one of the [Definitions] that the schema needs is too large to be
	// shared. The schema may be read on its own.
	Unshared bool
}

// Error returns a text with the code, the place and the reason.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("schema refused (%s): %s", e.Code, e.Reason)
	}
	return fmt.Sprintf("schema refused (%s) at %+q: %s", e.Code, e.Pointer, e.Reason)
}

// maxPointer is the maximum length of the pointers that are shown, in bytes.
const maxPointer = 512

// cut shortens foreign text at the end of a character.
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

// refusal is the panic value that the exported functions return as an error. Unfinished results
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
