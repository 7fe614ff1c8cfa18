package client_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// scene is the setting of a scenario: one site, and the options of its Client.
type scene struct {
	t    *testing.T
	net  *clienttest.Internet
	host *clienttest.Host
	seen map[string]bool // codes, kinds and verdicts that a caller got to see
}

// resolve asks the site of the scene.
func (s *scene) resolve(change ...func(*client.Options)) (*client.Client, *wayfind.Site) {
	s.t.Helper()
	c := newClient(s.t, s.net, change...)
	site, err := c.Resolve(s.t.Context(), s.host.Name())
	s.saw(site, err)
	return c, site
}

// saw records the codes in a Site and in an error.
func (s *scene) saw(site *wayfind.Site, err error) {
	for _, kind := range kinds() {
		s.seen[kind.Error()] = s.seen[kind.Error()] || errors.Is(err, kind)
	}
	s.chain(err)
	if site == nil {
		return
	}
	for _, p := range site.Probes {
		s.seen[p.Reason], s.seen[string(p.Verdict)] = true, true
	}
	for _, d := range site.Diagnostics {
		s.seen[strings.TrimPrefix(d.Code, "document.")] = true
		if about, ok := strings.CutPrefix(d.Code, "signature."); ok {
			s.seen["sig_"+about] = true
		}
	}
}

// chain notes the codes of an error and of its causes.
func (s *scene) chain(err error) {
	if e, ok := err.(*wayfind.Error); ok {
		s.seen[string(e.Code)] = true
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		s.chain(u.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			s.chain(e)
		}
	}
}

// target resolves another target than the site.
func target(text string) func(*scene) {
	return func(s *scene) { s.saw(newClient(s.t, s.net).Resolve(s.t.Context(), text)) }
}

// serving answers with a page at the one place.
func serving(h http.Handler) func(*scene) {
	return func(s *scene) { s.host.Handle(wellKnown, h); s.resolve() }
}

// failing makes the connection fail.
func failingConn(f clienttest.ConnFault) func(*scene) {
	return func(s *scene) { s.host.FailConn(f); s.resolve() }
}

// reading reads a document offline.
func reading(mediaType, body string) func(*scene) {
	return func(s *scene) {
		res, err := client.Parse(s.t.Context(), []byte(body), &client.ParseOptions{ContentType: mediaType, URL: "https://shop.example" + wellKnown})
		if err != nil {
			s.t.Error(err)
			return
		}
		s.saw(res.Site, nil)
	}
}

// behindProxy resolves through a proxy that answers with a text.
func behindProxy(says string) func(*scene) {
	return func(s *scene) { s.resolve((&proxy{t: s.t, internet: s.net, says: says}).options) }
}

// signed reads the cards of the vectors, each with a fault in its signature.
func signed(s *scene) {
	for _, row := range brokenSignatures(s.t) {
		res, err := client.Parse(s.t.Context(), []byte(row.body), &row.opts)
		if err != nil {
			s.t.Error(err)
			continue
		}
		s.saw(res.Site, nil)
	}
}

// describing describes a capability or service of the site.
func describing(key string, change ...func(*client.Options)) func(*scene) {
	return func(s *scene) {
		c, site := s.resolve(change...)
		_, err := c.Describe(s.t.Context(), site, key)
		s.saw(nil, err)
	}
}

func (s *scene) get(c *http.Client, u string) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, u, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	s.saw(nil, err)
}

