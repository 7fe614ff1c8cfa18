package parse

import "iter"

// Simple reports whether all variables of a template are plain names.
func (t Template) Simple() bool { return t.simple() }

// Items yields the values of a sequence.
func (y YAML) Items() iter.Seq2[int, YAML] { return y.items() }

// Len counts them.
func (y YAML) Len() int { return y.size() }
