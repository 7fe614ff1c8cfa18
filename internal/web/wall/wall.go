// Package wall recognises the answers of programs before a site: firewalls, bot managers,
// captchas, logins and legal blocks. Such an answer is no fact about the site. It is recognised by its
// header fields first, which the product documents, then by its body, and by its status last.
package wall

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"
)

// Wall is a product whose answer was recognised. The zero Wall means that none was.
type Wall struct {
	// Name is the product, "Cloudflare", or a kind of wall, "a legal block", for a sentence.
	Name string
	// Asks is what the wall does, for the same sentence: "challenges programs".
	Asks string
}

// Is reports whether there is a wall.
func (w Wall) Is() bool { return w.Name != "" }

// String returns the sentence about the wall, without a full stop. [Said] reads it again.
func (w Wall) String() string { return w.Name + " " + w.Asks }

// What walls do.
const (
	challenges = "challenges programs"
	refuses    = "refuses programs"
	login      = "asks for a login"
	consents   = "asks for consent"
)

// Said returns the wall that the text of an error names at its end. It returns the zero Wall if there
// is none.
func Said(text string) Wall {
	for _, asks := range [...]string{challenges, refuses, login, consents} {
		if name, ok := strings.CutSuffix(text, " "+asks); ok {
			if i := strings.LastIndex(name, ": "); i >= 0 {
				name = name[i+2:]
			}
			return Wall{name, asks}
		}
	}
	return Wall{}
}

// field is a header field that only an answer of a wall has, or has with one of some values.
type field struct {
	name  string
	value string // a part of the value, in lower case; empty: any value
	Wall
}

// marks are fields that a wall sends at any status.
var marks = [...]field{
	{"Cf-Mitigated", "", Wall{"Cloudflare", challenges}},   // developers.cloudflare.com, Detect a Challenge Page response
	{"X-Amzn-Waf-Action", "", Wall{"AWS WAF", challenges}}, // docs.aws.amazon.com, WAF, CAPTCHA and Challenge actions
	{"Sg-Captcha", "", Wall{"SiteGround", challenges}},     // the field of its challenge page
	{"X-Vercel-Mitigated", "", Wall{"Vercel", challenges}}, // vercel.com/docs, Response headers
	{"X-Vercel-Challenge-Token", "", Wall{"Vercel", challenges}},
	{"X-Kpsdk-Ct", "", Wall{"Kasada", challenges}}, // its token is only in answers to programs that are not let in
	{"X-Kpsdk-Im", "", Wall{"Kasada", challenges}},
	{"X-Sucuri-Block", "", Wall{"Sucuri", refuses}}, // docs.sucuri.net, Firewall, HTTP headers
	{"X-Dd-B", "", Wall{"DataDome", challenges}},    // docs.datadome.co, Protection API, the field of a blocked request
	{"X-Squid-Error", "err_access_denied", Wall{"a proxy", refuses}},
}

// servers are fields of answers that a product makes itself. With them, an error whose content is a web
// page is an answer of the product, because a site would send JSON.
var servers = [...]field{
	{"Server", "akamaighost", Wall{"Akamai", refuses}}, // the server of the site keeps its own field
	{"Server", "datadome", Wall{"DataDome", refuses}},
	{"Server", "yunsuo", Wall{"Yunsuo", refuses}},
	{"Server", "mod_security", Wall{"ModSecurity", refuses}},
	{"X-Datadome", "", Wall{"DataDome", refuses}},
	{"X-Distil-Cs", "", Wall{"Imperva", refuses}},
}

// edges are fields of products in every answer that they pass on. They prove nothing about who refuses,
// and name only an answer that no site gives.
var edges = [...]field{
	{"Server", "cloudflare", Wall{"Cloudflare", refuses}},
	{"Server", "sucuri", Wall{"Sucuri", refuses}},
	{"Server", "imperva", Wall{"Imperva", refuses}},
	{"Server", "incapsula", Wall{"Imperva", refuses}},
	{"Server", "ddos-guard", Wall{"DDoS-Guard", refuses}},
	{"Server", "stgw", Wall{"Tencent", refuses}},
	{"Server", "tencent", Wall{"Tencent", refuses}},
	{"Server", "qrator", Wall{"Qrator", refuses}},
	{"Server", "reblaze", Wall{"Reblaze", refuses}},
	{"Server", "variti", Wall{"Variti", refuses}},
	{"X-Sucuri-Id", "", Wall{"Sucuri", refuses}},
	{"X-Iinfo", "", Wall{"Imperva", refuses}},
	{"X-Cdn", "imperva", Wall{"Imperva", refuses}},
	{"X-Azure-Fdid", "", Wall{"Azure Front Door", refuses}},
}

// product returns the product of a list whose field a header has.
func product(list []field, header http.Header) Wall {
	for i := range list {
		if list[i].in(header) {
			return list[i].Wall
		}
	}
	return Wall{}
}

// page is a text that only the pages of a wall have. All parts are in lower case, and each must be in
// the beginning of the body.
type page struct {
	parts []string
	Wall
}