// scenarios has a scenario for each code, in which a user of the Client sees it.
func scenarios() map[wayfind.Code]func(*scene) {
	return map[wayfind.Code]func(*scene){
		wayfind.CodeUserinfo:        target("https://user:secret@shop.example"),
		wayfind.CodeScheme:          target("http://shop.example"),
		wayfind.CodePort:            target("shop.example:8443"),
		wayfind.CodeHostSyntax:      target("shop example"),
		wayfind.CodeHostNumeric:     target("127.1"),
		wayfind.CodeHostIPLiteral:   target("93.184.216.34"),
		wayfind.CodeHostIDNA:        target("xn--example-.com"),
		wayfind.CodeHostSingleLabel: target("intranet"),
		wayfind.CodeHostSpecialUse:  target("printer.local"),
		wayfind.CodeTargetPath:      target("https://shop.example/../x"),

		wayfind.CodeBlockedAddress: func(s *scene) { s.host.At(addr("10.0.0.1")); s.resolve() },
		wayfind.CodeHostRefused: func(s *scene) {
			s.resolve(func(o *client.Options) {
				o.Network.BeforeHost = func(context.Context, string) error { return errors.New("not today") }
			})
		},
		wayfind.CodeServer: func(s *scene) {
			s.host.Handle("/mcp", clienttest.Page{Status: http.StatusMethodNotAllowed, Header: http.Header{"Mcp-Session-Id": {"1"}}})
			s.saw(newClient(s.t, s.net).Resolve(s.t.Context(), "https://shop.example/mcp"))
		},
		wayfind.CodeDNSNotFound: target("nobody.example"),
		wayfind.CodeDNS:         func(s *scene) { s.net.DNS("shop.example", clienttest.ServFail()); s.resolve() },
		wayfind.CodeTimeout:     failingConn(clienttest.BlackHole()),
		wayfind.CodeNetwork:     failingConn(clienttest.Refuse()),
		wayfind.CodeTLS:         failingConn(clienttest.ExpiredCert()),
		wayfind.CodeCanceled: func(s *scene) {
			s.host.FailConn(clienttest.BlackHole())
			ctx, cancel := context.WithCancel(s.t.Context())
			time.AfterFunc(time.Second, cancel)
			s.saw(newClient(s.t, s.net).Resolve(ctx, "shop.example"))
		},
		wayfind.CodeProtocol: func(s *scene) {
			s.host.Protocols("http/1.1").Raw(func(c net.Conn) {
				_, _ = c.Read(make([]byte, 1024))
				_, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n")
			})
			s.resolve()
		},
		wayfind.CodeHeadersTooLarge: serving(clienttest.Page{Header: http.Header{"X": slices.Repeat([]string{strings.Repeat("x", 1000)}, 100)}}),
		wayfind.CodeTooLarge:        serving(page(strings.Repeat(" ", 300<<10))),
		wayfind.CodeTruncated: func(s *scene) {
			s.host.Protocols("http/1.1").Fail(wellKnown, clienttest.AtBody(10, clienttest.Close))
			s.resolve()
		},
		wayfind.CodeEncoding: serving(page("x", "Content-Encoding", "br")),
		wayfind.CodeStatus:   serving(clienttest.Redirect(http.StatusUseProxy, "/x")),
		wayfind.CodeRedirectLimit: func(s *scene) {
			s.host.Handle(wellKnown, clienttest.Redirect(302, "/0"))
			for i := range 6 {
				s.host.Handle("/"+strconv.Itoa(i), clienttest.Redirect(302, "/"+strconv.Itoa(i+1)))
			}
			s.resolve()
		},
		wayfind.CodeRedirectLoop:      serving(clienttest.Redirect(302, wellKnown)),
		wayfind.CodeRedirectDowngrade: serving(clienttest.Redirect(302, "http://shop.example:8080/x")),
		wayfind.CodeRedirectCrossSite: func(s *scene) {
			s.host.Handle(agentsmd.Path, clienttest.Redirect(302, "https://evil.example.net/"))
			s.resolve(withFormats(agentsmd.Format()))
		},
		wayfind.CodeRedirectLocation: serving(clienttest.Redirect(302, "https://u:p@shop.example/")),
		wayfind.CodeOrigin: func(s *scene) {
			s.get(newClient(s.t, s.net).HTTP("https://shop.example"), "https://other.example.net/")
		},
		wayfind.CodeNotBefore: func(s *scene) {
			s.host.Handle(wellKnown, clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"600"}}})
			c, _ := s.resolve()
			s.saw(c.Refresh(s.t.Context(), "shop.example"))
		},
		wayfind.CodeCrossSite: func(s *scene) {
			s.host.Handle(wellKnown, page(manifest("other.example.net", "/a")))
			describing("adp:a")(s)
		},
		wayfind.CodeCredential: func(s *scene) {
			s.host.Handle("/.well-known/agent-card.json", page(agentCard("shop.example", "find")))
			describing("a2a:agent-card", withFormats(formats.All()...), func(o *client.Options) {
				o.Credentials = func(context.Context, security.CredentialRequest) (security.Credential, error) {
					return security.Credential{Origin: "https://other.example.net", Field: "X-Key", Value: "x"}, nil
				}
			})(s)
		},
		wayfind.CodeDeadline: func(s *scene) {
			s.host.Fail(wellKnown, clienttest.AtHeaders(clienttest.Stall))
			s.resolve(func(o *client.Options) { o.Timeout = time.Second })
		},
		wayfind.CodeCrowded: func(s *scene) {
			site, _, err := crowdedOut(s.t, s.net, clienttest.Pages{"/a": toyOf(200 << 10)})
			s.saw(site, err)
		},
		wayfind.CodeRobots: func(s *scene) {
			s.host.Handle("/robots.txt", clienttest.Page{Body: "User-agent: *\nDisallow: /\n"})
			s.resolve(func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		},
		wayfind.CodeRobotsUnreachable: func(s *scene) {
			s.host.Handle("/robots.txt", clienttest.Page{Status: 500})
			s.resolve(func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		},
		wayfind.CodeOffline: func(s *scene) { s.resolve(func(o *client.Options) { o.Offline = true }) },
		wayfind.CodeAbsent: func(s *scene) {
			s.host.Handle(wellKnown, page(manifest("shop.example", "/none")))
			describing("adp:none")(s)
		},
		wayfind.CodeServerError: serving(clienttest.Page{Status: 500}),
		wayfind.CodeFirewall: serving(clienttest.Page{Status: 403, Body: "<!doctype html>",
			Header: http.Header{"Server": {"AkamaiGHost"}, "Content-Type": {"text/html"}}}),
		wayfind.CodePayment: serving(clienttest.Page{Status: 402}),
		wayfind.CodePrice:   serving(clienttest.Page{Status: 402, Header: http.Header{"Crawler-Price": {"USD 0.01"}}}),
		wayfind.CodeCanary:  func(s *scene) { s.host.Handle(wellKnown, page(`{"ok": true}`)); s.anything(`{"ok": true}`) },

		wayfind.CodeHTML:          serving(clienttest.Page{Body: "<!doctype html><title>x</title>"}),
		wayfind.CodeInvalidUTF8:   reading("application/json", "{\"a\": \"\xff\"}"),
		wayfind.CodeJSONSyntax:    reading("application/json", `{"a": `),
		wayfind.CodeJSONDuplicate: reading("application/json", `{"a": 1, "a": 2}`),
		wayfind.CodeJSONTrailing:  reading("application/json", `{} {}`),
		wayfind.CodeJSONDepth:     reading("application/json", strings.Repeat("[", 100)),
		wayfind.CodeYAMLSyntax:    reading("application/yaml", "openapi: 3.1.0\npaths: [\n"),
		wayfind.CodeYAMLForbidden: reading("application/yaml", "openapi: 3.1.0\npaths: {}\n---\nopenapi: 3.1.0\n"),
		wayfind.CodeYAMLDuplicate: reading("application/yaml", "openapi: 3.1.0\npaths: {}\npaths: {}\n"),
		wayfind.CodeLimit:         reading("application/json", `{"`+strings.Repeat("x", 5000)+`": 1}`),
		wayfind.CodeSchema:        serving(page("")),
		wayfind.CodeNoFormat: func(s *scene) {
			s.host.Handle(wellKnown, page(manifest("shop.example", "/a")))
			_, site := s.resolve()
			_, err := newClient(s.t, s.net, withFormats(toy("toy"))).Describe(s.t.Context(), site, "adp:a")
			s.saw(nil, err)
		},
		wayfind.CodeUnknownKey: func(s *scene) {
			s.host.Handle(wellKnown, page(manifest("shop.example", "/a")))
			describing("adp:none")(s)
		},
		wayfind.CodeNoDetail: func(s *scene) {
			c := newClient(s.t, s.net)
			site := &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "adp", Lazy: true}}}
			_, err := c.Describe(s.t.Context(), site, "adp")
			s.saw(nil, err)
		},
		wayfind.CodeDigest: func(s *scene) {
			s.host.Handle(agentskills.Path, page(`{"skills": [{"name": "a", "url": "/a/SKILL.md", "digest": "sha256:`+strings.Repeat("0", 64)+`"}]}`))
			s.host.Handle("/a/SKILL.md", page("another text"))
			describing("agentskills:a", withFormats(agentskills.Format()))(s)
		},
		wayfind.CodeUnusable: reading("application/json", `{"spec_version": "1.0", "name": "Service", "description": "A service.", "base_url": "https://shop.example", "auth": {"type": "none"}, "capabilities": []}`),
		wayfind.CodeStrict: func(s *scene) {
			s.host.Handle(wellKnown, page(strings.Replace(manifest("shop.example", "/a"), `"1.0"`, `1.0`, 1)))
			s.resolve(func(o *client.Options) { o.Strict = true })
		},
		wayfind.CodeSecret: func(s *scene) {
			s.host.Handle(wellKnown, clienttest.Redirect(302, "/x?access_token="+liveKey(1)))
			s.resolve()
		},
		wayfind.CodeProxy:      behindProxy("HTTP/1.1 502 Bad Gateway\r\n\r\n"),
		wayfind.CodeProxyAuth:  behindProxy("HTTP/1.1 407 Who\r\n\r\n"),
		wayfind.CodeSigInvalid: signed, wayfind.CodeSigHeader: signed, wayfind.CodeSigAlg: signed, wayfind.CodeSigKey: signed,
		wayfind.CodeSigJKU: signed, wayfind.CodeSigDomain: signed, wayfind.CodeSigNumber: signed, wayfind.CodeSigProfile: signed,
		wayfind.CodeSigUnverified: signed, wayfind.CodeSigUnsigned: signed,
		wayfind.CodePinMismatch: func(s *scene) {
			s.host.Handle(wellKnown, page(manifest("shop.example", "/a")))
			_, site := s.resolve()
			set, err := (*pins.Set)(nil).With(site, "adp:a")
			if err != nil {
				s.t.Fatal(err)
			}
			s.host.Handle(wellKnown, page(strings.Replace(manifest("shop.example", "/a"), "Do the thing", "Do another thing", 1)))
			s.resolve(func(o *client.Options) { o.Trust.Pins, o.Trust.PinPolicy = set, client.PinRefuse })
		},
		wayfind.CodeNotApproved: func(s *scene) {
			s.net.Host("other.example.net", page(detail("a", "/a")))
			s.host.Handle(wellKnown, page(manifest("other.example.net", "/a")))
			var nobody pins.Approvals
			describing("adp:a", func(o *client.Options) { o.Approve = nobody.For("") })(s)
		},
		wayfind.CodeStored: func(s *scene) {
			_, err := pins.Parse([]byte("{"))
			s.saw(nil, err)
		},
		wayfind.CodePanic: func(s *scene) {
			f := adp.Format()
			f.Parse = func(*parse.Input) (*parse.Reading, error) { panic("a bug") }
			s.host.Handle(wellKnown, page(manifest("shop.example", "/a")))
			s.resolve(withFormats(f))
		},
	}
}

