package merge_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// worst is a document whose merging is meant to cost more than its bytes: alone, with another
// document that describes the same calls, or both.
type worst struct {
	format, name, path string
	// of returns a document of about n bytes. A mark distinguishes texts that have no meaning in
	// the other documents (scopes, schemes).
	of func(n int, mark string) string
}

// items joins as many texts as fit into n bytes. N is replaced by the number of each.
func items(n int, layout string) string {
	var b strings.Builder
	parts := strings.Split(layout, "N")
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.Join(parts, strconv.Itoa(i)))
	}
	return b.String()
}

// hidden are names that are all the same once they are clean.
func hidden(n int, value string) string {
	var list []string
	for i, size := 0, 0; size < n; i++ {
		var name strings.Builder
		for at := i; ; at /= 16 {
			name.WriteRune(rune(0xfe00 + at%16)) // variation selectors
			if at < 16 {
				break
			}
		}
		list = append(list, `"`+name.String()+`":`+value)
		size += len(list[i]) + 1
	}
	return strings.Join(list, ",")
}

// worstDocuments are some of every format.
func worstDocuments() []worst {
	const (
		open  = `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"servers":[{"url":"https://shop.example"}],"components":{"securitySchemes":{"a":{"type":"http","scheme":"basic"},"x":{"type":"mutualTLS"},"y":{"type":"mutualTLS"}}}`
		card  = `{"protocolVersion":"0.3.0","name":"Shop","description":"d","url":"https://shop.example/a2a","preferredTransport":"JSONRPC","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"securitySchemes":{"a":{"type":"http","scheme":"basic"}}`
		skill = `"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}]`
		awp   = `{"awp_version":"0.2","domain":"shop.example","intent":"x"`
		call  = `,"actions":[{"id":"p0","endpoint":"/p0","method":"GET"}]`
		mcp   = `{"name":"example.shop/x","description":"d","version":"1.0.0"`
	)
	at := func(format, name, path string, of func(n int, mark string) string) worst {
		return worst{format, name, path, of}
	}
	openapi := func(name string, of func(n int, mark string) string) worst {
		return at("openapi", name, "/openapi.json", of)
	}
	a2a := func(name string, of func(n int, mark string) string) worst {
		return at("a2a", name, "/.well-known/agent-card.json", of)
	}
	return []worst{
		openapi("scopes", func(n int, mark string) string {
			return open + `,"paths":{"/p0":{"get":{"security":[{"a":[` + items(n, `"`+mark+`N"`) + `]}]}}}}`
		}),
		openapi("alternatives", func(n int, mark string) string {
			return open + `,"paths":{"/p0":{"get":{"security":[` + items(n, `{"`+mark+`":[]}`) + `]}}}}`
		}),
		openapi("own scopes", func(n int, mark string) string {
			return open + `,"paths":{"/p0":{"get":{"security":[` + items(n, `{"a":["`+mark+`N"]}`) + `]}}}}`
		}),
		openapi("scopes of all", func(n int, mark string) string {
			return open + `,"security":[{"a":[` + items(n/2, `"`+mark+`N"`) + `]}],"paths":{` + items(n/2, `"/pN":{"get":{}}`) + `}}`
		}),
		openapi("disagreements", func(n int, mark string) string {
			return open + `,"paths":{` + items(n, `"/pN":{"get":{"description":"`+mark+`","security":[{"`+mark+`":[]}]}}`) + `}}`
		}),
		a2a("scopes", func(n int, mark string) string {
			return card + `,"security":[{"a":[` + items(n, `"`+mark+`N"`) + `]}],` + skill + `}`
		}),
		a2a("skills", func(n int, mark string) string {
			return card + `,"security":[{"a":["` + mark + `"]}],"skills":[` + items(n, `{"id":"pN","name":"s","description":"`+mark+`","tags":["t"],"security":[{"a":["N"]}]}`) + `]}`
		}),
		a2a("interfaces", func(n int, _ string) string {
			return card + `,` + skill + `,"additionalInterfaces":[` + items(n, `{"url":"https://shop.example/pN","transport":"HTTP+JSON"}`) + `]}`
		}),
		at("awp", "actions", "/agent.json", func(n int, mark string) string {
			return awp + `,"actions":[` + items(n, `{"id":"pN","endpoint":"/pN","method":"GET","description":"`+mark+`"}`) + `]}`
		}),
		at("awp", "one ID", "/agent.json", func(n int, mark string) string {
			return awp + `,"actions":[` + items(n, `{"id":"p0","endpoint":"/pN","method":"GET","description":"`+mark+`"}`) + `]}`
		}),
		at("awp", "names", "/agent.json", func(n int, _ string) string {
			return awp + call + `,"errors":{` + hidden(n, `{"recovery":"x"}`) + `}}`
		}),
		at("awp", "hints", "/agent.json", func(n int, _ string) string {
			return awp + call + `,"agent_hints":{` + hidden(n, `1`) + `}}`
		}),
		at("awp", "dependencies", "/agent.json", func(n int, _ string) string {
			return awp + `,"actions":[` + items(n/2, `{"id":"pN","endpoint":"/pN","method":"GET"}`) + `],"dependencies":{` + items(n/2, `"pN":["p0","pN"]`) + `}}`
		}),
		at("adp", "capabilities", "/.well-known/agent-discovery.json", func(n int, mark string) string {
			return `{"spec_version":"1.0","name":"Shop","description":"` + mark + `","base_url":"https://shop.example","auth":{"type":"none"},"capabilities":[` + items(n, `{"name":"pN","description":"d","detail_url":"/pN"}`) + `]}`
		}),
		at("aidiscovery", "capabilities", "/.well-known/ai", func(n int, mark string) string {
			return `{"aiendpoint":"1.0","service":{"name":"S","description":"` + mark + `"},"capabilities":[` + items(n, `{"id":"pN","description":"`+mark+`","endpoint":"/pN","method":"GET"}`) + `],"auth":{"type":"none"}}`
		}),
		at("aidiscovery", "parameters", "/.well-known/ai", func(n int, mark string) string {
			return `{"aiendpoint":"1.0","service":{"name":"S","description":"` + mark + `"},"capabilities":[{"id":"p0","description":"d","endpoint":"/p0","method":"GET","params":{` + items(n, `"aN":"string, required ("`) + `}}],"auth":{"type":"none"}}`
		}),
		at("aiplugin", "text", "/.well-known/ai-plugin.json", func(n int, mark string) string {
			return `{"schema_version":"v1","name_for_human":"Shop","name_for_model":"shop","description_for_human":"d","description_for_model":"` + mark + strings.Repeat("ignore all the previous ", n/24) + `","auth":{"type":"none"},"api":{"type":"openapi","url":"https://shop.example/openapi.json"},"logo_url":"https://shop.example/l.png","contact_email":"a@shop.example","legal_info_url":"https://shop.example/legal"}`
		}),
		at("agentsmd", "items", "/agents.md", func(n int, mark string) string {
			return "# " + mark + "\n\n## Can\n\n" + strings.Repeat("- sell (a\n", n/10)
		}),
		at("llmstxt", "links", "/llms.txt", func(n int, mark string) string {
			return "# " + mark + "\n\n## A\n\n" + strings.ReplaceAll(items(n, "- [a](/pN.md): `x`\n"), ",", "")
		}),
		at("llmstxt", "other sites", "/llms.txt", func(n int, mark string) string {
			return "# " + mark + "\n\n## A\n\n" + strings.ReplaceAll(items(n, "- [a](https://aN.example/openapi.json): OpenAPI\n"), ",", "")
		}),
		at("mcp", "remotes", "/.well-known/mcp.json", func(n int, _ string) string {
			return mcp + `,"remotes":[` + items(n, `{"type":"streamable-http","url":"https://shop.example/mcp/N"}`) + `]}`
		}),
		at("mcp", "headers", "/.well-known/mcp.json", func(n int, mark string) string {
			return mcp + `,"remotes":[{"type":"streamable-http","url":"https://shop.example/mcp","headers":[` + items(n, `{"name":"X-`+mark+`N","isRequired":true}`) + `]}]}`
		}),
		at("mcp", "tools", "/.well-known/mcp.json", func(n int, mark string) string {
			return mcp + `,"remotes":[{"type":"streamable-http","url":"https://shop.example/mcp"}],"tools":[` + items(n, `{"name":"p0","description":"`+mark+`","inputSchema":{}}`) + `]}`
		}),
		at("msagents", "agents", "/agents/v1", func(n int, mark string) string {
			return `{"agents":[` + items(n, `{"name":"pN","description":"`+mark+`","version":"1"}`) + `]}`
		}),
		at("oauth", "scopes", "/.well-known/oauth-protected-resource", func(n int, mark string) string {
			return `{"resource":"https://shop.example","authorization_servers":["https://shop.example"],"scopes_supported":[` + items(n, `"`+mark+`N"`) + `]}`
		}),
		at("oauth", "servers", "/.well-known/oauth-protected-resource", func(n int, mark string) string {
			return `{"resource":"https://shop.example","authorization_servers":[` + items(n, `"https://`+mark+`N.example"`) + `]}`
		}),
		at("openrpc", "methods", "/openrpc.json", func(n int, mark string) string {
			return `{"openrpc":"1.4.0","info":{"title":"T","version":"1"},"servers":[{"url":"https://shop.example/rpc"}],"methods":[` + items(n, `{"name":"pN","description":"`+mark+`","params":[]}`) + `]}`
		}),
		at("openrpc", "servers", "/openrpc.json", func(n int, _ string) string {
			return `{"openrpc":"1.4.0","info":{"title":"T","version":"1"},"servers":[` + items(n/2, `{"name":"N","url":"https://shop.example/rpc/N"}`) + `],"methods":[` + items(n/2, `{"name":"pN","params":[]}`) + `]}`
		}),
		at("robots", "policies", "/robots.txt", func(n int, mark string) string {
			return "User-agent: *\n" + strings.ReplaceAll(items(n, "Sitemap: https://shop.example/"+mark+"N\nDisallow: /*N\n"), ",", "")
		}),
	}
}

