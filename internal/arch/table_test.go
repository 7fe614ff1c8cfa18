package arch

// row contains the imports that a package of this module may have. Paths begin at the module
// root; "." is the root package.
type row struct {
	// ours contains packages of this module for production code.
	ours []string
	// rawJSON allows "encoding/json" only for the type RawMessage, which the model uses.
	// Documents are read with internal/jsonscan, because encoding/json ignores case, keeps the
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

		"security":               {ours: []string{".", "internal/secret", "internal/text"}},
		"security/cards":         {ours: []string{".", "security", "internal/jsonscan"}},
		"security/pins":          {ours: []string{".", "resolve/diff", "security", "security/cards", "internal/jsonscan", "internal/privatefile", "internal/text", "internal/fuel"}, json: true}, // the files of pins and approvals
		"security/prompt":        {ours: []string{".", "security", "internal/text"}},
		"security/schema":        {ours: []string{"internal/jsonschema", "internal/jsonscan", "internal/reftoken", "internal/text", "internal/fuel"}, pure: true},
		"parse":                  {ours: []string{"internal/jsonschema", ".", "internal/jsonscan", "internal/reftoken", "internal/mdscan", "internal/text", "internal/yamlscan", "internal/fieldname", "internal/rawjson", "internal/urlref"}, rawJSON: true, pure: true},
		"parse/formats":          {ours: []string{"parse", "internal/formats/*"}, pure: true},
		"internal/formats/*":     {ours: []string{"internal/jsonschema", ".", "parse", "internal/quotedstring", "internal/reftoken", "internal/authkind", "internal/contract", "internal/fieldname", "internal/paramspec", "internal/rawjson", "internal/schemawriter", "internal/urlref"}, rawJSON: true, pure: true},
		"parse/parsetest":        {ours: []string{".", "parse", "internal/reftoken", "internal/testkit", "internal/formattest"}, json: true, testOnly: true},
		"resolve":                {ours: []string{".", "parse", "security", "internal/text"}, pure: true},
		"resolve/diff":           {ours: []string{".", "security/prompt", "internal/fuel"}, json: true, pure: true}, // compares values as JSON, and grades texts
		"cache":                  {ours: []string{"internal/clock", "internal/flight", "internal/nilness", "internal/quotedstring", "internal/urlkey"}},
		"cache/memory":           {ours: []string{"cache", "internal/gate"}},
		"cache/disk":             {ours: []string{"cache", "internal/clock", "internal/filelock", "internal/gate"}, json: true}, // writes errors
		"cache/redis":            {ours: []string{"cache", "internal/clock"}, json: true},                                       // writes errors
		"cache/cachetest":        {ours: []string{"cache"}, testOnly: true},
		"client":                 {ours: clientImports(), rawJSON: true},
		"client/actors":          {ours: []string{".", "client", "internal/actorwire", "internal/door", "internal/fetch", "internal/secret", "internal/text", "internal/uuid", "internal/verdict", "parse", "security", "internal/fieldname", "internal/rawjson"}},
		"client/call":            {ours: callImports(), json: true},                                                                                                                 // writes tickets, records and messages
		"client/crawl":           {ours: []string{".", "cache", "client", "internal/door", "internal/filelock", "internal/nilness", "internal/privatefile", "resolve"}, json: true}, // writes results
		"client/crawl/crawltest": {ours: []string{"client/crawl"}, testOnly: true},
		"client/crawl/nats":      {ours: []string{"client/crawl"}},
		"client/clienttest":      {ours: []string{".", "client", "security", "parse", "cache", "internal/memconn"}, json: true},
		"client/tools":           {ours: []string{".", "client", "internal/door", "internal/httpcall", "internal/nilness", "internal/offer", "internal/rank", "internal/reach", "internal/text", "internal/fuel", "parse", "resolve", "security", "security/prompt", "security/schema", "internal/contract", "internal/describe", "resolve/diff", "internal/paramspec", "internal/rawjson"}, json: true}, // writes input for the APIs of vendors
		"client/mcpserver":       {ours: []string{".", "client", "client/call", "client/tools", "internal/callresult", "internal/door", "internal/humanize", "internal/nilness", "internal/text", "parse", "resolve"}, json: true},                                                                                                                                                                       // writes messages for hosts, including the cleaned text of servers
		"client/liverpc":         {ours: []string{".", "client", "parse", "internal/formats/oauth", "internal/formats/openrpc"}},
		"client/livemcp":         {ours: []string{".", "client", "internal/jsonrpc", "internal/mcp", "parse", "internal/formats/mcp", "internal/formats/oauth", "security", "security/cards", "internal/rawjson"}, rawJSON: true},
		"cmd/wayfind":            {ours: commandImports(), json: true},
		"cmd/wayfind/internal/*": {ours: commandImports(), json: true},

		"examples/*": {ours: publicPackages(), json: true},

		"internal/actorwire":    {ours: []string{"parse", "internal/rawjson", "internal/urlref"}, pure: true},
		"internal/arch":         {ours: publicPackages(), json: true, testOnly: true}, // looks at errors of all public packages
		"internal/authkind":     {ours: []string{"."}, pure: true},
		"internal/clock":        {},
		"internal/contract":     {ours: []string{"internal/jsonschema", ".", "parse", "security/schema", "internal/rawjson"}, pure: true},
		"internal/describe":     {ours: []string{".", "cache", "internal/discover", "internal/fetch", "internal/live", "internal/merge", "internal/places", "internal/provenance", "internal/reading", "internal/secret", "internal/text", "internal/verdict", "internal/fuel", "parse", "security", "security/pins", "internal/contract", "internal/fieldname"}, json: true}, // encodes an answer to look for a credential in it
		"internal/devauth":      {ours: []string{"internal/fieldname", "security"}, pure: true},
		"internal/discover":     {ours: discoverImports()},
		"internal/door":         {ours: []string{"client", "internal/discover", ".", "internal/describe", "internal/secret"}},
		"internal/eras":         {},
		"internal/fetch":        {ours: []string{".", "security", "internal/clock", "internal/fieldname", "internal/pausable", "internal/secret", "internal/websign"}},
		"internal/filelock":     {},
		"internal/privatefile":  {ours: []string{"internal/filelock"}},
		"internal/flight":       {},
		"internal/gate":         {ours: []string{"cache", "internal/clock", "internal/urlkey"}},
		"internal/golden":       {ours: []string{"internal/testkit"}, json: true, testOnly: true},
		"internal/inspect":      {ours: []string{".", "cache", "client", "client/call", "client/tools", "resolve/diff", "security", "security/pins", "security/prompt", "security/schema", "internal/authkind", "internal/humanize", "internal/secret", "internal/tap", "internal/text", "internal/textpos", "internal/verdict"}, json: true}, // writes the data of its page
		"internal/jsonrpc":      {ours: []string{"internal/callresult", "parse", "internal/rawjson"}, pure: true},
		"internal/jsonschema":   {pure: true},
		"internal/jsonscan":     {ours: []string{".", "internal/reftoken", "internal/uniqname"}, pure: true},
		"internal/merge":        {ours: []string{".", "parse", "resolve", "security", "internal/authkind", "internal/jsonscan", "internal/uniqname", "internal/places", "internal/reading", "internal/text", "internal/verdict", "internal/fuel"}, rawJSON: true, pure: true},
		"internal/mdscan":       {ours: []string{"."}, pure: true},
		"internal/mcp":          {ours: []string{"internal/text", "parse", "internal/rawjson"}, pure: true},
		"internal/lease":        {ours: []string{"cache", "internal/clock"}},
		"internal/live":         {ours: []string{".", "cache/memory", "internal/clock", "internal/eras", "internal/fuel", "internal/gate", "internal/panics", "internal/reading", "internal/verdict", "parse", "security"}},
		"internal/memconn":      {},
		"internal/nilness":      {},
		"internal/uniqname":     {},
		"internal/pace":         {ours: []string{".", "security"}},
		"internal/panics":       {ours: []string{".", "cache"}},
		"internal/pausable":     {},
		"internal/humanize":     {ours: []string{".", "internal/authkind", "internal/text", "security/cards"}},
		"internal/fairshare":    {ours: []string{"internal/pausable"}},
		"internal/fieldname":    {pure: true},
		"internal/formatschema": {pure: true},
		"internal/formattest":   {ours: []string{".", "internal/testkit", "parse"}, json: true, testOnly: true},
		"internal/paramspec":    {ours: []string{".", "internal/rawjson", "parse"}, pure: true},
		"internal/rawjson":      {ours: []string{"internal/jsonscan"}, rawJSON: true, pure: true},
		"internal/schemawriter": {ours: []string{"internal/jsonschema", "internal/rawjson", "parse"}, pure: true},
		"internal/urlref":       {ours: []string{"."}, pure: true},
		"internal/places":       {ours: []string{"parse", "resolve"}, pure: true},
		"internal/provenance":   {ours: []string{".", "parse", "security", "security/cards", "internal/reading"}, pure: true},
		"internal/rank":         {ours: []string{"internal/fuel"}, pure: true},
		"internal/quotedstring": {pure: true},
		"internal/offer":        {ours: []string{".", "internal/text", "parse", "internal/formats/oauth"}, pure: true},
		"internal/reading":      {ours: []string{".", "parse", "security", "security/cards", "security/prompt", "internal/contract", "internal/reftoken", "internal/uniqname", "internal/secret", "internal/text", "internal/textpos", "internal/verdict", "internal/fuel", "internal/offer", "internal/jsonscan", "internal/rawjson", "internal/urlref"}, rawJSON: true, pure: true},
		"internal/reftoken":     {pure: true},
		"internal/secret":       {ours: []string{"internal/text"}},
		"internal/slots":        {},
		"internal/served":       {ours: []string{".", "parse"}, pure: true},
		"internal/sitecheck":    {ours: []string{".", "internal/humanize", "internal/served", "parse", "parse/formats"}, json: true, pure: true}, // writes documents to copy
		"internal/soak":         {ours: []string{"client/livemcp"}, testOnly: true},
		"internal/textpos":      {ours: []string{".", "parse", "internal/reftoken"}, pure: true},
		"internal/text":         {ours: []string{"internal/jsonscan"}},
		"internal/tokens":       {ours: []string{".", "client", "internal/door", "internal/text", "parse", "security"}, json: true}, // writes entries of a store, and proofs
		"internal/urlkey":       {pure: true},
		"internal/verdict":      {ours: []string{"."}, pure: true},
		"internal/fuel":         {},
		"internal/websign":      {ours: []string{"security"}, json: true}, // writes key files
		"internal/yamlscan":     {ours: []string{"."}, pure: true},
		"internal/tap":          {},
		"internal/testkit":      {testOnly: true},

		"internal/callresult":  {ours: []string{".", "internal/jsonscan", "internal/reftoken", "internal/text", "parse", "security/prompt", "security/schema"}, pure: true},
		"internal/httpcall":    {ours: []string{"internal/jsonschema", ".", "internal/authkind", "internal/jsonscan", "internal/reftoken", "internal/text", "internal/uritemplate", "security/schema"}, pure: true},
		"internal/reach":       {ours: []string{".", "internal/actorwire", "internal/text"}, pure: true},
		"internal/uritemplate": {pure: true},
		"internal/uuid":        {},
	}
}

