// Package call calls the tools of package client/tools for a language model. It is
// experimental.
//
//	caller, err := call.New(c, &call.Options{Credentials: vault, Confirm: ask})
//	res, err := caller.With(defs.Form).Call(ctx, box, "shop__refund_order", arguments)
//	// res.Model is for the model, res.Program for the program alone
//
// A call passes several checks before a byte is sent. If the definitions for a vendor changed
// names, the publisher's names are restored: [Caller.With] states the form of the definitions.
// The arguments are validated against the publisher's own schema and written into one request.
// The request must go to the site whose document describes it, unless the caller has approved
// another site. If the table of [Decision] requires it, a person is asked, and agrees to this
// request and to no other. A credential is used for the origin of the request only. Then the
// request is sent through the guard of the Client, once, unless a repetition does no harm. If
// a GET has a price, or the publisher declares that a second call does more than the first, it
// is sent once too.
//
// # Promises
//
// No credential appears in a schema, a [Question], a [Result], an [Error] or a [Record], and
// no credential goes to an origin that its [Grant] does not name. Without [Options.Confirm],
// only calls that just read are made. If a request may have taken effect and no answer
// arrived, the call ends with [OutcomeUnknown], which is neither success nor failure, and the
// request is not sent again. Redirects are not followed. Errors are explained to a model in
// words of this package. The texts of a site are data: they are cleaned, and
// [ModelResult.Prompt] marks them.
package call
