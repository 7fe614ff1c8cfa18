package arch

import (
	"slices"
	"strings"
)

// row contains the imports that a package of this module may have. Paths begin at the module
// root; "." is the root package.
type row struct {
	// ours contains packages of this module for production code.
	ours []string
	// rawJSON allows "encoding/json" only for the type RawMessage, which the model uses.
	// Documents are read with internal/syntax/jsonscan, because encoding/json ignores case, keeps the
	// last duplicate and repairs UTF-8.
	rawJSON bool
	// json allows all of "encoding/json", for JSON that we write ourselves.
	json bool
	// testOnly is true for packages that only tests link, so they may import the same as tests.
	testOnly bool
	// pure is true for packages that do no I/O and read no clock.
	pure bool
}

// table is the import graph. A package that is not in it, and matches no pattern of [rowOf],
// fails the test. Rows without a package are plans.
func table() map[string]row {
	return map[string]row{
		".": {json: true, pure: true},

		"security":                      {ours: []string{".", "internal/syntax/secret", "internal/syntax/text", "internal/syntax/urlref"}},
		"security/cards":                {ours: []string{".", "security", "internal/syntax/jsonscan"}},
		"security/pins":                 {ours: []string{".", "resolve/diff", "security", "security/cards", "internal/syntax/jsonscan", "internal/run/privatefile", "internal/syntax/text", "internal/run/fuel"}, json: true}, // the files of pins and approvals
		"security/prompt":               {ours: []string{".", "security", "internal/syntax/facts", "internal/syntax/text"}},
		"security/schema":               {ours: []string{"internal/syntax/jsonschema", "internal/syntax/jsonscan", "internal/syntax/reftoken", "internal/syntax/text", "internal/run/fuel"}, pure: true},
		"parse":                         {ours: []string{"internal/syntax/jsonschema", ".", "internal/syntax/jsonscan", "internal/syntax/reftoken", "internal/syntax/mdscan", "internal/syntax/text", "internal/syntax/yamlscan", "internal/syntax/fieldname", "internal/syntax/rawjson", "internal/syntax/urlref"}, rawJSON: true, pure: true},
		"parse/formats":                 {ours: []string{"parse", "internal/formats/*"}, pure: true},
		"internal/formats/*":            {ours: []string{"internal/syntax/jsonschema", ".", "parse", "internal/syntax/quotedstring", "internal/syntax/reftoken", "internal/syntax/authkind", "internal/syntax/contract", "internal/syntax/fieldname", "internal/syntax/mcpera", "internal/syntax/paramspec", "internal/syntax/rawjson", "internal/syntax/schemawriter", "internal/syntax/urlref", "internal/syntax/weblink"}, rawJSON: true, pure: true},
		"parse/parsetest":               {ours: []string{".", "parse", "internal/syntax/reftoken", "internal/lab/testkit", "internal/lab/formattest"}, json: true, testOnly: true},
		"resolve":                       {ours: []string{".", "parse", "security", "internal/syntax/secret", "internal/syntax/text", "internal/syntax/urlref"}, pure: true},
		"resolve/diff":                  {ours: []string{".", "security/prompt", "internal/run/fuel"}, json: true, pure: true}, // compares values as JSON, and grades texts
		"cache":                         {ours: []string{"internal/run/budget", "internal/run/clock", "internal/run/flight", "internal/run/nilness", "internal/run/warned", "internal/syntax/quotedstring", "internal/syntax/urlkey"}},
		"cache/memory":                  {ours: []string{"cache", "internal/web/gate"}},
		"cache/disk":                    {ours: []string{"cache", "internal/run/budget", "internal/run/clock", "internal/run/filelock", "internal/web/gate"}, json: true}, // writes errors
		"cache/redis":                   {ours: []string{"cache", "internal/run/budget", "internal/run/clock"}, json: true},                                               // writes errors
		"cache/cachetest":               {ours: []string{"cache"}, testOnly: true},
		"client":                        {ours: clientImports(), rawJSON: true},
		"client/actors":                 {ours: []string{".", "client", "internal/act/actorwire", "internal/act/access", "internal/web/fetch", "internal/syntax/secret", "internal/syntax/text", "internal/act/uuid", "internal/site/verdict", "parse", "security", "internal/syntax/fieldname", "internal/syntax/rawjson"}},
		"client/call":                   {ours: callImports(), json: true},                                                                                                                                   // writes tickets, records and messages
		"client/crawl":                  {ours: []string{".", "cache", "client", "internal/act/access", "internal/run/filelock", "internal/run/nilness", "internal/run/privatefile", "resolve"}, json: true}, // writes results
		"client/crawl/crawltest":        {ours: []string{"client/crawl"}, testOnly: true},
		"client/crawl/nats":             {ours: []string{"client/crawl"}},
		"client/clienttest":             {ours: []string{".", "client", "security", "parse", "parse/formats", "cache", "internal/syntax/text", "internal/lab/memconn"}, json: true},
		"client/tools":                  {ours: []string{".", "client", "internal/act/access", "internal/act/callable", "internal/act/httpcall", "internal/act/rank", "internal/run/fuel", "internal/run/nilness", "internal/site/describe", "internal/site/effect", "internal/syntax/contract", "internal/syntax/facts", "internal/syntax/paramspec", "internal/syntax/rawjson", "internal/syntax/text", "internal/syntax/urlref", "parse", "resolve", "resolve/diff", "security", "security/prompt", "security/schema"}, json: true}, // writes input for the APIs of vendors
		"client/session":                {ours: []string{"client/call", "client/tools", "internal/site/effect", "internal/site/offer", "internal/syntax/text", "security/prompt"}, json: true},                                                                                                                                                                                                                                                                                                                                         // reads arguments of models, and writes a run
		"client/mcpserver":              {ours: []string{".", "client", "client/call", "client/tools", "internal/act/callresult", "internal/act/access", "internal/show/humanize", "internal/run/nilness", "internal/site/effect", "internal/syntax/mcpera", "internal/syntax/secret", "internal/syntax/text", "parse", "resolve"}, json: true},                                                                                                                                                                                        // writes messages for hosts, including the cleaned text of servers
		"client/liverpc":                {ours: []string{".", "client", "parse", "internal/formats/oauth", "internal/formats/openrpc"}},
		"client/livemcp":                {ours: []string{".", "client", "internal/act/jsonrpc", "internal/act/mcp", "internal/syntax/mcpera", "parse", "internal/formats/mcp", "internal/formats/oauth", "security", "security/cards", "internal/syntax/rawjson"}, rawJSON: true},
		"cmd/wayfind":                   {ours: append(commandImports(), "cmd/wayfind/internal/*"), json: true},
		"cmd/wayfind/internal/*":        {ours: append(commandImports(), commandRooms()...), json: true},                                      // a verb knows no other verb
		"cmd/wayfind/internal/recorded": {ours: append(commandImports(), append(commandRooms(), "cmd/wayfind/internal/demo")...), json: true}, // its tests record the demo
		"cmd/wayfind/internal/samples":  {testOnly: true},
		"cmd/wayfind/internal/plainly":  {ours: []string{"cmd/wayfind/internal/commandline"}, testOnly: true},

		"examples/*":                      {ours: publicPackages(), json: true},
		"examples/adapters/internal/shop": {ours: publicPackages(), json: true, testOnly: true},

		// The roofs. A room of one knows other rooms of it, and those of the roofs in its row.
		"internal/run/*":    {ours: append(roofs("run"), ".", "cache")},
		"internal/syntax/*": {ours: append(roofs("syntax"), ".", "parse", "security/schema")},
		"internal/web/*":    {ours: append(roofs("syntax", "run", "web"), ".", "cache", "security")},
		"internal/site/*":   {ours: append(roofs("syntax", "run", "web", "formats", "site"), ".", "cache", "cache/memory", "parse", "resolve", "resolve/diff", "security", "security/cards", "security/pins", "security/prompt")},
		"internal/act/*":    {ours: append(roofs("syntax", "run", "web", "formats", "site", "act"), ".", "client", "parse", "security", "security/prompt", "security/schema")},
		"internal/show/*":   {ours: append(roofs("syntax", "run", "web", "formats", "site", "act", "show"), publicPackages()...)},
		"internal/lab/*":    {ours: append(roofs("syntax", "run", "web", "formats", "site", "act", "show", "lab"), publicPackages()...), json: true, testOnly: true},
		"internal/arch":     {ours: publicPackages(), json: true, testOnly: true}, // looks at errors of all public packages

	}
}

