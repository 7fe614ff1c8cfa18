package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// leadTo leads the commands of a test to sites, by the variables of the command.
func leadTo(t *testing.T, sites *siteServer) {
	t.Helper()
	l, err := sites.lead()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.remove)
	for name, value := range l.Variables {
		if strings.HasPrefix(name, "WAYFIND_") {
			t.Setenv(name, value)
		}
	}
}

// TestEachMistakeNamesWhatIsMeantAndAsksNobody types what newcomers type.
func TestEachMistakeNamesWhatIsMeantAndAsksNobody(t *testing.T) {
	var asked atomic.Int64
	sites, err := startSites(anyPort, []string{"shop.example"}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
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
		"lint agent.json":                     "no such file",
		"crawl":                               `"wayfind crawl load"`,
	} {
		code, out, errs := exec(t, "", strings.Fields(typed)...)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("wayfind %s: exit status %d, want %d and %q in: %s", typed, code, exitUsage, want, errs)
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
	if err := os.WriteFile("bad.txt", []byte("a b\n10.0.0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, errs := exec(t, "", "batch", "--jq", ".line", "bad.txt"); out != "1\n2\n" {
		t.Errorf("the filtered lines are %q, %s", out, errs)
	}
}
