// Package call calls the tools of package client/tools for a language model. It is
// experimental.
//
//	caller, err := call.New(c, &call.Options{Credentials: vault, Confirm: ask})
//	res, err := caller.Call(ctx, box, "shop__refund_order", arguments)
//	// res.Model is for the model, res.Program for the program alone
//
// A call goes a long way before a byte leaves: the arguments are judged by the
// publisher's own schema and written into one request; the request must go to the
// site that the document is of, or the caller has approved the other one; a person is
// asked where the table of [Decision] says so, and agrees to this request and to no
// other; a credential is handed out for the origin of the request and to nothing
// else. Then the request is sent, once unless it can be repeated without harm,
// through the guard of the Client.
//
// # Promises
//
// No credential is in a schema, a [Question], a [Result], an [Error] or a [Record],
// and none goes to another origin than its [Grant] names. Without
// [Options.Confirm] nothing but plain reading is done. A request that may have been
// done and of which no answer came is [OutcomeUnknown], which is neither success nor
// failure, and it is not sent again. Redirects are not followed. What a model is
// told in an error are words of ours; what a site says is data, cleaned and marked.
package call