func clientImports() []string {
	return append(roofs("syntax", "run", "web", "site"),
		".", "security", "security/cards", "security/pins", "cache", "cache/memory", "resolve", "parse", "parse/formats", "internal/formats/robots",
		"internal/act/callresult", "internal/act/httpcall", "internal/act/jsonrpc", "internal/act/rank", "internal/show/served")
}

func callImports() []string {
	return append(roofs("syntax", "run", "act"),
		".", "cache", "client", "client/tools", "parse", "internal/formats/oauth", "resolve/diff", "security", "security/pins", "security/prompt", "security/schema",
		"internal/web/fetch", "internal/site/effect", "internal/site/offer")
}

// roofs returns the patterns of the rooms of some roofs.
func roofs(names ...string) (patterns []string) {
	for _, name := range names {
		patterns = append(patterns, "internal/"+name+"/*")
	}
	return patterns
}

// rooms returns rooms with rules of their own, beside those of their roof.
func rooms() map[string]row {
	list := map[string]row{
		"internal/syntax/rawjson": {pure: true, rawJSON: true},
		"internal/act/tokens":     {json: true},             // writes entries of a store, and proofs
		"internal/show/inspect":   {json: true},             // writes the data of its page
		"internal/show/sitecheck": {pure: true, json: true}, // writes documents to copy
		"internal/site/describe":  {json: true},             // encodes an answer to look for a credential in it
		"internal/site/merge":     {pure: true, rawJSON: true},
		"internal/site/reading":   {pure: true, rawJSON: true},
		"internal/web/websign":    {json: true}, // writes key files
	}
	for roof, names := range map[string]string{
		"act":    "actorwire callable callresult httpcall jsonrpc mcp rank",
		"show":   "served",
		"site":   "effect offer places provenance verdict",
		"syntax": "authkind contract facts fieldname formatschema jsonscan jsonschema mdscan paramspec quotedstring reftoken schemawriter textpos uritemplate urlkey urlref weblink yamlscan",
		"web":    "devauth",
	} {
		for name := range strings.FieldsSeq(names) {
			list["internal/"+roof+"/"+name] = row{pure: true}
		}
	}
	return list
}