// anything makes the site answer alike to any path.
func (s *scene) anything(body string) {
	other := s.net.Host("catchall.example", page(body))
	s.saw(newClient(s.t, s.net).Resolve(s.t.Context(), other.Name()))
}

// kinds are the kinds of wayfind.Error.
func kinds() []error {
	return []error{wayfind.ErrNotFound, wayfind.ErrUnreachable, wayfind.ErrBlocked, wayfind.ErrRefused,
		wayfind.ErrThrottled, wayfind.ErrInvalid, wayfind.ErrClosed, wayfind.ErrInternal}
}

// Some real scenario shows a user of the Client each code of error.go, each kind and each verdict.
func TestEveryCodeIsSeen(t *testing.T) {
	table, all := scenarios(), map[string]bool{}
	for name, code := range declared(t, "Code") {
		scenario := table[code]
		if scenario == nil {
			t.Errorf("%s (%q) has no scenario", name, code)
			continue
		}
		delete(table, code)
		t.Run(string(code), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				s := &scene{t: t, net: internet, host: internet.Host("shop.example", clienttest.Pages{}), seen: map[string]bool{}}
				scenario(s)
				for what, seen := range s.seen {
					all[what] = all[what] || seen
				}
				if !s.seen[string(code)] {
					t.Errorf("nobody sees it: %v", s.seen)
				}
			})
		})
	}
	for code := range table {
		t.Errorf("%q is no code", code)
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_, err := c.Resolve(t.Context(), "shop.example")
		all[wayfind.ErrClosed.Error()] = errors.Is(err, wayfind.ErrClosed)
	})
	for _, kind := range kinds() {
		if !all[kind.Error()] {
			t.Errorf("no scenario is of the kind %q", kind)
		}
	}
	rest := &scene{t: t, seen: all}
	for _, h := range []http.Handler{
		page(manifest("shop.example", "/a")), clienttest.Page{Status: 405}, page(`{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`),
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			rest.t, rest.net, rest.host = t, internet, internet.Host("shop.example", nil)
			serving(h)(rest)
		})
	}
	if got := len(declared(t, "Err")); got != len(kinds()) {
		t.Errorf("error.go has %d kinds, the test knows %d", got, len(kinds()))
	}
	for _, v := range wayfind.Verdicts() {
		if !all[string(v)] {
			t.Errorf("no scenario has the verdict %q", v)
		}
	}
}

// declared are the exported names of error.go with a prefix, and the values of
// those that are strings.
func declared(t *testing.T, prefix string) map[string]wayfind.Code {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(golden.Root(t), "error.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]wayfind.Code{}
	for _, d := range tree.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST && gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if !strings.HasPrefix(name.Name, prefix) {
					continue
				}
				found[name.Name] = ""
				if lit, ok := v.Values[i].(*ast.BasicLit); ok {
					text, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					found[name.Name] = wayfind.Code(text)
				}
			}
		}
	}
	if len(found) < 5 {
		t.Fatalf("error.go declares %d names with %s", len(found), prefix)
	}
	return found
}
