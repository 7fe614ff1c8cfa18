// Package httpcall turns the arguments of a model into the request of a plain HTTP call. It
// does no I/O and keeps no state.
//
//	decoded, err := httpcall.Decode(text, tool.Schema, projection, 0) // strict, renames undone, validated
//	req, err := httpcall.Place(&httpcall.Operation{Invocation: c.Invocation, Params: c.Params, Credentials: slots}, args)
//	// req.Method, req.URL, req.Header, req.Body
//
// Decode reads arguments strictly and validates them against the publisher's own schema. Place
// writes each argument into the place of its parameter, in the styles of OpenAPI 2.0 to 3.2
// and RFC 6570, and the body as JSON, a form, several parts, text or bytes. The same arguments
// always result in the same bytes, including boundaries, so that the approved request can be
// compared with the request that is sent.
//
// A value of the model stays in its place: the scheme, the host, the number of segments and
// everything before the first variable come from the template. The model never sets header
// fields that determine the destination or the framing of a request. It also never sets the
// parameters of a security scheme. The caller names them in Operation.Credentials and adds
// them later: to Request.Header, to Request.URL, or to the field Cookie, which separates
// cookies with "; ".
//
// Each error is an *[Error] with a [Code] from a closed list. All codes mean that the
// arguments, or the contract, do not result in a request. Nothing was sent. The text of an
// error may be shown to a model: it consists of words of this package, and contains names only
// if they are plain identifiers.
package httpcall
