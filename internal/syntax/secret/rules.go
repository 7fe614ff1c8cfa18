package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// secretShape is a rule for secrets that are recognised by their form.
type secretShape struct {
	name, source string
	// A text without any of the hints, or without also, cannot match the shape. If fold is
	// true, the hints are in lower case and the shape ignores case.
	hints []string
	also  string
	fold  bool
	// shape has the secret in its first group (RE2, so it takes linear time).
	shape *regexp.Regexp
	// live reports whether a value with the shape is a secret.
	live func(secret string) bool
}

// secretShapes returns the rules, which are compiled at the first use.
var secretShapes = sync.OnceValue(func() []secretShape {
	shape := func(name, source, expr string, live func(string) bool, hints ...string) secretShape {
		return secretShape{name: name, source: source, hints: hints, fold: strings.HasPrefix(expr, "(?i)"),
			shape: regexp.MustCompile(expr), live: live}
	}
	inURL := func(s secretShape) secretShape {
		s.also = "@"
		return s
	}
	return []secretShape{
		shape("private-key", "RFC 7468 §10, §11 and §13; RFC 9580 §6.2 for OpenPGP",
			`(-----BEGIN[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----(?:-{0,4}[A-Za-z0-9+/=\s\\:,.()])*(?:-----END[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----)?)`,
			livePEM, "PRIVATE KEY"),
		shape("anthropic-key", "Anthropic, API keys: sk-ant-, kind, version", `(?:\b|_)(sk-ant-[a-z]{2,10}[0-9]{2}-[A-Za-z0-9_-]{20,})`, random, "sk-ant-"),
		shape("openai-key", "OpenAI, API keys: sk-, sk-proj-, sk-svcacct-, sk-admin-; others use sk- alike",
			`(?:\b|_)(sk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,}))`, random, "sk-"),
		shape("github-token", "GitHub Docs, GitHub's token formats", `(?:\b|_)(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})`,
			drawn, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		shape("gitlab-token", "GitLab Docs, Token overview: token prefixes", `(?:\b|_)(gl(?:pat|ptt|rt|dt|cbt|oas|ft|soat|imt|agent)-[A-Za-z0-9_-]{20,})`, random,
			"glpat-", "glptt-", "glrt-", "gldt-", "glcbt-", "gloas-", "glft-", "glsoat-", "glimt-", "glagent-"),
		shape("slack-token", "Slack, Token types", `(?:\b|_)(xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{16,}|xapp-[0-9]-[A-Za-z0-9-]{16,})`, random, "xox", "xapp-"),
		shape("webhook-url", "Slack, Incoming webhooks; Discord, Webhook resource: the path is the credential",
			`(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)/([A-Za-z0-9_/-]{30,})`,
			random, "hooks.slack.com", "/api/webhooks/"),
		shape("stripe-key", "Stripe Docs, API keys: secret and restricted keys in live mode; webhook signing secrets",
			`(?:\b|_)((?:sk|rk)_live_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*)`, drawn, "_live_", "whsec_"),
		shape("aws-access-key", "AWS IAM, Understanding unique ID prefixes: AKIA and ASIA", `(?:\b|_)((?:AKIA|ASIA)[A-Z2-7]{16})\b`, drawn, "AKIA", "ASIA"),
		shape("aws-secret-key", "AWS, Access keys: forty characters of base64 beside a name",
			`(?i)\baws_?(?:secret|sec)?_?(?:access)?_?key["'\x60]?[ \t]{0,3}[:=]>?[ \t]{0,3}["'\x60]?([a-z0-9/+]{40})\b`, drawn, "aws"),
		shape("google-key", "Google Cloud, API keys: AIza and 35 characters", `(?:\b|_)(AIza[A-Za-z0-9_-]{35})`, drawn, "AIza"),
		shape("google-token", "Google Identity, OAuth 2.0: access tokens, refresh tokens and client secrets",
			`(?:\b|_)(ya29\.[A-Za-z0-9_-]{20,}|1//0[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{28})`, drawn, "ya29.", "1//0", "GOCSPX-"),
		shape("huggingface-token", "Hugging Face, User access tokens: hf_", `(?:\b|_)(hf_[A-Za-z0-9]{34,})`, drawn, "hf_"),
		shape("npm-token", "npm Docs, About access tokens: npm_ and 36 characters", `(?:\b|_)(npm_[A-Za-z0-9]{36})`, drawn, "npm_"),
		shape("pypi-token", "PyPI, API tokens: pypi- and a macaroon", `(?:\b|_)(pypi-AgE[A-Za-z0-9_-]{50,})`, drawn, "pypi-AgE"),
		shape("sendgrid-key", "Twilio SendGrid Docs, API keys: SG., 22 and 43 characters", `(?:\b|_)(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})`, drawn, "SG."),
		shape("twilio-key", "Twilio Docs, API keys: SK and 32 hexadecimal digits", `(?:\b|_)(SK[0-9a-f]{32})\b`, drawn, "SK"),
		shape("telegram-token", "Telegram Bot API, Authorizing your bot", `(?:\bbot|\b|_)([0-9]{8,10}:AA[A-Za-z0-9_-]{32,})`, drawn, ":AA"),
		shape("service-token", "issuers' prefixes: DigitalOcean, Shopify, HashiCorp Vault, Databricks, Linear, Notion, Replicate, Groq, xAI",
			`(?:\b|_)((?:do[opr]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-f0-9]{32}|hvs\.[A-Za-z0-9_-]{24,}|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{37}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}))`,
			drawn, "_v1_", "shp", "hvs.", "dapi", "lin_api_", "ntn_", "r8_", "gsk_", "xai-"),
		shape("jwt", "RFC 7519 §3, RFC 7515 §7.1: header, claims and signature", `(?:\b|_)(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,})`, liveJWT, "eyJ"),
		inURL(shape("url-password", "RFC 3986 §3.2.1: user information", `://[^\s/?#@:"'<>]*:([^\s/?#@"'<>]+)@`, livePassword, "://")),
		inURL(shape("url-userinfo", "RFC 3986 §3.2.1: a token before the host", `://([^\s/?#@:"'<>]{16,})@`, random, "://")),
		shape("bearer-token", "RFC 6750 §2.1", `(?i)\bbearer[ \t]+([a-z0-9._~+/-]{16,}=*)`, random, "bearer"),
		shape("basic-credentials", "RFC 7617 §2", `(?i)\bbasic[ \t]+([a-z0-9+/_-]{8,}={0,2})`, liveBasic, "basic"),
	}
})

// livePEM reports whether there is a key between the lines, which is at least one line of
// base64.
func livePEM(text string) bool {
	_, body, _ := strings.Cut(text, "KEY")
	body, _, _ = strings.Cut(body, "-----END")
	longest := ""
	for word := range strings.FieldsFuncSeq(body, func(r rune) bool {
		return r != '+' && r != '/' && r != '=' && (r > 0x7f || !isTokenByte(byte(r)) || r == '-')
	}) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return len(longest) >= 40 && !repetitive(longest)
}

// liveJWT reports whether a token is signed and is not a sample.
func liveJWT(token string) bool {
	parts := strings.Split(token, ".")
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), `"alg"`) {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err == nil && strings.HasPrefix(string(claims), "{") && !sampleJWT(token) && !repetitive(parts[2])
}

// livePassword judges the text after a user name in a URL.
func livePassword(password string) bool {
	return len(password) >= minSecret && !placeholder(password) && !stockWord(password)
}

// liveBasic reports whether a text is the base64 of a name and a password.
func liveBasic(encoded string) bool {
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		plain, err = base64.RawStdEncoding.DecodeString(encoded)
	}
	user, password, ok := strings.Cut(string(plain), ":")
	if err != nil || !ok || strings.ContainsFunc(user+password, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return false
	}
	return livePassword(password) && !published(encoded)
}
