// Package tools turns the offers of web domains into tools for language models. It is
// experimental.
//
// [Load] asks domains, reads every contract in full and returns a [Box]: tools with names that
// every vendor accepts, each with the checked schema of its arguments, and a list of omissions
// with reasons. A Box does not change. [Filter] and [OperationName] select operations and name
// them, as data.
//
//	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
//	defs := box.Render(tools.AnthropicMessages, nil) // defs.Tools goes into the request
//	hits := box.Search("refund an order", 5)
//
// A domain that could not be asked, or that has a document that could not be read, may still
// offer tools; [Box.Note] returns a note about this for the model. A [Box] may be large:
// [Box.Deferred] and [Box.MetaTools] replace its definitions with a search, and [Box.Fit]
// selects tools for a number of tokens. [Box.Join] combines two Boxes. [Watch] yields another
// Box whenever a domain has changed, at the earliest after [Box.FreshUntil].
//
// A server that requires a token lists its tools for the user of the context: see
// call.Caller.WithCredentials. Such a Box is [Box.Private].
//
// Texts in a Box are data of strangers. They are cleaned, shortened and marked with their
// origin. They are never instructions.
package tools
