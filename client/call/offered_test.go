package call_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security"
)

// offers are the tools of a description, and a caller of them.
type offers struct {
	box    *tools.Box
	caller *call.Caller
}

// offersOf reads a description from a file.
func offersOf(t *testing.T, file string) *offers {
	t.Helper()
	body := golden.Read(t, file)
	kind := "application/yaml"
	if json.Valid(body) {
		kind = "application/json"
	}
	net := clienttest.New(t)
	net.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin}).
		Handle("/openapi.json", clienttest.Page{Header: http.Header{"Content-Type": {kind}}, Body: string(body)})
	c := net.Client()
	box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := call.New(c, &call.Options{
		Approve: func(context.Context, security.ApprovalRequest) error { return nil },
		Credentials: func(_ context.Context, r *call.CredentialRequest) (*call.Grant, error) {
			to := call.Binding{Origin: r.Origin, Proof: call.ProofPerson}
			switch {
			case strings.EqualFold(r.Scheme.HTTPScheme, "basic"):
				return call.Basic("user", "password", to), nil
			case r.Scheme.Kind == wayfind.SchemeAPIKey:
				return call.Key("key", to), nil
			}
			return call.Bearer("token", to), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &offers{box, caller}
}

// shownArguments returns arguments of a tool, as the shown schema describes them: all of them, or
// the required ones and one more.
func shownArguments(t *testing.T, tool *tools.Tool, variant int, only string) (map[string]any, bool) {
	t.Helper()
	raw, err := tool.Schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	header := make(map[string]bool)
	for _, p := range tool.Capability.Params {
		header[argumentName(&p)] = p.In == "header" || p.In == "cookie"
	}
	g := &generator{root: root, variant: variant}
	whole := g.resolved(root, 0)
	properties, _ := whole["properties"].(map[string]any)
	required := fmt.Sprint(whole["required"])
	args := make(map[string]any)
	for name, schema := range properties {
		must := bytes.Contains([]byte(" "+required[1:max(1, len(required)-1)]+" "), []byte(" "+name+" "))
		if only != "" && name != only && !must {
			continue
		}
		one := &generator{root: root, variant: variant, plain: header[name]}
		v, ok := one.value(schema, 1)
		if !ok && (must || name == only) {
			return nil, false
		} else if ok {
			args[name] = v
		}
	}
	return args, true
}

func argumentName(p *wayfind.Param) string {
	if p.Argument != "" {
		return p.Argument
	}
	return p.Name
}

// offered are the arguments of a definition, by themselves and all of them.
func offered(tool *tools.Tool) []string {
	raw, err := tool.Schema.JSON()
	var root struct {
		Properties map[string]json.RawMessage
	}
	if err != nil || json.Unmarshal(raw, &root) != nil {
		return nil
	}
	list := []string{""}
	for name := range root.Properties {
		list = append(list, name)
	}
	return list
}

// refusals returns the refusals of the arguments that the tools of a description offer.
func (o *offers) refusals(t *testing.T) (tried int, list map[string]int) {
	t.Helper()
	list = make(map[string]int)
	for _, listed := range o.box.Tools() {
		tool, err := o.box.Tool(listed.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range offered(tool) {
			for variant := range 3 {
				args, ok := shownArguments(t, tool, variant, name)
				raw, err := json.Marshal(args)
				if !ok || err != nil || tool.Schema.Validate(raw, 0) != nil {
					continue
				}
				tried++
				_, err = o.caller.DryRun(t.Context(), o.box, tool.Name, raw)
				if e, ok := errors.AsType[*httpcall.Error](err); ok {
					list[fmt.Sprintf("%s %s %s %s", tool.Name, e.Code, e.In, e.Name)]++
				} else if e, ok := errors.AsType[*call.Error](err); ok && e.Code == call.InvalidArguments {
					list[fmt.Sprintf("%s %v", tool.Name, e)]++
				}
			}
		}
	}
	return tried, list
}

// Every argument that a definition offers can be sent.
func TestOfferedArgumentsAreSent(t *testing.T) {
	files := golden.Files(t, filepath.Join("testdata", "offered"), "*")
	if golden.Published(t, golden.EnvAPIs) && os.Getenv("WAYFIND_REQUESTS") == "all" {
		files = append(files, golden.Files(t, golden.APIs(t), "*.[jy]*")...)
	}
	for _, file := range files {
		o := offersOf(t, file)
		tried, list := o.refusals(t)
		t.Logf("%s: %d tools, %d skipped, %d calls", filepath.Base(file), o.box.Len(), len(o.box.Skipped()), tried)
		for what, n := range list {
			t.Errorf("%s: %d × %s", filepath.Base(file), n, what)
		}
	}
}

// A service that wants a key in User-Agent gets the field that each request has, without a question
// for a credential. It gets a key in Referer, or in a cookie, exactly as it names the place, and each
// caller gets the answer to its own key, whatever the service says about caches. An operation whose only
// key is in another field of that kind, or in a cookie without a valid name, is no tool.
func TestAKeyInAFieldThatIsNotForKeys(t *testing.T) {
	const refused = "puts the key where no request can have one"
	for _, tt := range []struct{ in, field, sent, want string }{
		{"header", "User-Agent", "", ""}, {"header", "user-agent", "", ""}, {"header", "Referer", "Referer", ""}, {"header", "referer", "Referer", ""}, {"cookie", "sid", "Cookie", ""},
		{"header", "Origin", "", refused}, {"header", "Cookie", "", refused}, {"header", "X-Forwarded-For", "", refused}, {"header", "Host", "", refused},
		{"header", "Content-MD5", "", refused}, {"header", "Signature-Input", "", refused}, {"header", "DPoP", "", refused}, {"header", "X Key", "", refused},
		{"cookie", "a b", "", refused}, {"cookie", "a=b", "", refused},
	} {
		var seen []string
		net := clienttest.New(t)
		net.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": `{"openapi":"3.0.3","info":{"title":"W","version":"1"},
			"servers":[{"url":"https://shop.example"}],"security":[{"key":[]}],"components":{"securitySchemes":{"key":{"type":"apiKey","in":"` + tt.in + `","name":"` + tt.field + `"}}},
			"paths":{"/points":{"get":{"operationId":"point","responses":{"200":{"description":"ok"}}}}}}`}).
			Handle("/points", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = append(seen, r.Header.Get(tt.sent))
				w.Header().Set("Cache-Control", "public, max-age=3600")
				w.Header().Set("Content-Type", "text/plain")
				fmt.Fprintf(w, "answer %d", len(seen))
			}))
		c := net.Client()
		box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.want != "" {
			if list := box.Skipped(); box.Len() != 0 || len(list) != 1 || !strings.Contains(list[0].Reason, tt.want) {
				t.Errorf("%s: %d tools, skipped %+v", tt.field, box.Len(), list)
			}
			continue
		}
		asked := 0
		for n, key := range []string{"first-key", "other-key", "first-key"} {
			caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm,
				Credentials: func(_ context.Context, r *call.CredentialRequest) (*call.Grant, error) {
					asked++
					return call.Key(key, call.Binding{Origin: r.Origin, Proof: call.ProofPerson}), nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := caller.Call(t.Context(), box, "point", []byte(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			if got.Model.Text != fmt.Sprint("answer ", n+1) || !strings.HasSuffix(seen[n], map[string]string{"": seen[n], "Referer": key, "Cookie": "sid=" + key}[tt.sent]) {
				t.Errorf("%s: %+v, the service saw %q", tt.field, got.Model, seen)
			}
		}
		if (asked > 0) != (tt.sent != "") {
			t.Errorf("%s: asked %d times", tt.field, asked)
		}
	}
}
