package wall

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// door is a place to which a redirect leads instead of the site: the page of a captcha, a login, or a
// page that asks for consent. The names of hosts include their subdomains.
type door struct {
	host string // empty: any host
	path string // a part of the path and the query, in lower case; empty: any path
	Wall
}

// doors are judged in their order. A place is one only if the URL that was asked is not below it.
var doors = [...]door{
	{"", "/.well-known/sgcaptcha/", Wall{"SiteGround", challenges}},
	{"", "/.well-known/ddos-guard/", Wall{"DDoS-Guard", challenges}},
	{"", "/_incapsula_resource", Wall{"Imperva", challenges}},
	{"", "/distil_r_captcha", Wall{"Imperva", challenges}},
	{"", "/cdn-cgi/challenge-platform", Wall{"Cloudflare", challenges}},
	{"", "/_fs-ch-", Wall{"Fastly", challenges}},
	{"", "/.within.website/", Wall{"Anubis", challenges}},             // anubis.techaro.lol
	{"validate.perfdrive.com", "", Wall{"Radware", challenges}},       // the page of Radware Bot Manager
	{"captcha-delivery.com", "", Wall{"DataDome", challenges}},        // docs.datadome.co
	{"queue-it.net", "", Wall{"Queue-it", challenges}},                // queue-it.com, a waiting room
	{"google.com", "/sorry/", Wall{"Google", challenges}},             // support.google.com, Unusual traffic
	{"", "/cdn-cgi/access/login", Wall{"Cloudflare Access", login}},   // developers.cloudflare.com, Cloudflare One, Access
	{"vercel.com", "/sso-api", Wall{"Vercel", login}},                 // vercel.com/docs, Deployment Protection
	{"app.netlify.com", "/authorize", Wall{"Netlify", login}},         // docs.netlify.com, Team login protection
	{"login.microsoftonline.com", "", Wall{"Microsoft Entra", login}}, // learn.microsoft.com, Microsoft identity platform
	{"login.microsoftonline.us", "", Wall{"Microsoft Entra", login}},
	{"login.live.com", "", Wall{"a Microsoft account", login}},
	{"b2clogin.com", "", Wall{"Microsoft Entra", login}},
	{"ciamlogin.com", "", Wall{"Microsoft Entra", login}},
	{"", "/.auth/login/", Wall{"Azure App Service", login}}, // learn.microsoft.com, App Service authentication
	{"", "/adfs/ls", Wall{"AD FS", login}},                  // learn.microsoft.com, AD FS sign-in pages
	{"accounts.google.com", "", Wall{"a Google account", login}},
	{"okta.com", "", Wall{"Okta", login}}, // developer.okta.com
	{"oktapreview.com", "", Wall{"Okta", login}},
	{"okta-emea.com", "", Wall{"Okta", login}},
	{"auth0.com", "", Wall{"Auth0", login}},                  // auth0.com/docs, Universal Login
	{"amazoncognito.com", "", Wall{"Amazon Cognito", login}}, // docs.aws.amazon.com, Cognito, managed login
	{"awsapps.com", "", Wall{"AWS IAM Identity Center", login}},
	{"onelogin.com", "", Wall{"OneLogin", login}},
	{"pingone.com", "", Wall{"Ping Identity", login}},
	{"pingidentity.com", "", Wall{"Ping Identity", login}},
	{"duosecurity.com", "", Wall{"Duo", login}},
	{"jumpcloud.com", "", Wall{"JumpCloud", login}},
	{"authkit.app", "", Wall{"WorkOS", login}},
	{"accounts.dev", "", Wall{"Clerk", login}}, // clerk.com/docs, Account Portal
	{"id.atlassian.com", "", Wall{"Atlassian", login}},
	{"zendesk.com", "/access/unauthenticated", Wall{"Zendesk", login}}, // support.zendesk.com, a help centre for signed-in users
	{"zendesk.com", "/auth/", Wall{"Zendesk", login}},
	{"github.com", "/login", Wall{"GitHub", login}},
	{"gitlab.com", "/users/sign_in", Wall{"GitLab", login}},
	{"", "/protocol/openid-connect/auth", Wall{"Keycloak", login}}, // keycloak.org/docs, OpenID Connect endpoints
	{"", "/idp/profile/saml2/", Wall{"Shibboleth", login}},         // shibboleth.atlassian.net
	{"", "/outpost.goauthentik.io/", Wall{"authentik", login}},     // docs.goauthentik.io, proxy provider
	{"", "/oauth2/start", Wall{"OAuth2 Proxy", login}},             // oauth2-proxy.github.io
	{"", "/access/unauthenticated?", Wall{"another host", login}},
	{"consent.google.com", "", Wall{"Google", consents}},
	{"consent.youtube.com", "", Wall{"YouTube", consents}},
	{"consent.yahoo.com", "", Wall{"Yahoo", consents}}, // with guce.yahoo.com before it
	{"guce.yahoo.com", "", Wall{"Yahoo", consents}},
	{"guce.advertising.com", "", Wall{"Yahoo", consents}},
	{"", "/collectconsent", Wall{"a page for visitors", consents}},
}

// ByRedirect recognises a wall by a redirect: by the header fields of the answer, or by the place to
// which it leads. asked is the URL of the answer.
func ByRedirect(asked *url.URL, status int, header http.Header) Wall {
	if found := ByHeader(status, header, false); found.Is() {
		return found
	}
	target, err := asked.Parse(header.Get("Location"))
	if err != nil || header.Get("Location") == "" {
		return Wall{}
	}
	for i := range doors {
		if doors[i].at(target) && !doors[i].at(asked) {
			return doors[i].Wall
		}
	}
	if isCaptcha(target) && !isCaptcha(asked) {
		return Wall{"a captcha", challenges}
	}
	return Wall{}
}

// isCaptcha reports whether a part of the path is named so: "/captcha", "/captcha.html".
func isCaptcha(u *url.URL) bool {
	for part := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		if name, _, _ := strings.Cut(part, "."); name == "captcha" {
			return true
		}
	}
	return false
}

// at reports whether a URL is at the door.
func (d *door) at(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return (d.host == "" || host == d.host || strings.HasSuffix(host, "."+d.host)) &&
		strings.Contains(strings.ToLower(u.EscapedPath()+"?"+u.RawQuery), d.path)
}

// ByLoop recognises a wall by redirects that lead back to a URL that was asked: a program without
// cookies never leaves them. cookie is true if one of the answers sets a cookie. header is that of the
// last answer.
func ByLoop(cookie bool, header http.Header) Wall {
	if !cookie {
		return Wall{}
	}
	found := product(edges[:], header)
	if found.Name == "Cloudflare" { // it sets cookies of its own in the loops of a site behind it
		return Wall{}
	}
	if found = cmp.Or(found, product(servers[:], header)); found.Is() {
		return Wall{found.Name, challenges}
	}
	return Wall{"a page for browsers", challenges}
}