// publicPackages returns the packages that everyone may import, which are all packages that
// examples import.
func publicPackages() []string {
	return []string{
		".", "client", "client/actors", "client/call", "client/crawl", "client/crawl/crawltest", "client/crawl/nats", "client/clienttest", "client/livemcp", "client/liverpc", "client/mcpserver", "client/session", "client/tools", "security", "security/cards", "security/pins", "security/prompt", "security/schema",
		"cache", "cache/memory", "cache/disk", "cache/redis", "cache/cachetest",
		"resolve", "resolve/diff", "parse", "parse/formats", "parse/parsetest",
	}
}

// commandImports returns the packages outside of the command that it may import.
func commandImports() []string {
	return slices.Concat(publicPackages(), roofs("syntax", "run", "web", "formats", "site", "act", "show"), []string{"internal/lab/memconn"})
}

// commandRooms returns the packages that verbs of the command share.
func commandRooms() (rooms []string) {
	for room := range strings.FieldsSeq("ending ui commandline document loopback hosts stdio session recorded credentials show publish sarif attach plainly samples") {
		rooms = append(rooms, "cmd/wayfind/internal/"+room)
	}
	return rooms
}

// testImports returns the packages that tests of any package may import, in addition to the
// package itself and the imports of its production code.
func testImports() []string {
	return append(roofs("lab", "syntax", "formats"),
		".", "cache", "client", "client/clienttest", "client/crawl/crawltest", "client/livemcp", "client/liverpc", "client/mcpserver", // hostile calls also go through the server of hosts
		"cache/cachetest", "cache/memory", "cache/disk", "cache/redis",
		"parse", "parse/formats", "parse/parsetest", "resolve/diff",
		"internal/run/clock", "internal/act/access", "internal/web/gate", "internal/site/reading", "internal/site/verdict", "security", "security/cards", "security/pins", "security/prompt", "security/schema")
}

