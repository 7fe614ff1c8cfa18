// Package tools makes tools for language models of what web domains offer. It is
// experimental.
//
// [Load] asks domains and reads every contract in full. It gives a [Box]: tools
// with names that every vendor takes, each with the schema of its arguments, checked,
// and a list of what was skipped and why. A Box does not change.
//
//	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
//	defs := box.Render(tools.AnthropicMessages, nil) // defs.Tools goes into the request
//	hits := box.Search("refund an order", 5)
//
// What could not be asked is not the same as what is not there: [Box.Note] says so to
// the model. A [Box] may be large: [Box.Deferred] and [Box.MetaTools] put a search in
// the place of its definitions, and [Box.Fit] chooses what has room.
//
// Texts in a Box are data of strangers. They are cleaned, cut and marked with where
// they are from; they are never instructions.
package tools
