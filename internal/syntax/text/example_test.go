package text_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

func ExampleClean() {
	text, removed := text.Clean("Reads a \u202efile\u202c.\r\nSafely\u200b.", true, 0)
	fmt.Printf("%q, without %s\n", text, removed)
	// Output: "Reads a file.\nSafely.", without 2 bidirectional controls, 1 format characters
}

func ExamplePrintable() {
	fmt.Println(text.Printable("done\x1b[2J\nlevel=INFO approved"))
	// Output: done\x1b[2J\nlevel=INFO approved
}
