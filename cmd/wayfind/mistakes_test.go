package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// leadTo leads the commands of a test to sites, by the variables of the command.
func leadTo(t *testing.T, sites *loopback.Server) {
	t.Helper()
	l, err := sites.Lead(loopback.OnlyCommand)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Remove)
	for name, value := range l.Variables {
		t.Setenv(name, value)
	}
}

// TestEachMistakeNamesTheIntendedWordWithoutARequest types what newcomers type.
func TestEachMistakeNamesTheIntendedWordWithoutARequest(t *testing.T) {
	var asked atomic.Int64
	sites, err := loopback.Start(loopback.AnyPort(), []string{"shop.example"}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Setenv("WAYFIND_CACHE", "none")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("list.txt", []byte("a.example\nb.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"reslove":                             `did you mean "wayfind resolve"?`,
		"shop.example --jsn":                  "did you mean --json?",
		"tools shop.example --for claude":     "did you mean --for anthropic?",
		"shop.example --timeout 5":            "a number with its unit, such as 5s",
		"shop.example --no-cache":             "--refresh asks again",
		"help describ":                        `did you mean "wayfind describe"?`,
		"http://shop.example":                 "only https is asked",
		"127.0.0.1":                           "it is an IP address",
		"shop.example:8443":                   "only port 443 is asked",
		"localhost:3000":                      "add --dev",
		"me@shop.example":                     "a user name or password",
		"shop.example --format adp":           "--json prints JSON",
		"shop.example -o yaml":                "--json prints JSON",
		"shop.example --template {{.}}":       "--jq FILTER",
		"shop.example -t {{.}}":               "--jq FILTER",
		"shop.example -csv":                   `"wayfind crawl results --csv domains --queue FILE"`,
		"batch -csv list.txt":                 `"wayfind crawl results --csv domains --queue FILE"`,
		"-l list.txt":                         `"wayfind batch FILE"`,
		"shop.example -title":                 "--jq FILTER",
		"shop.example -json":                  "did you mean --json?",
		"shop.example -timeout 5s":            "did you mean --timeout?",
		"shop.example -sS":                    "nothing is printed but the result",
		"shop.example -s":                     "nothing is printed but the result",
		"shop.example -k":                     "a certificate is always checked",
		"shop.example -L":                     "redirects are followed",
		"shop.example -I":                     `"wayfind inspect DOMAIN"`,
		"shop.example --proxy http://x":       "--unsafe-proxy URL",
		"batch -threads 5 list.txt":           "--in-flight NUMBER",
		"batch --rate-limit 5 list.txt":       "--pause TIME",
		"extension":                           "there are no extensions",
		"extension list":                      "there are no extensions",
		"tools/list":                          `"wayfind URL" lists what an MCP server offers`,
		"--method tools/list":                 `"wayfind URL" lists what an MCP server offers`,
		"call shop.example x --tool-arg a=b":  "follow the key as NAME=VALUE",
		"call shop.example x -d a=b":          "follow the key as NAME=VALUE",
		"call --curl shop.example x":          `"wayfind describe --curl DOMAIN KEY NAME=VALUE"`,
		"call shop.example x -u me:pw":        "--credential SCHEME=env:NAME",
		"lint --fail-severity error x.json":   "--fail-on SEVERITY",
		"lint --ruleset r.yaml x.json":        "--rules FILE",
		"crawl work --dev --queue q.jsonl":    "a queue holds public domains only",
		"shop.example -H X:y":                 "for servers under development",
		"shop.example --header X:y":           "--credential",
		"shop.example -q":                     "nothing is printed but the result",
		"list":                                `"wayfind DOMAIN" lists what a domain offers`,
		"ls":                                  `"wayfind cache stats" the stored answers`,
		"get":                                 `"wayfind describe DOMAIN KEY"`,
		"explain":                             `"wayfind describe DOMAIN KEY"`,
		"config":                              "there is no configuration file",
		"example":                             `"wayfind demo" shows a sample site`,
		"login":                               `"wayfind call --help"`,
		"invoke":                              `"wayfind call DOMAIN KEY NAME=VALUE"`,
		"validate":                            `"wayfind lint FILE"`,
		"shop.example adp:send_email":         `did you mean "wayfind describe shop.example adp:send_email"?`,
		"shop.example send_email":             `did you mean "wayfind describe shop.example send_email"?`,
		"send_email shop.example":             `did you mean "wayfind describe shop.example send_email"?`,
		"shop.example send":                   `did you mean "wayfind describe shop.example send"?`,
		"send shop.example":                   `did you mean "wayfind describe shop.example send"?`,
		"reslove shop.example":                `did you mean "wayfind resolve"?`,
		"list shop.example":                   `"wayfind DOMAIN" lists what a domain offers`,
		"describe localhost send":             `and is this machine`,
		"call shop.example send x":            `"x" is no NAME=VALUE`,
		"shop.example --max-bytes 1k":         `--max-bytes "1k" is no number`,
		"shop.example --json=2":               "write --json alone",
		"shop.example --jq .[":                "the filter ends too early",
		"--dev http://localhost:abc":          "its host or its port cannot be read",
		"adp:send_email shop.example":         `did you mean "wayfind describe shop.example adp:send_email"?`,
		"shop.example tools":                  `did you mean "wayfind tools shop.example"?`,
		"--formats apd shop.example":          "did you mean adp?",
		"cache clear shop.example":            "wayfind cache rm shop.example",
		"cache claer":                         `did you mean "wayfind cache clear"?`,
		"cache":                               `"wayfind cache stats"`,
		"describe shop.example":               `"wayfind example.com" lists the keys`,
		"call shop.example":                   "name a domain and a key",
		"tools":                               `"wayfind tools example.com"`,
		"search":                              "name a registry and a query",
		"diff":                                "name two files or domains",
		"batch":                               `"-" for standard input`,
		"batch --jq . --out r.jsonl list.txt": "choose --out or --jq",
		"formats adp":                         `wayfind formats takes no word behind it, and "adp" is one`,
		"crawl status q.jsonl":                `wayfind crawl status takes no word behind it`,
		"tools ./list.txt":                    `is read by no format (unrecognised); see: wayfind parse ./list.txt`,
		"crawl status --queue q.jsonl":        `"wayfind crawl load --queue q.jsonl LIST" makes it`,
		"crawl results --queue q.jsonl":       `"wayfind crawl load --queue q.jsonl LIST" makes it`,
		"crawl retry --all --queue q.jsonl":   `"wayfind crawl load --queue q.jsonl LIST" makes it`,
		"crawl work --alone --queue q.jsonl":  `"wayfind crawl load --queue q.jsonl LIST" makes it`,
		"lint agent.json":                     "no such file",
		"crawl":                               `"wayfind crawl load"`,
	} {
		code, out, errs := exec(t, "", strings.Fields(typed)...)
		if code != ui.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("wayfind %s: exit status %d, want %d and %q in: %s", typed, code, ui.ExitUsage, want, errs)
		}
		for _, word := range []string{"correct them and call again", "The arguments are not those of the tool", "idna:", "Resolve"} {
			if strings.Contains(out+errs, word) {
				t.Errorf("wayfind %s: a sentence for a model or a programmer: %s", typed, errs)
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests", n)
	}
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("files were written: %v", left)
	}
	for name, body := range map[string]string{"own.json": `{"schema": "wayfind/site/1"}`, "cut.json": `{"schema": "wayfind/site/1", "orig`} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string]string{
		"parse own.json":             `"own.json" is a result that wayfind printed (wayfind/site/1), and no document of a site; "wayfind diff" compares such results`,
		"diff cut.json own.json":     "it ends too early",
		"serve own.json":             "own.json is a file: name the directory of a recording",
		"check --badge shop.example": "--jq .level",
	} {
		if code, out, errs := exec(t, "", strings.Fields(typed)...); code == ui.ExitFound || !strings.Contains(errs, want) {
			t.Errorf("wayfind %s: want %q: %s%s", typed, want, out, errs)
		}
	}
	if err := os.WriteFile("bad.txt", []byte("a b\n10.0.0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := exec(t, "", "batch", "--jq", ".line", "bad.txt"); out != "1\n2\n" {
		t.Errorf("the filtered lines are %q, %s", out, errs)
	}
}

// TestATargetThatCannotBeAskedIsRefusedInOurOwnWords writes the mistakes that people make in a
// domain or a URL. Each text says what is wrong, without the words of a library.
func TestATargetThatCannotBeAskedIsRefusedInOurOwnWords(t *testing.T) {
	t.Setenv("WAYFIND_CACHE", "none")
	t.Chdir(t.TempDir())
	for target, want := range map[string]string{
		"":                                   "this target cannot be asked: it is empty; name a public domain",
		" ":                                  "it contains a blank",
		"my shop.example":                    "it contains a blank",
		"a\u0007.example":                    "it contains a control character",
		`shop.example\x`:                     "it contains a backslash",
		"shop..example":                      "there is nothing before or after one of its dots",
		"shop.example..":                     "there is nothing before or after one of its dots",
		".shop.example":                      "there is nothing before or after one of its dots",
		strings.Repeat("a", 64) + ".example": "one of its labels is longer than 63 bytes",
		strings.Repeat("abcdefghi.", 30) + "example": "it is longer than 253 bytes",
		strings.Repeat("a", 3000):                    "it is longer than 2048 bytes",
		"my_shop.example":                            "a host name may not contain '_'",
		"b\u00fccher_shop.example":                   "a host name may not contain '_'",
		"shop,example":                               "a host name may not contain ','",
		"a.example,b.example":                        "write a blank between several domains",
		"exa%6dple.com":                              "a host name may not contain '%'",
		"*.shop.example":                             "a host name may not contain '*'",
		"shop-.example":                              `its label "shop-" begins or ends with a hyphen`,
		"sh--op.example":                             `its label "sh--op" has two hyphens in the third and fourth place`,
		"xn--a.example":                              `its label "xn--a" is not a valid encoding of an international name`,
		"\u0663.example":                             `its label "\u0663" contains characters that a host name may not contain, or may not contain in this order`,
		"\u0440\u0430ur\u0430l.example":              "mixes scripts",
		"shop.example\u200b":                         "it hides U+200B",
		"shop.example:8443":                          "only port 443 is asked",
		"shop.example:https":                         "its port is not a number",
		"https://me:secret@shop.example":             "a user name or password stands before the host",
		"me@shop.example":                            "a user name or password stands before the host",
		"https://shop.example/..":                    "its path leaves the site",
		"::1":                                        "it is an IPv6 address, and without brackets",
		"[::1]":                                      "it is not a name but an IP address in brackets",
		"10.0.0.1":                                   "it is an IP address",
		"ftp://shop.example":                         "only https is asked",
		"https:/shop.example":                        "two slashes must follow the scheme and its colon",
		"https:shop.example":                         "two slashes must follow the scheme and its colon",
		"https//shop.example":                        "there is no colon before the slashes",
		"//shop.example":                             "it has no scheme before the slashes",
		"shop.local":                                 ".local is not for public names",
		"<shop.example>":                             "a host name may not contain '<'",
	} {
		for _, verb := range []string{"resolve", "tools", "check"} {
			code, out, errs := exec(t, "", verb, target)
			if told := strings.Join(strings.Fields(errs), " "); code != ui.ExitUsage || out != "" || !strings.Contains(told, want) ||
				!strings.Contains(told, "name a public domain such as example.com") || strings.Contains(told, "secret") ||
				strings.Contains(told, "idna") || strings.Contains(told, "parse ") {
				t.Errorf("wayfind %s %q: exit status %d, want %d and %q: %s%s", verb, target, code, ui.ExitUsage, want, out, errs)
			}
		}
	}
}