func discoverImports() []string {
	return []string{
		".", "security", "security/cards", "security/pins", "cache", "cache/memory", "resolve", "resolve/diff", "parse", "internal/formats/robots",
		"internal/clock", "internal/eras", "internal/fetch", "internal/fieldname", "internal/flight", "internal/gate", "internal/lease", "internal/live", "internal/merge", "internal/pace", "internal/panics", "internal/pausable", "internal/places", "internal/provenance", "internal/fairshare", "internal/reading", "internal/secret", "internal/tap", "internal/verdict", "internal/fuel",
	}
}

func clientImports() []string {
	return []string{
		".", "security", "security/cards", "security/pins", "cache", "cache/memory", "resolve", "parse", "parse/formats", "internal/formats/robots",
		"internal/callresult", "internal/clock", "internal/describe", "internal/devauth", "internal/discover", "internal/fairshare", "internal/fetch", "internal/flight", "internal/jsonrpc", "internal/live", "internal/merge", "internal/nilness", "internal/pace", "internal/panics", "internal/places", "internal/privatefile", "internal/provenance", "internal/rank", "internal/rawjson", "internal/reading", "internal/secret", "internal/served", "internal/slots", "internal/text", "internal/verdict", "internal/websign", "internal/fuel",
	}
}

func callImports() []string {
	return []string{
		".", "cache", "client", "client/tools", "parse", "internal/formats/oauth", "resolve/diff", "security", "security/pins", "security/prompt", "security/schema",
		"internal/actorwire", "internal/callresult", "internal/authkind", "internal/door", "internal/fetch", "internal/fieldname", "internal/jsonrpc", "internal/mcp", "internal/nilness", "internal/offer", "internal/panics", "internal/pausable", "internal/httpcall", "internal/rawjson", "internal/secret", "internal/reach", "internal/text", "internal/tokens", "internal/uritemplate", "internal/urlref", "internal/uuid",
	}
}

