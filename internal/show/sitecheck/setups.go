package sitecheck

import (
	"bytes"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// setup is a kind of set-up that answers wrongly for a place without a document.
type setup string

// The kinds of set-ups.
const (
	setupShell   setup = "shell"   // the page of an application for any path, with status 200
	setupHome    setup = "home"    // a redirect to another page of the site
	setupLogin   setup = "login"   // a redirect to the login of the site itself
	setupAway    setup = "away"    // a redirect of everything to another host
	setupDenied  setup = "denied"  // 401 or 403 for absent places
	setupDot     setup = "dot"     // a rule that forbids /.well-known/
	setupBroken  setup = "broken"  // a server error for absent places
	setupMethod  setup = "method"  // 400, 405, 406 or 415 for a GET
	setupOdd     setup = "odd"     // another status, such as 202, or JSON with status 200
	setupClosed  setup = "closed"  // a credential for the whole site
	setupPaid    setup = "paid"    // payment for the whole site
	setupLimited setup = "limited" // too many requests
	setupPause   setup = "pause"   // 503 with Retry-After, or a pause that an earlier answer asked for
	setupDown    setup = "down"    // a server error for each request
	setupSilent  setup = "silent"  // no answer at all
	setupType    setup = "type"    // a document that is served as a web page
	setupSlash   setup = "slash"   // a redirect of a document to the same path with a slash
)

// remedy is a sentence with the setting to change. A product is named only if its field is in the header
// of the answer, or if its text is in the body.
type remedy struct {
	of    setup
	field string // name of a header field; empty: none
	value string // a part of its value, in lower case
	body  string // a text in the body
	text  string
}

// settings is the table of remedies. The first row that an answer proves is used. The last row of each
// kind names no product.
var settings = [...]remedy{
	{setupShell, "Server", "netlify", "", "In Netlify, write the rule `/.well-known/* /404.html 404` before `/* /index.html 200` in _redirects."},
	{setupShell, "Server", "vercel", "", "In Vercel, leave /.well-known/ out of the rewrite in vercel.json: `\"source\": \"/((?!\\\\.well-known/).*)\"`."},
	{setupShell, "Server", "cloudflare", "", "The answer came through Cloudflare. Cloudflare Pages answers with /index.html if the site has no 404.html, so add one; in Workers, set `not_found_handling` to \"404-page\"."},
	{setupShell, "Server", "amazons3", "", "In CloudFront, remove the custom error responses that answer /index.html with status 200 for 403 and 404, and let a function rewrite the pages of the application."},
	{setupShell, "Server", "nginx", "", "In nginx, write `location ^~ /.well-known/ { try_files $uri =404; }` beside the location that ends in /index.html."},
	{setupShell, "Server", "apache", "", "In Apache, write `RewriteCond %{REQUEST_URI} !^/\\.well-known/` before the RewriteRule that leads to the page of the application."},
	{setupShell, "Server", "caddy", "", "In Caddy, write `handle /.well-known/* { file_server }` before `try_files {path} /index.html`."},
	{setupShell, "X-Powered-By", "express", "", "In Express, write `app.use(\"/.well-known\", (req, res) => res.sendStatus(404))` after express.static and before the route for all paths."},
	{setupShell, "", "", "", "Leave /.well-known/, and paths with a file extension, out of the rule that answers with the page of the application."},

	{setupHome, "Link", "https://api.w.org/", "", "In WordPress, turn off the plugin or the setting that redirects pages that do not exist, so that they answer 404."},
	{setupHome, "", "", "", "Answer 404 for a path that does not exist. Turn off the setting that redirects it to another page."},

	{setupLogin, "Powered-By", "shopify", "", "In Shopify, take the password off the shop: Online Store, Preferences, Password protection."},
	{setupLogin, "", "", "", "Leave /.well-known/, /robots.txt and /llms.txt out of the login: agents read them before a person logs in."},

	{setupAway, "", "", "", "Publish the documents at the host that everything redirects to, and name that host to agents; or answer at this one for /.well-known/."},

	{setupDenied, "", "", "<Code>AccessDenied</Code>", "The store of objects answers 403 for an absent object, because the reader may not list it: allow s3:ListBucket to the reader of the bucket, for example to the origin access control of CloudFront, or answer 404 by a custom error response for 403."},
	{setupDenied, "", "", "storage.objects.", "Google Cloud Storage answers 403 for an absent object, because the reader may not list the bucket: grant storage.objects.list to it."},
	{setupDenied, "", "", "Missing Authentication Token", "Amazon API Gateway answers 403 for a path without a route: set the gateway response MISSING_AUTHENTICATION_TOKEN to status code 404."},
	{setupDenied, "", "", "", "Demand a credential only for paths that exist, and answer 404 for the others."},

	{setupDot, "Server", "nginx", "", "In nginx, write `location ^~ /.well-known/ { allow all; }` before the rule that denies names with a dot, such as `location ~ /\\.`, or change that rule to `location ~ /\\.(?!well-known/)`."},
	{setupDot, "Server", "apache", "", "In Apache, change the rule that forbids names with a dot to leave the folder out: `RedirectMatch 403 \"/\\.(?!well-known/)\"`."},
	{setupDot, "Server", "litespeed", "", "In LiteSpeed, change the rewrite rule that forbids names with a dot to leave the folder out: `RewriteRule \"(^|/)\\.(?!well-known/)\" - [F]`."},
	{setupDot, "Server", "caddy", "", "In Caddy, leave the folder out of the matcher that forbids names with a dot: `not path /.well-known/*`."},
	{setupDot, "Server", "microsoft-iis", "", "In IIS, remove .well-known from the hidden segments of request filtering, and give the files without an extension a mimeMap."},
	{setupDot, "", "", "", "Find the rule that forbids names that begin with a dot, and leave /.well-known/ out of it."},

	{setupBroken, "", "", "", "The server fails for paths that it does not have. Find the failure in its log, and answer 404."},

	{setupMethod, "", "", "", "The server has no route for GET at these paths. Add one for all other paths that answers 404."},

	{setupOdd, "", "", "", "The answer means that there is something. Answer 404 below /.well-known/, and for each path that the site does not have."},

	{setupClosed, "Server", "vercel", "Authentication Required", "In Vercel, turn Deployment Protection off for the production domain, or check that domain instead of the address of a deployment."},
	{setupPaid, "Crawler-Price", "", "", "In Cloudflare, set pay per crawl (AI Crawl Control) to Allow for the agents that may read the documents for them."},
	{setupClosed, "WWW-Authenticate", "basic", "", "The whole site has a password. Take it off /.well-known/, /robots.txt and /llms.txt; in nginx, write `auth_basic off;` in their locations."},
	{setupClosed, "", "", "", "Let every client read /.well-known/, /robots.txt and /llms.txt, without a credential."},
	{setupPaid, "", "", "", "Let every client read /.well-known/, /robots.txt and /llms.txt without payment: an agent learns the offers of the site there."},

	{setupLimited, "Server", "nginx", "", "In nginx, raise `burst` of limit_req and the number of limit_conn: discovery sends about 40 requests on one connection."},
	{setupLimited, "Server", "cloudflare", "", "In Cloudflare, leave /.well-known/ out of the rate limiting rules, or raise their limit: discovery sends about 40 requests."},
	{setupLimited, "", "", "", "Raise the limit, or leave /.well-known/ out of it: discovery sends about 40 requests on one connection. Send Retry-After with 429."},

	{setupPause, "", "", "", "The server asks for a pause. If it is maintenance, check the site afterwards. If it is a limit, leave /.well-known/ out of it."},
	{setupDown, "Server", "cloudflare", "error code: 52", "Cloudflare gets no answer from the server behind it. Check that it runs, and that its firewall lets the addresses of Cloudflare in."},
	{setupDown, "", "", "", "The server fails for each request. Find the failure in its log."},
	{setupSilent, "", "", "", "Clients cannot reach the server. Mend the cause: its name, its address, its certificate or its firewall."},

	{setupType, "Server", "nginx", "", "In nginx, give the file its type, such as `types { text/markdown md; text/plain txt; application/json json; }`."},
	{setupType, "Server", "apache", "", "In Apache, give the file its type, such as `AddType text/markdown .md` and `AddType text/plain .txt`."},
	{setupType, "", "", "", "Serve it with its own type: application/json, text/markdown or text/plain."},

	{setupSlash, "", "", "", "Serve the document at its path itself, and leave /.well-known/ out of the rule that adds a slash."},
}

// setting returns the sentence for a kind of set-up, by the answer at a place.
func (f *facts) setting(of setup, p *wayfind.Probe) string {
	a := f.answer(p)
	for i := range settings {
		if s := &settings[i]; s.of == of && s.proven(&a) {
			return s.text
		}
	}
	return ""
}

// answer returns the last answer at a place, behind its redirects.
func (f *facts) answer(p *wayfind.Probe) Answer {
	if n := len(p.Redirects); n > 0 {
		return f.Answers[p.Redirects[n-1]]
	}
	return f.Answers[p.URL]
}

// proven reports whether an answer names the product of the remedy, or whether the remedy has none.
func (s *remedy) proven(a *Answer) bool {
	if s.body != "" && !bytes.Contains(a.Body, []byte(s.body)) {
		return false
	}
	if s.field == "" {
		return true
	}
	for _, v := range a.Header.Values(s.field) {
		if strings.Contains(strings.ToLower(v), s.value) {
			return true
		}
	}
	return false
}
