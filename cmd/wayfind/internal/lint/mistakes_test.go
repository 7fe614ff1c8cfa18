package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// planted is a mistake in a document that somebody publishes.
type planted struct {
	kind     string
	file     string // of the corpus
	old, new string // a pattern, and the mistake in the place of its first match
	code     string
	mended   bool // --fix gives the document back as it was; else it changes nothing
}

func plantedMistakes(t *testing.T) []planted {
	var (
		card    = "a2a-agent-card/KyaniteLabs__kinocut-site__1.json"
		card03  = "a2a-agent-card/110kc3__seo__1.json"
		card02  = "a2a-agent-card/prassanna-ravishankar__a2a-registry__3.json"
		detail  = "adp-capability-detail/Yann-Favin-Leveque__agent-discovery-protocol__4.json"
		adp     = "agent-discovery-protocol/Yann-Favin-Leveque__agent-discovery-protocol__1.json"
		skills  = "agent-skills-index/110kc3__seo__1.json"
		skills2 = "agent-skills-index/koala73__worldmonitor__1.json"
		awp     = "agent-web-protocol/agentwebprotocol__agent-json.org__4.json"
		ard     = "ai-catalog/Henzen3d__fixservicos__1.json"
		plugin  = "ai-plugin/copilot-us__chatgpt-plugins__33.json"
		plugin2 = "ai-plugin/copilot-us__chatgpt-plugins__18.json"
		catalog = "api-catalog/AsyncTalk__website__1.json"
		server  = "mcp-server-json/modelcontextprotocol__registry__20.json"
		server2 = "mcp-server-json/aistatusdashboard__aistatusdashboard__1.json"
		mcpCard = "mcp-server-card/modelcontextprotocol__experimental-ext-server-card__7.json"
		api     = "openapi/openai__chatgpt-retrieval-plugin__1.json"
		api2    = "openapi/microsoft__semantic-kernel__16.json"
		oauth   = "oauth-metadata/DailybotHQ__deepworkplan-website__2.json"
		aid     = "ai-discovery-endpoint/aiendpoint__platform__6.json"
		ucp     = "ucp-profile/aamirxia1__deepdell.com__1.json"
	)
	if !golden.Published(t, golden.EnvCorpus) {
		card = "a2a-agent-card/card.json"
		card03 = "a2a-agent-card/card03.json"
		card02 = "a2a-agent-card/card02.json"
		detail = "adp-capability-detail/reserve.json"
		adp = "agent-discovery-protocol/reading.json"
		skills = "agent-skills-index/skills.json"
		skills2 = "agent-skills-index/files.json"
		awp = "agent-web-protocol/board.json"
		ard = "ai-catalog/catalogue.json"
		plugin = "ai-plugin/tickets.json"
		plugin2 = "ai-plugin/open.json"
		catalog = "api-catalog/catalogue.json"
		server = "mcp-server-json/package.json"
		server2 = "mcp-server-json/remote.json"
		mcpCard = "mcp-server-card/card.json"
		api = "openapi/notes.json"
		api2 = "openapi/tides.json"
		oauth = "oauth-metadata/resource.json"
		aid = "ai-discovery-endpoint/weather.json"
		ucp = "ucp-profile/shop.json"
	}
	return []planted{
		{"a required member with a letter too few", card, `"skills"`, `"skils"`, "a2a.misspelt", true},
		{"the member that decides the version, mistyped", card, `"supportedInterfaces"`, `"suportedInterfaces"`, "a2a.misspelt", true},
		{"letters that changed places", catalog, `"anchor"`, `"anhcor"`, "apicatalog.misspelt", true},
		{"another style of writing", card03, `"documentationUrl"`, `"documentation_url"`, "a2a.misspelt", true},
		{"another case", server, `"registryType"`, `"RegistryType"`, "mcp.misspelt", true},
		{"a mistyped list of addresses", server2, `"remotes"`, `"remots"`, "mcp.misspelt", true},
		{"a name in a list", ard, `"displayName": ([^{}]* - )`, `"displyName": $1`, "aicatalog.misspelt", true},
		{"a mistyped member of an entry", detail, `"method"`, `"metod"`, "adp.misspelt", true},
		{"a comma too many", card02, `("pushNotifications": false)\n`, "$1,\n", "document.json_syntax", true},
		{"a byte order mark", mcpCard, `\{`, "\ufeff{", "json.bom", true},
		{"a number where a text belongs", server, `"title": "[^"]*"`, `"title": 10`, "mcp.wrong_type", false},
		{"a text where true or false belongs", card, `"streaming": false`, `"streaming": "false"`, "a2a.wrong_type", true},
		{"a text where a list belongs", card03, `\["application/json"\]`, `"application/json"`, "a2a.wrong_type", false},
		{"a required member that is missing", mcpCard, `  "version": "1.0.0",\n`, "", "mcp.missing", false},
		{"a reference that leads nowhere", api, `#/components/schemas/QueryRequest"`, `#/components/schemas/QueryReqest"`, "openapi.ref_dangling", false},
		{"a type that no schema has", api, `"type": "string"`, `"type": "strng"`, "openapi.schema_word", true},
		{"a path variable that is not described", api, `"/query"`, `"/query/{id}"`, "openapi.path_param", false},
		{"a place that parameters do not have", api2, `"in": "path"`, `"in": "pth"`, "openapi.param_in", false},
		{"a binding in another case", card, `"protocolBinding": "JSONRPC"`, `"protocolBinding": "jsonrpc"`, "a2a.binding", true},
		{"the name of the binding in an earlier version", card, `"protocolBinding"`, `"transport"`, "a2a.interface_transport", true},
		{"a digest in upper case", skills, `"sha256:b57d1a3c06e8a7f5f53a522ee5f1a9801017e057f5971e462e8673bfecb363a7"`, `"sha256:B57D1A3C06E8A7F5F53A522EE5F1A9801017E057F5971E462E8673BFECB363A7"`, "agentskills.digest_form", true},
		{"a name that is no identifier", skills2, `"name": "`, `"name": "My `, "agentskills.name_syntax", false},
		{"a method in lower case", aid, `"method": "GET"`, `"method": "get"`, "aidiscovery.method_case", true},
		{"an address without TLS", adp, `"base_url": "https://`, `"base_url": "http://`, "adp.base_url_scheme", false},
		{"an address of the machine of the author", card03, `"url": "https://(index|stock)[^"]*"`, `"url": "http://localhost:3000"`, "a2a.endpoint_scheme", false},
		{"a slash at the end", adp, `"base_url": "([^"]*)"`, `"base_url": "$1/"`, "adp.base_url_slash", true},
		{"a word that authentication does not know", plugin, `"type": "oauth"`, `"type": "oauthh"`, "aiplugin.auth_type", false},
		{"a member twice", plugin2, `"schema_version"`, "\"schema_version\": \"v1\",\n\"schema_version\"", "document.json_duplicate", false},
		{"an address that is none", oauth, `"authorization_servers": \["https://[^"]*"\]`, `"authorization_servers": ["login"]`, "oauth.server", false},
		{"a version of another form", ucp, `"version": "2026-08-25"`, `"version": "1.0"`, "ucp.version", false},
		{"a single text in brackets that are missing", awp, `"required_for": \[("\w+"), [^\]]*\]`, `"required_for": $1`, "awp.wrong_type", false},
	}
}

