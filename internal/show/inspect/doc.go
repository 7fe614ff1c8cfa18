// Package inspect serves a page that shows the decisions of a Client for one target: the
// requests, the answers, the merged Site, the tools that a model would get, a call and its
// result, and the changes since another answer.
//
// The page is for one person on one machine. Everything on it is from strangers or leads to
// requests, so access to the server is restricted: it listens on a loopback address, each URL
// begins with a token of this launch, and a request from another page is refused. The page
// displays text only as text: it has no way to turn a string into markup, and its
// Content-Security-Policy refuses scripts, styles, images and connections of others.
//
// Each view of the page is a file in this package and a module in the folder page. Files whose
// names begin with the name of the view are parts of it. form.js is a part of call.js:
//
//	waterfall.go  waterfall.js  each request as it happens
//	site.go       site.js       services, capabilities, conflicts, documents
//	tools.go      tools.js      the tools as each vendor would get them
//	call.go       call.js       a request before it is sent, and the answer
//	compare.go    compare.js    the changes since another answer
//
// The functions of a view return values for encoding/json and do not depend on HTTP. server.go
// lists their URLs.
package inspect
