// Package tools turns the offers of web domains into tools for language models.
// It is experimental.
//
// [Load] asks domains and reads every contract in full. It gives a [Box]: tools
// with names that every vendor takes, each with the schema of its arguments,
// checked, and a list of omissions with reasons. A Box does not change. [Filter] and
// [OperationName] choose operations and name them, as data.
//
//	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
//	defs := box.Render(tools.AnthropicMessages, nil) // defs.Tools goes into the request
//	hits := box.Search("refund an order", 5)
//
// A domain that could not be asked, or has a document that could not be read, may
// still offer tools, which [Box.Note] tells the model. A [Box] may be large:
// [Box.Deferred] and [Box.MetaTools] put a search in the place of its definitions,
// and [Box.Fit] chooses for a number of tokens. [Box.Join] makes one Box of two. [Watch]
// yields another Box whenever a domain has changed, until [Box.FreshUntil] at the earliest.
//
// A server that wants a token lists its tools for the user of the context: see
// call.Caller.Lend. Such a Box is [Box.Private].
//
// Texts in a Box are data of strangers. They are cleaned, cut and marked with
// their origin; they are never instructions.
package tools
