package wall

// Advice returns the sentence for the publisher of a site: which setting of the product lets agents read
// the documents that are meant for them. It says nothing about a product that the answer does not name.
func (w Wall) Advice() string {
	for i := range advice {
		if advice[i].name == w.Name {
			return advice[i].text
		}
	}
	switch w.Asks {
	case login:
		return "Leave /.well-known/, /robots.txt and /llms.txt out of the login: agents read them before a person logs in."
	case consents:
		return "Ask for consent in the page itself, and redirect no request for /.well-known/, /robots.txt or /llms.txt."
	}
	return "Let requests for /.well-known/, /robots.txt and /llms.txt pass the firewall without a challenge, whichever program sends them."
}

// advice has a sentence for each product whose setting is known.
var advice = [...]struct{ name, text string }{
	{"Cloudflare", "In Cloudflare, add a WAF custom rule with the action Skip for `starts_with(http.request.uri.path, \"/.well-known/\")`, which skips Super Bot Fight Mode and managed rules too, and allow AI bots in AI Crawl Control."},
	{"AWS WAF", "In AWS WAF, add an Allow rule for paths that begin with /.well-known/ before the rules with Challenge or CAPTCHA, or leave these paths out with a scope-down statement of the Bot Control rule group."},
	{"CloudFront", "In CloudFront, look at the geographic restrictions of the distribution and at the AWS WAF web ACL that it names, and allow /.well-known/*."},
	{"Vercel", "In Vercel, add a custom rule with the action Bypass for paths that begin with /.well-known/ to the Firewall, and turn Attack Mode and the challenge of Bot Protection off. Deployment Protection must not be on for the production domain."},
	{"SiteGround", "In SiteGround, let the support of the host turn the captcha (AI anti-bot) off for /.well-known/, or leave these paths out in the Security Optimizer."},
	{"Kasada", "In Kasada, leave /.well-known/* out of the protected endpoints."},
	{"Sucuri", "In the Sucuri firewall, add /.well-known/ to Access Control, Allow URL Paths, and turn off the emergency DDoS protection, which tests browsers."},
	{"DataDome", "In DataDome, leave /.well-known/ out of the endpoints that are protected, or allow AI agents in the bot and agent management."},
	{"Imperva", "In Imperva Cloud WAF, add an exception for the URL /.well-known/ to Bot Access Control, and an Allow rule for it to Advanced Bot Protection."},
	{"Akamai", "In Akamai, add a bypass for /.well-known/* to the security policy (WAF exception), and leave it out of the protected resources of Bot Manager."},
	{"HUMAN (PerimeterX)", "In HUMAN, add the route /.well-known/ to the allowlist of the policy."},
	{"F5", "In F5 (BIG-IP ASM, Advanced WAF), add /.well-known/* to the allowed URLs of the policy, and leave it out of the bot defence profile."},
	{"Wordfence", "In Wordfence, add /.well-known/* to Allowlisted URLs in the firewall options, and relax Rate Limiting for crawlers."},
	{"ModSecurity", "In ModSecurity, add a rule such as `SecRule REQUEST_URI \"@beginsWith /.well-known/\" \"id:1000,phase:1,pass,nolog,ctl:ruleEngine=Off\"`."},
	{"Azure Front Door", "In the WAF policy of Azure Front Door, add a custom rule with the action Allow for a RequestUri that contains /.well-known/, before the managed rules for bots."},
	{"Fastly", "In Fastly, leave /.well-known/ out of the rules of the Next-Gen WAF and of Bot Management that send a client challenge."},
	{"DDoS-Guard", "In DDoS-Guard, add /.well-known/ to the allowed URLs of the protected domain."},
	{"Radware", "In Radware Bot Manager, add the path /.well-known/ to the allowlist."},
	{"Barracuda", "In the Barracuda WAF, add a URL allow rule for /.well-known/*."},
	{"FortiWeb", "In FortiWeb, add /.well-known/ to the global allow list (URL), and leave it out of bot mitigation."},
	{"FortiGate", "In FortiGate, exempt the site in the web filter profile (static URL filter)."},
	{"Tencent", "In Tencent Cloud EdgeOne or WAF, add /.well-known/ to the exception rules of the protection."},
	{"Alibaba Cloud", "In Alibaba Cloud WAF, add a whitelist rule for paths that begin with /.well-known/, for bot management too."},
	{"Reblaze", "In Reblaze, add a bypass for /.well-known/ to the ACL profile."},
	{"Qrator", "In Qrator, add /.well-known/ to the exceptions of the bot protection."},
	{"Anubis", "In the bot policy of Anubis, add a rule with `path_regex: ^/\\.well-known/.*$` and `action: ALLOW`."},
	{"Queue-it", "In Queue-it, leave /.well-known/ out of the triggers of the waiting room."},
	{"a legal block", "The server answers 451, a legal block. If it is a rule for countries, leave /.well-known/ out of it."},
	{"Cloudflare Access", "In Cloudflare Access, add an application for the path /.well-known/ with a policy whose action is Bypass."},
	{"Netlify", "In Netlify, take the password or team login off the production site (Site configuration, Access and security, Visitor access)."},
	{"Azure App Service", "In Azure App Service, add /.well-known/* to `excludedPaths` of globalValidation in the authentication settings (authsettingsV2)."},
	{"OAuth2 Proxy", "In OAuth2 Proxy, add `--skip-auth-route=^/\\.well-known/`."},
	{"Zendesk", "In Zendesk, turn off Require sign in (Guide admin, Settings), or publish the documents at another host."},
}