// owners returns, for each third-party package that production code imports, the only package
// of this module that imports it, or the packages of the command. A name that ends in "/..."
// includes the packages below it.
func owners() map[string]string {
	return map[string]string{
		"github.com/dgraph-io/ristretto/v2":           "cache/memory",
		"github.com/redis/rueidis/...":                "cache/redis",
		"github.com/dunglas/httpsfv":                  "internal/formats/robots",
		"github.com/go-json-experiment/json/jsontext": "internal/syntax/jsonscan",
		"github.com/go-jose/go-jose/v4/...":           "security/cards",
		"github.com/hashicorp/go-retryablehttp":       "internal/web/fetch",
		"github.com/itchyny/gojq":                     "cmd/wayfind/internal/ui",
		"github.com/jimsmart/grobotstxt":              "internal/formats/robots",
		"github.com/modelcontextprotocol/go-sdk/...":  "client/livemcp",
		"github.com/nats-io/nats.go/...":              "client/crawl/nats",
		"github.com/schollz/progressbar/v3":           "cmd/wayfind/internal/bulk",
		"github.com/spf13/cobra/...":                  "cmd/wayfind/...",
		"github.com/spf13/pflag":                      "cmd/wayfind/...",
		"golang.org/x/term":                           "cmd/wayfind/internal/ui",
		"github.com/rivo/uniseg":                      "cmd/wayfind/internal/ui",
		"software.sslmate.com/src/go-pkcs12":          "cmd/wayfind/internal/loopback",
		"github.com/yosida95/uritemplate/v3":          "parse",
		"github.com/yuin/goldmark/...":                "internal/syntax/mdscan",
		"golang.org/x/net/html/...":                   "internal/formats/links",
		"golang.org/x/net/http/httpguts":              "internal/syntax/fieldname",
		"golang.org/x/net/idna":                       "security",
		"golang.org/x/net/publicsuffix":               "security",
		"golang.org/x/oauth2/...":                     "internal/act/tokens",
		"golang.org/x/sync/errgroup":                  "cmd/wayfind/internal/bulk",
		"golang.org/x/text/currency":                  "client/session",
		"golang.org/x/text/language":                  "parse",
		"golang.org/x/text/secure/bidirule":           "security",
		"golang.org/x/text/unicode/...":               "internal/syntax/text",
		"golang.org/x/time/rate":                      "client",
		"gopkg.in/yaml.v3":                            "internal/syntax/yamlscan",
	}
}

// guests returns third-party packages that further packages of this module import, with the
// reasons.
func guests() map[string]string {
	return map[string]string{
		"github.com/modelcontextprotocol/go-sdk/mcp":     "cmd/wayfind/internal/demo client/mcpserver",      // the demo serves the endpoint that client/livemcp asks; tools for hosts
		"github.com/modelcontextprotocol/go-sdk/jsonrpc": "client/mcpserver",                                // whether its transport can read a line
		"github.com/dunglas/httpsfv":                     "internal/web/websign",                            // the fields of signatures
		"golang.org/x/net/html":                          "internal/act/callresult internal/show/sitecheck", // the head of a page contains links; the text of a page is an answer, and a home page has the links of an llms.txt
		"golang.org/x/net/html/atom":                     "internal/act/callresult internal/show/sitecheck",
		"golang.org/x/net/http/httpguts":                 "internal/web/fetch",                    // values of fields
		"golang.org/x/text/unicode/norm":                 "security internal/formats/agentskills", // a name is distinguished from one that only composes its letters
	}
}

// testThirdParty returns the third-party packages that all tests may import.
func testThirdParty() []string {
	return []string{
		"github.com/google/go-cmp/cmp/...",
		"github.com/modelcontextprotocol/go-sdk/mcp", "github.com/modelcontextprotocol/go-sdk/auth", "github.com/modelcontextprotocol/go-sdk/oauthex", // servers that client/call calls
		"github.com/rogpeppe/go-internal/testscript/...",
		"github.com/rogpeppe/go-internal/txtar",
		"golang.org/x/net/dns/dnsmessage",
		"golang.org/x/net/http2", // frames that no net/http server sends
		"golang.org/x/net/http2/hpack",
		"gopkg.in/yaml.v3", // for comparison in a benchmark of client/tools
	}
}