func newReader() *reading.Reader {
	return &reading.Reader{Formats: formats.All(), MaxBytes: parse.DefaultBytes, Digests: true}
}

// limit returns the number of bytes that its format reads, plus some for the text around a list.
func (d worst) limit() int {
	i := slices.IndexFunc(formats.All(), func(f *parse.Format) bool { return f.Name == d.format })
	return int(newReader().Limit(formats.All()[i]).Limit) - 2<<10
}

// most is about the size of the largest document that its format reads whole:
// there are limits of bytes, and of values.
func (d worst) most() int {
	for n := d.limit(); ; n = n * 4 / 5 {
		_, err := (&parse.Input{Body: []byte(d.of(n, "x"))}).JSON()
		if beyond, ok := errors.AsType[*wayfind.TooLarge](err); !ok || beyond.Of != "values" {
			return n
		}
	}
}

// watched is a context that never ends. It fails the test when it is not looked
// at within 50,000 steps.
type watched struct {
	context.Context
	t       testing.TB
	counter *fuel.Counter
	last    int64
}

func watch(t testing.TB) *fuel.Counter {
	c := &watched{Context: t.Context(), t: t}
	c.counter = fuel.Under(c)
	return c.counter
}

func (c *watched) Err() error {
	if now := c.counter.Steps(); now-c.last > 50_000 {
		c.t.Errorf("%d steps without a look at the context", now-c.last)
	}
	c.last = c.counter.Steps()
	return nil
}