// publicPackages returns the packages that everyone may import, which are all packages that
// examples import.
func publicPackages() []string {
	return []string{
		".", "client", "client/actors", "client/call", "client/crawl", "client/crawl/crawltest", "client/crawl/nats", "client/clienttest", "client/livemcp", "client/liverpc", "client/mcpserver", "client/tools", "security", "security/cards", "security/pins", "security/prompt", "security/schema",
		"cache", "cache/memory", "cache/disk", "cache/redis", "cache/cachetest",
		"resolve", "resolve/diff", "parse", "parse/formats", "parse/parsetest",
	}
}

func commandImports() []string {
	return append(publicPackages(), "internal/authkind", "internal/clock", "internal/devauth", "internal/formats/*", "internal/formatschema", "internal/gate", "internal/inspect", "internal/humanize", "internal/jsonrpc", "internal/mcp", "internal/memconn", "internal/places", "internal/privatefile", "internal/rawjson", "internal/reftoken", "internal/served", "internal/sitecheck", "internal/text", "internal/textpos", "internal/verdict", "internal/websign", "cmd/wayfind/internal/*")
}

// testImports returns the packages that tests of any package may import, in addition to the
// package itself and the imports of its production code.
func testImports() []string {
	return []string{
		".", "cache", "client", "client/clienttest", "client/crawl/crawltest", "client/livemcp", "client/liverpc", "client/mcpserver", // hostile calls also go through the server of hosts
		"cache/cachetest", "cache/memory", "cache/disk", "cache/redis",
		"parse", "parse/formats", "internal/formats/*", "parse/parsetest", "resolve/diff",
		"internal/clock", "internal/door", "internal/gate", "internal/golden", "internal/memconn",
		"internal/fieldname", "internal/formattest", "internal/paramspec", "internal/rawjson", "internal/reading", "internal/schemawriter", "internal/testkit", "internal/urlref", "internal/verdict", "security", "security/cards", "security/pins", "security/prompt", "security/schema",
	}
}