// pages are recognised in web pages and in JSON that no format reads, at any status.
var pages = [...]page{
	{[]string{"<title>just a moment...</title>"}, Wall{"Cloudflare", challenges}},
	{[]string{"<title>attention required! | cloudflare</title>"}, Wall{"Cloudflare", refuses}},
	{[]string{"<title>please wait... | cloudflare</title>"}, Wall{"Cloudflare", challenges}},
	{[]string{"checking your browser", "cloudflare"}, Wall{"Cloudflare", challenges}},
	{[]string{"used cloudflare to restrict access"}, Wall{"Cloudflare", refuses}},
	{[]string{"you are unable to access", "cloudflare"}, Wall{"Cloudflare", refuses}},
	{[]string{"window._cf_chl_opt"}, Wall{"Cloudflare", challenges}},
	{[]string{"_incapsula_resource", "incident"}, Wall{"Imperva", challenges}},
	{[]string{"incapsula incident id"}, Wall{"Imperva", refuses}},
	{[]string{"pardon our interruption"}, Wall{"Imperva", challenges}},
	{[]string{"captcha-delivery.com/"}, Wall{"DataDome", challenges}},
	{[]string{"window.kpsdk", "/ips.js"}, Wall{"Kasada", challenges}},
	{[]string{"px-captcha"}, Wall{"HUMAN (PerimeterX)", challenges}},
	{[]string{"\"blockscript\"", "\"appid\""}, Wall{"HUMAN (PerimeterX)", challenges}},
	{[]string{"the requested url was rejected", "support id"}, Wall{"F5", refuses}},
	{[]string{"generated by wordfence"}, Wall{"Wordfence", refuses}},
	{[]string{"wordfence", "your access to this site has been limited"}, Wall{"Wordfence", refuses}},
	{[]string{"mod_security", "not acceptable"}, Wall{"ModSecurity", refuses}},
	{[]string{"modsecurity action"}, Wall{"ModSecurity", refuses}},
	{[]string{"<title>not acceptable!</title>"}, Wall{"ModSecurity", refuses}},
	{[]string{"<title>sucuri website firewall"}, Wall{"Sucuri", refuses}},
	{[]string{"<title>access denied</title>", "reference #"}, Wall{"Akamai", refuses}},
	{[]string{"edgesuite.net", "access denied"}, Wall{"Akamai", refuses}},
	{[]string{"cloudfront", "request could not be satisfied", "blocked"}, Wall{"CloudFront", refuses}},
	{[]string{"cloudfront", "configured to block access from your country"}, Wall{"CloudFront", refuses}},
	{[]string{"<title>vercel security checkpoint</title>"}, Wall{"Vercel", challenges}},
	{[]string{"/.well-known/sgcaptcha/"}, Wall{"SiteGround", challenges}},
	{[]string{"<title>human verification</title>"}, Wall{"AWS WAF", challenges}},
	{[]string{"awswafintegration", "gokuprops"}, Wall{"AWS WAF", challenges}},
	{[]string{"anubis", "making sure you"}, Wall{"Anubis", challenges}},
	{[]string{"<title>ddos-guard</title>"}, Wall{"DDoS-Guard", challenges}},
	{[]string{"radware captcha page"}, Wall{"Radware", challenges}},
	{[]string{"you are being blocked", "barracuda"}, Wall{"Barracuda", refuses}},
	{[]string{"fortigate", "web page blocked"}, Wall{"FortiGate", refuses}},
	{[]string{"fortiweb", "attack id"}, Wall{"FortiWeb", refuses}},
	{[]string{"the request is blocked", "azure"}, Wall{"Azure Front Door", refuses}},
	{[]string{"/_fs-ch-"}, Wall{"Fastly", challenges}},
	{[]string{"x5referer"}, Wall{"Alibaba Cloud", challenges}},
	{[]string{"punish-component"}, Wall{"Alibaba Cloud", challenges}},
	{[]string{"rbzns"}, Wall{"Reblaze", challenges}},
	{[]string{"<title>are you human?</title>"}, Wall{"a captcha", challenges}},
	{[]string{"<title>are you a robot?</title>"}, Wall{"a captcha", challenges}},
	{[]string{"<title>robot check</title>"}, Wall{"a captcha", challenges}},
	{[]string{"<title>bot verification</title>"}, Wall{"a captcha", challenges}},
}

// Fields returns the names of the header fields by which walls are recognised.
func Fields() (names []string) {
	for _, list := range [...][]field{marks[:], servers[:], edges[:]} {
		for i := range list {
			names = append(names, list[i].name)
		}
	}
	return names
}

// maxPage is the number of bytes of a body that are searched.
const maxPage = 8 << 10

// ByHeader recognises a wall by its header fields and its status. html is true if the content is a
// web page, or if there is none.
func ByHeader(status int, header http.Header, html bool) Wall {
	if found := product(marks[:], header); found.Is() {
		return found
	}
	if status == http.StatusUnavailableForLegalReasons { // RFC 7725
		return Wall{"a legal block", refuses}
	}
	if !html {
		return Wall{}
	}
	if odd(status) { // no site answers a request for a document with it
		return cmp.Or(product(servers[:], header), product(edges[:], header), Wall{"a page for browsers", challenges})
	}
	if denies(status) {
		return product(servers[:], header)
	}
	return Wall{}
}

// denies reports whether a status is one with which walls refuse.
func denies(status int) bool {
	switch status {
	case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// odd reports whether a status means success but is none for a document: 202 (RFC 9110 §15.3.3), or
// one that is not registered.
func odd(status int) bool {
	return status == http.StatusAccepted || status > 208 && status < 300 && status != http.StatusIMUsed
}

// ByBody recognises a wall by the page that it shows: HTML, or JSON that is no document.
func ByBody(body []byte) Wall {
	text := bytes.ToLower(body[:min(len(body), maxPage)])
	for i := range pages {
		if pages[i].in(text) {
			return pages[i].Wall
		}
	}
	return Wall{}
}

func (f *field) in(header http.Header) bool {
	for _, v := range header[f.name] {
		if f.value == "" || strings.Contains(strings.ToLower(v), f.value) {
			return true
		}
	}
	return false
}

func (p *page) in(text []byte) bool {
	for _, part := range p.parts {
		if !bytes.Contains(text, []byte(part)) {
			return false
		}
	}
	return true
}
