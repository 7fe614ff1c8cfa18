// Package httpcall turns the arguments of a model into the request of a plain HTTP
// call. It does no I/O and keeps nothing.
//
//	args, overlaps, err := httpcall.Decode(text, tool.Schema, projection, 0) // strict, renames undone, validated
//	req, err := httpcall.Place(&httpcall.Operation{Invocation: c.Invocation, Params: c.Params, Credentials: slots}, args)
//	// req.Method, req.URL, req.Header, req.Body
//
// Decode reads arguments strictly and judges them by the publisher's own schema.
// Place writes each of them where its parameter goes, by the styles of OpenAPI 2.0 to
// 3.2 and RFC 6570, and the body as JSON, a form, several parts, text or bytes. The
// same arguments make the same bytes every time, boundaries included, so that
// the approved request can be compared with the one that is sent.
//
// What the model says stays in its place: scheme, host, the number of segments and all
// that stands before the first variable are the template's. Header fields that decide
// whom a request is for, or how it is framed, are never the model's. Neither are the
// parameters of a security scheme, which the caller names in Operation.Credentials and
// adds later: to Request.Header, to Request.URL, or to the field Cookie, in which "; "
// stands between cookies.
//
// Each error is an *[Error] with a [Code] of a closed list, all of which mean that the
// arguments, or the contract, are no request; nothing was sent. Its text may be
// shown to a model: it has our own words, and names only where they are plain
// identifiers.
package httpcall
