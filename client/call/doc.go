// Package call calls the tools of package client/tools for a language model. It is
// experimental.
//
//	caller, err := call.New(c, &call.Options{Credentials: vault, Confirm: ask})
//	res, err := caller.With(defs.Form).Call(ctx, box, "shop__refund_order", arguments)
//	// res.Model is for the model, res.Program for the program alone
//
// A call passes several checks before a byte is sent. Names that a vendor's definitions
// changed are changed back: [Caller.With] states their form. The arguments are validated
// against the publisher's own schema and written into one request. The request must go
// to the site whose document describes it, unless the caller has approved another one. A
// person is asked where the table of [Decision] says so, and agrees to this request and
// to no other. A credential is handed out for the origin of the request and for nothing
// else. Then the request is sent through the guard of the Client: once, unless repeating
// it does no harm. By a price or by a word of the publisher, a GET may be something that is
// done once, too.
//
// # Promises
//
// No credential appears in a schema, a [Question], a [Result], an [Error] or a [Record],
// and none goes to an origin that its [Grant] does not name. Without [Options.Confirm]
// only plain reading is done. A request that may have taken effect, and to which no
// answer came, ends with [OutcomeUnknown], which is neither success nor failure, and is
// not sent again. Redirects are not followed. Errors are explained to a model in our own
// words. The texts of a site are data: they are cleaned, and [ModelResult.Prompt] marks
// them.
package call
