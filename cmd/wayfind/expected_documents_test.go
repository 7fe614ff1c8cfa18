package main

import "testing"

// TestExpected_D16_ParseFull: parse --full shows what an operation takes.
func TestExpected_D16_ParseFull(t *testing.T) { expectedScript(t) }
