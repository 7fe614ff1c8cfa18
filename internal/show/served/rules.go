package served

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// The rules about answers.
var (
	ruleChain = parse.Rule{Code: "served.chain", Severity: wayfind.SeverityWarning, Section: "RFC 8446 §4.4.2",
		Means: "The server does not send all certificates between its own and the authority. A client that does not have the others already refuses the connection.",
		Mend:  "Configure the server with the whole chain, which authorities and ACME clients call `fullchain`."}
	ruleCoding = parse.Rule{Code: "served.coding", Severity: wayfind.SeverityWarning, Section: "RFC 9110 §12.5.5",
		Means: "The answer is compressed because the request accepts that, and does not say so in `Vary`. A shared cache gives it to clients that cannot decode it.",
		Mend:  "Send `Vary: Accept-Encoding`."}
	ruleCompression = parse.Rule{Code: "served.compression", Severity: wayfind.SeverityInfo, Section: "RFC 9110 §12.5.3",
		Means: "A large document came without compression, although the request accepts gzip.",
		Mend:  "Let the server compress documents of this media type."}
	ruleCookie = parse.Rule{Code: "served.cookie", Severity: wayfind.SeverityWarning, Section: "RFC 9111 §7.3",
		Means: "The answer sets a cookie. All clients get the same document, and many shared caches do not keep an answer that sets one.",
		Mend:  "Leave `Set-Cookie` out of the answers at this place."}
	ruleCORS = parse.Rule{Code: "served.cors", Severity: wayfind.SeverityError,
		Means: "The answer does not let clients in browsers read the document. Its specification demands or recommends that.",
		Mend:  "Send `Access-Control-Allow-Origin: *`."}
	ruleExpiry = parse.Rule{Code: "served.expiry", Severity: wayfind.SeverityWarning, Section: "RFC 5280 §4.1.2.5",
		Means: "The certificate of the server ends soon. From then on no client connects.",
		Mend:  "Renew the certificate. If a program renews it, look at the log of that program: it has missed its time."}
	ruleFreshness = parse.Rule{Code: "served.freshness", Severity: wayfind.SeverityWarning,
		Means: "The answer does not say how long the document may be used without another request.",
		Mend:  "Send `Cache-Control: public, max-age=3600`, or another lifetime that fits how often the document changes."}
	ruleHead = parse.Rule{Code: "served.head", Severity: wayfind.SeverityWarning, Section: "RFC 9110 §9.3.2",
		Means: "The server answers `HEAD` otherwise than `GET`. Clients that look at the header before they load a document take it for absent, or for another document.",
		Mend:  "Answer `HEAD` with the status and the header of `GET`. Most servers do that if the handler of `GET` is registered for both methods."}
	ruleNoStore = parse.Rule{Code: "served.no_store", Severity: wayfind.SeverityWarning, Section: "RFC 9111 §5.2.2.5",
		Means: "No client may keep the document: each use of the site asks for all of it again.",
		Mend:  "Send `Cache-Control: public, max-age=3600` in place of `no-store`, with an `ETag`. Use `no-cache` if each use must see the latest change."}
	ruleRedirect = parse.Rule{Code: "served.redirect", Severity: wayfind.SeverityError,
		Means: "The place of the document answers with a redirect, which its specification forbids.",
		Mend:  "Serve the document at the place itself."}
	ruleTLS = parse.Rule{Code: "served.tls", Severity: wayfind.SeverityInfo, Section: "RFC 9325 §3.1.1",
		Means: "The server does not speak TLS 1.3, which needs one round trip less and has no weak cipher suites.",
		Mend:  "Allow TLS 1.3 beside TLS 1.2."}
	ruleValidator = parse.Rule{Code: "served.validator", Severity: wayfind.SeverityWarning,
		Means: "The answer has neither an `ETag` nor a `Last-Modified` date. A client that asks again gets the whole document, changed or not.",
		Mend:  "Send an `ETag` made from the version or from a hash of the document."}
	ruleVary = parse.Rule{Code: "served.vary", Severity: wayfind.SeverityWarning, Section: "RFC 9110 §12.5.5",
		Means: "The answer says `Vary: *`, or that it depends on cookies or on the program that asks. A cache uses it for no other request, or for few.",
		Mend:  "Name only the request fields in `Vary` that the document depends on, such as `Accept-Encoding`."}
)