// TestPlantedMistakesAreNamed: each mistake that is planted in a correct document is reported on
// its line, with a mending. --fix restores the original text or leaves the decision to the user. A
// second --fix changes nothing.
func TestPlantedMistakesAreNamed(t *testing.T) {
	files, kinds := map[string]bool{}, map[string]bool{}
	for _, p := range plantedMistakes(t) {
		files[p.file], kinds[p.kind] = true, true
		t.Run(p.kind, func(t *testing.T) {
			right := string(golden.Read(t, golden.Corpus(t, filepath.FromSlash(p.file))))
			old := regexp.MustCompile(p.old)
			found := old.FindStringSubmatchIndex(right)
			if found == nil {
				t.Fatalf("%s has no %s", p.file, p.old)
			}
			at := found[0]
			p.new = string(old.ExpandString(nil, p.new, right, found))
			body := right[:at] + p.new + right[found[1]:]
			before, _ := linted(t, p.file, right, client.ParseOptions{Full: true})
			list, after := linted(t, p.file, body, client.ParseOptions{Full: true})
			i := slices.IndexFunc(list, func(f lintFinding) bool { return f.Code == p.code && codes(before)[p.code] < codes(list)[p.code] })
			if i < 0 {
				t.Fatalf("%s is not found: %v", p.code, codes(list))
			}
			first := 1 + strings.Count(body[:at], "\n")
			last := first + strings.Count(p.new, "\n")
			near := slices.ContainsFunc(list, func(f lintFinding) bool {
				return f.Code == p.code && f.Line >= first && f.Line <= last+1 && f.Mend != ""
			})
			if !near && p.code != "mcp.missing" { // it has no line
				t.Errorf("%s is not in the lines %d to %d: %+v", p.code, first, last, list[i].Diagnostic)
			}
			for _, f := range list {
				follows := strings.Contains(p.new, `"in":`) && slices.Contains([]string{"openapi.path_param", "openapi.unplaced_input"}, f.Code)
				if had := codes(before)[f.Code]; f.Severity == wayfind.SeverityError && f.Code != p.code && had < codes(list)[f.Code] && !follows {
					t.Errorf("a second error: %s: %s", f.Code, f.Message)
				}
			}
			want := body
			switch {
			case p.mended:
				_, want = linted(t, p.file, right, client.ParseOptions{Full: true})
			case p.new == `"title": 10`: // which text it was is not known; that it is one is
				want = strings.Replace(body, p.new, `"title": "10"`, 1)
			}
			if after != want {
				t.Errorf("mended wrongly:\n%s", golden.Diff([]byte(want), []byte(after)))
			}
			if _, again := linted(t, p.file, after, client.ParseOptions{Full: true}); again != after {
				t.Errorf("mended once more:\n%s", golden.Diff([]byte(after), []byte(again)))
			}
		})
	}
	if len(files) < 20 || len(kinds) < 25 {
		t.Errorf("%d kinds of mistakes in %d documents", len(kinds), len(files))
	}
}
