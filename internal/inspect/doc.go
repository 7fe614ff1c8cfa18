// Package inspect serves a page that shows the decisions of a Client for one
// target: the requests, the answers, the merged Site, the tools that a model would
// get, a call and its result, and the changes since another answer.
//
// The page is for one person on one machine. Everything on it comes from strangers or
// leads to requests, so the server is closed: it listens on a loopback address, each
// URL begins with a token of this launch, and a request from another page is refused.
// The page takes text as text: it has no way to turn a string into markup, and its
// Content-Security-Policy refuses scripts, styles, images and connections of others.
//
// A view of the page is a file here and a module in the folder page; files whose names
// begin with its name are parts of it, and form.js is one of call.js:
//
//	waterfall.go  waterfall.js  each request as it happens
//	site.go       site.js       services, capabilities, conflicts, documents
//	tools.go      tools.js      the tools as each vendor would get them
//	call.go       call.js       a request before it is sent, and the answer
//	compare.go    compare.js    the changes since another answer
//
// The functions of a view return values for encoding/json and know nothing of HTTP;
// server.go lists their URLs.
package inspect