// owners returns, for each third-party package that production code imports, the only package
// of this module that imports it. A name that ends in "/..." includes the packages below it.
func owners() map[string]string {
	return map[string]string{
		"github.com/dgraph-io/ristretto/v2":           "cache/memory",
		"github.com/redis/rueidis/...":                "cache/redis",
		"github.com/dunglas/httpsfv":                  "internal/formats/robots",
		"github.com/go-json-experiment/json/jsontext": "internal/jsonscan",
		"github.com/go-jose/go-jose/v4/...":           "security/cards",
		"github.com/hashicorp/go-retryablehttp":       "internal/fetch",
		"github.com/itchyny/gojq":                     "cmd/wayfind",
		"github.com/jimsmart/grobotstxt":              "internal/formats/robots",
		"github.com/modelcontextprotocol/go-sdk/...":  "client/livemcp",
		"github.com/nats-io/nats.go/...":              "client/crawl/nats",
		"github.com/schollz/progressbar/v3":           "cmd/wayfind",
		"github.com/spf13/cobra/...":                  "cmd/wayfind",
		"github.com/spf13/pflag":                      "cmd/wayfind",
		"golang.org/x/term":                           "cmd/wayfind",
		"software.sslmate.com/src/go-pkcs12":          "cmd/wayfind",
		"github.com/yosida95/uritemplate/v3":          "parse",
		"github.com/yuin/goldmark/...":                "internal/mdscan",
		"golang.org/x/net/html/...":                   "internal/formats/links",
		"golang.org/x/net/http/httpguts":              "internal/fieldname",
		"golang.org/x/net/idna":                       "security",
		"golang.org/x/net/publicsuffix":               "security",
		"golang.org/x/oauth2/...":                     "internal/tokens",
		"golang.org/x/sync/errgroup":                  "cmd/wayfind",
		"golang.org/x/text/language":                  "parse",
		"golang.org/x/text/secure/bidirule":           "security",
		"golang.org/x/text/unicode/...":               "internal/text",
		"golang.org/x/time/rate":                      "client",
		"gopkg.in/yaml.v3":                            "internal/yamlscan",
	}
}

// guests returns third-party packages that further packages of this module import, with the
// reasons.
func guests() map[string]string {
	return map[string]string{
		"github.com/modelcontextprotocol/go-sdk/mcp":     "cmd/wayfind client/mcpserver", // the demo serves the endpoint that client/livemcp asks; tools for hosts
		"github.com/modelcontextprotocol/go-sdk/jsonrpc": "client/mcpserver",             // whether its transport can read a line
		"github.com/dunglas/httpsfv":                     "internal/websign",             // the fields of signatures
		"golang.org/x/net/html":                          "internal/callresult",          // the head of a page contains links; the text of a page is an answer
		"golang.org/x/net/html/atom":                     "internal/callresult",
		"golang.org/x/net/http/httpguts":                 "internal/fetch", // values of fields
		"golang.org/x/text/unicode/norm":                 "security",       // a host is distinguished from one that only composes its letters
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
