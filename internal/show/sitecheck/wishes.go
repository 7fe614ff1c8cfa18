package sitecheck

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// wishRules are about the wishes of a site about agents.
func wishRules() []Rule {
	return []Rule{
		{
			ID: "robots", Group: groupWishes, Title: "robots.txt", Spec: specOf(formats.All(), "robots").At("§2.2"),
			Asks: "/robots.txt", Passes: "it is read, and has a User-agent line",
			Gain:     "A crawler knows where it may go. Without the file it may go everywhere (RFC 9309 §2.3.1.3).",
			Mend:     "Publish /robots.txt as text/plain, with a group for each kind of client.",
			Scanners: "robotsTxt: an absent file fails. Here it is absent, which allows everything.",
			judge:    judgeRobots, copy: copyRobots,
		},
		{
			ID: "ai_rules", Group: groupWishes, Title: "Rules for agents in robots.txt", Spec: specOf(formats.All(), "robots").At("§2.2.1"),
			Asks: "/robots.txt", Passes: "a group is for all clients (*), or for a crawler of artificial intelligence by name",
			Gain:     "An agent knows whether it is meant.",
			Mend:     "Add a group `User-agent: *` to /robots.txt, or groups for the crawlers that you mean.",
			Scanners: "robotsTxtAiRules: the same.",
			judge:    judgeAIRules, copy: copyRobots,
		},
		{
			ID: "content_signals", Group: groupWishes, Title: "Wishes about the use of content",
			Spec: wayfind.SpecRef{Title: "Content Signals", URL: "https://contentsignals.org/"},
			Asks: "Content-Signal and Content-Usage in /robots.txt and in headers", Passes: "one is there and can be read",
			Gain:     "An agent knows whether answers may be made of the content, and whether models may be trained on it.",
			Mend:     "Add a line such as `Content-Signal: search=yes, ai-input=yes, ai-train=no` to a group of /robots.txt. The values are your decision.",
			Scanners: "contentSignals: Content-Signal alone, and level 2 needs it. Here Content-Usage (draft-ietf-aipref-attach) passes too, and no level needs it: a wish is a decision of the publisher, not a merit.",
			judge:    judgeSignals, copy: copyRobots,
		},
		{
			ID: "webbotauth", Group: groupWishes, Title: "Web Bot Auth keys", full: true,
			Spec: wayfind.SpecRef{Title: "HTTP Message Signatures Directory", URL: "https://datatracker.ietf.org/doc/html/draft-meunier-http-message-signatures-directory"},
			Asks: placeKeys, Passes: "it is a set of keys",
			Gain:     "Other sites can check the requests that bots of this domain sign.",
			Mend:     "Publish the directory if the domain runs a bot: \"wayfind keys\" writes it.",
			Scanners: "webBotAuth: absent is neutral. Here it is not for this site: the file is about requests that the domain sends.",
			judge:    judgeKeys,
		},
	}
}

func judgeRobots(f *facts) finding {
	found := f.reading("robots", isStranger)
	if found.status != Pass {
		return found
	}
	s := f.sources("robots")[0]
	a, known := f.Answers[cmp.Or(s.FinalURL, s.URL)]
	if known && a.Status == http.StatusOK && !bytes.Contains(bytes.ToLower(a.Body), []byte("user-agent")) {
		return fails("/robots.txt has no User-agent line, so no rule of it counts", found.places...)
	}
	return found
}

func judgeAIRules(f *facts) finding {
	list := f.policies("robots")
	switch {
	case len(list) > 0:
		return passes(humanize.Count(len(list), "group"))
	case f.status("robots") == Pass:
		return fails("/robots.txt has groups for other crawlers alone", f.at("/robots.txt"))
	}
	return finding{status: f.status("robots"), why: "see robots"}
}

func judgeSignals(f *facts) finding {
	for _, kind := range [...]string{"content_signal", "content_usage"} {
		if list := f.policies(kind); len(list) > 0 {
			return passes(fmt.Sprintf("%q", list[0].Text))
		}
	}
	if f.status("robots").Known() {
		return absent("")
	}
	return finding{status: f.status("robots"), why: "see robots"}
}

func judgeKeys(f *facts) finding {
	extra := f.Extra[placeKeys]
	if extra.Reason == "webbotauth" {
		return passes(placeKeys+" is a directory of keys", f.at(placeKeys))
	}
	found := extra.without(f, placeKeys, fails(placeKeys+" is no directory of keys", f.at(placeKeys)))
	if found.status == Absent {
		return inapplicable("the domain publishes no keys of a bot")
	}
	return found
}