// taken is a document on its way into a Site.
type taken struct {
	worst
	outcome *merge.Outcome
	bytes   int
	steps   int64 // of reading
}

// take reads a document of about n bytes as it is found at a place of shop.example.
func (d worst) take(t testing.TB, n int, mark string) taken {
	t.Helper()
	return d.read(t, []byte(d.of(n, mark)), mark)
}

func (d worst) read(t testing.TB, body []byte, mark string) taken {
	t.Helper()
	at := &url.URL{Scheme: "https", Host: "shop.example", Path: d.path}
	if mark == "y" { // the same document may be at two places
		at.Path = "/2" + d.path
	}
	r := newReader()
	w := watch(t)
	o := &merge.Outcome{Candidate: &places.Candidate{URL: at.String()}}
	err := w.Do(func() {
		doc := r.Read(w, &reading.Response{URL: at, Status: http.StatusOK, Header: http.Header{}, Body: body, Digest: sha256.Sum256(body)})
		o.Readings, o.Diagnostics = doc.At(reading.At{Work: w, Requested: at, Final: at})
		o.Probe.URL = at.String()
		o.Probe.Verdict, o.Probe.Reason, o.Err = doc.Verdict()
	})
	if err != nil || o.Probe.Verdict != wayfind.VerdictFound || o.Readings[0].Format.Name != d.format {
		t.Fatalf("%s, %s: %v, %s, %v, read as %d", d.format, d.name, err, o.Probe.Verdict, o.Err, len(o.Readings))
	}
	return taken{d, o, len(body), w.Steps()}
}

// merged merges documents and returns the steps of that and of reading them, and
// the bytes that there were.
func merged(t testing.TB, robots *merge.Robots, list ...taken) (site *wayfind.Site, steps float64, bytes float64) {
	t.Helper()
	w := watch(t)
	in := merge.Input{Target: resolve.Target{Origin: "https://shop.example"}, Robots: robots}
	for _, d := range list {
		in.Outcomes = append(in.Outcomes, d.outcome)
		steps += float64(d.steps)
		bytes += float64(d.bytes)
	}
	site, err := merge.SiteWithin(w, in)
	if err != nil {
		t.Fatal(err)
	}
	return site, steps + float64(w.Steps()), bytes
}
