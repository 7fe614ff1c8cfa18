package commandline

import (
	"strings"

	"github.com/spf13/cobra"
)

// Habits maps commands of other programs to a hint how to do the same here.
func Habits() map[string]string {
	const site = `"wayfind DOMAIN" lists what a domain offers`
	return map[string]string{
		"list":           site + `, "wayfind formats" the formats, and "wayfind cache stats" the stored answers`,
		"ls":             site + `, and "wayfind cache stats" the stored answers`,
		"get":            site + `, and "wayfind describe DOMAIN KEY" shows one capability`,
		"show":           site + `, and "wayfind describe DOMAIN KEY" shows one capability`,
		"explain":        `"wayfind describe DOMAIN KEY" shows one capability`,
		"info":           site,
		"discover":       site,
		"scan":           site + `, and "wayfind batch FILE" works through a list`,
		"find":           site + `, and "wayfind search REGISTRY WORDS" asks a registry`,
		"config":         noConfig,
		"set":            noConfig,
		"env":            `"wayfind COMMAND --help" names the variables`,
		"example":        aSample,
		"examples":       aSample,
		"clear":          emptyCache,
		"clean":          emptyCache,
		"login":          signIn,
		"auth":           signIn,
		"run":            makeCall,
		"invoke":         makeCall,
		"validate":       judge,
		"test":           judge,
		"watch":          changes,
		"monitor":        changes,
		"server":         `"wayfind mcp" is an MCP server, and "wayfind serve" serves recorded sites`,
		"install":        `"wayfind mcp --install HOST" writes the configuration of an MCP host`,
		"init":           `"wayfind formats" says which documents a domain may publish, and "wayfind lint" checks them`,
		"extension":      noExtensions,
		"extensions":     noExtensions,
		"plugin":         noExtensions,
		"tools/list":     mcpList,
		"tools/call":     mcpCall,
		"resources/list": mcpList,
		"resources/read": mcpCall,
		"prompts/list":   mcpList,
		"prompts/get":    mcpCall,
		"update":         install,
		"upgrade":        install,
	}
}

// Hints for users of other programs, each for several words.
const (
	noConfig       = `there is no configuration file: flags have variables, and "wayfind COMMAND --help" names both`
	aSample        = `"wayfind demo" shows a sample site, and "wayfind example.com" asks a domain`
	emptyCache     = `"wayfind cache clear" forgets the stored answers`
	signIn         = `"wayfind call --help" says how a credential is given; "wayfind logout" forgets tokens`
	makeCall       = `"wayfind call DOMAIN KEY NAME=VALUE" makes a call`
	judge          = `"wayfind lint FILE" finds the errors of a document`
	changes        = `"wayfind diff OLD DOMAIN" compares a domain with a file that "wayfind resolve --json" wrote, and "wayfind crawl" asks a list again`
	install        = `"go install github.com/wayfindhq/wayfind/cmd/wayfind@latest" installs the latest version`
	noExtensions   = `there are no extensions; "--json" prints every result for a program of your own`
	mcpList        = `"wayfind URL" lists what an MCP server offers, such as "wayfind --dev http://localhost:3000/mcp"`
	mcpCall        = `"wayfind call URL KEY NAME=VALUE" calls a tool of an MCP server, reads a resource or gets a prompt`
	curlOfCall     = `"wayfind describe --curl DOMAIN KEY NAME=VALUE" prints the request for a shell, and "wayfind call --dry-run" shows it`
	arguments      = `the arguments of a call follow the key as NAME=VALUE`
	quiet          = `nothing is printed but the result: progress and errors go to standard error`
	jqSelects      = `--jq FILTER selects from the JSON, as jq does`
	csvOfCrawl     = `"wayfind crawl results --csv domains --queue FILE" writes CSV, also of the file that "wayfind batch --out FILE" wrote`
	listOf         = `"wayfind batch FILE" asks each domain of a list`
	jsonAndOut     = `--json prints JSON, and --out writes to a file`
	formatOf       = jsonAndOut + "\n" + vendorOf + `, and --formats A,B asks for these formats only`
	vendorOf       = `--for VENDOR writes the definitions for a vendor`
	severity       = `--fail-on SEVERITY sets the exit status`
	anyCertificate = `--cacert FILE trusts another authority; a certificate is always checked`
	followed       = `redirects are followed`
	proxied        = `--unsafe-proxy URL connects through a proxy`
	answerFields   = `--verbose logs each request, and "wayfind inspect DOMAIN" shows the fields of each answer`
	credential     = `--credential SCHEME=env:NAME gives a credential to a call`
	atOnce         = `--in-flight NUMBER sets how many domains are asked at a time`
	underDev       = `"wayfind --dev URL" asks a server under development, and "wayfind batch --dev FILE" a list of them`
	paused         = `--pause TIME sets the pause between two domains of one registrable domain`
)

// flagHabits maps flags of other programs, without their dashes, to a hint how to do the same here.
// A hint that names a flag first is given where the command has that flag. Of several lines, the first such
// one is given.
func flagHabits() map[string]string {
	return map[string]string{
		"q": quiet, "s": quiet, "quiet": quiet, "silent": quiet, "sS": quiet,
		"format": formatOf, "output": jsonAndOut,
		"vendor": vendorOf, "provider": vendorOf, "target": vendorOf,
		"no-cache": "--refresh asks again, and --cache none keeps nothing",
		"template": jqSelects, "t": jqSelects, "query": jqSelects, "filter": jqSelects, "title": jqSelects, "sc": jqSelects, "status-code": jqSelects,
		"csv": csvOfCrawl, "l": listOf, "list": listOf,
		"curl": curlOfCall, "as-curl": curlOfCall,
		"method": mcpList, "tool-name": mcpCall, "tool-arg": arguments, "tool-args": arguments, "data": arguments, "d": arguments, "F": arguments, "f": arguments,
		"k": anyCertificate, "insecure": anyCertificate,
		"L": followed, "location": followed, "follow-redirects": followed,
		"A": "--user-agent TEXT sets the field", "x": proxied, "proxy": proxied,
		"I": answerFields, "i": answerFields,
		"include": answerFields,
		"u":       credential, "user": credential,
		"threads": atOnce, "c": atOnce, "concurrency": atOnce,
		"rl": paused, "rate-limit": paused,
		"dev":           underDev,
		"badge":         `--json has the level for a badge: --jq .level`,
		"fail-severity": severity, "ruleset": "--rules FILE switches rules off", "r": "--rules FILE switches rules off",
	}
}

// flagHint returns the hint for a flag of another program that a command does not have, or "".
func flagHint(cmd *cobra.Command, name string) string {
	for hint := range strings.SplitSeq(flagHabits()[name], "\n") {
		own, isFlag := strings.CutPrefix(hint, "--")
		own, _, _ = strings.Cut(own, " ")
		if !isFlag || cmd.Flags().Lookup(own) != nil {
			return hint
		}
	}
	return ""
}
