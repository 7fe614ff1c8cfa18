package openapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	own      = "https://shop.example/docs/openapi.json"
	local    = "http://localhost:3000/openapi.json"
	private  = "https://api.internal:8443/openapi.json"
	nowhere  = ""
	public   = "https://api.shop.example"
	noPublic = "its host is no public name"
	noTLS    = "it does not use TLS"
)

// usable are servers, with variables as "name=default" behind a blank, and the place of their
// document; want is the URL that calls go to, or "" if there is none to call. passed has a reason
// for each server that is not called.
var usable = []struct {
	at      string
	servers []string
	want    string
	passed  []string
}{
	// The first usable one, in the order of the publisher.
	{own, []string{"http://api.shop.example", public}, public, []string{noTLS}},
	{own, []string{"http://localhost:3000", public, "https://eu.shop.example"}, public, []string{noPublic}},
	{own, []string{"https://10.0.0.1/v1", "https://staging.internal", "https://api.shop.example:8443", public}, public,
		[]string{"its host is an IP address", "its host is under a name for special use", "its port is not 443"}},
	{own, []string{public, "http://localhost:3000"}, public, nil},
	{own, []string{"http://api.shop.example", "/v1"}, "https://shop.example/v1", []string{noTLS}},
	{own, []string{"ftp://shop.example", "https://u@shop.example", public}, public, []string{"its scheme is neither https nor http", "it holds a user name or a password"}},
	{nowhere, []string{"http://localhost:3000", public}, public, []string{noPublic}},
	// Another site is neither preferred nor avoided: it needs approval when it is called.
	{own, []string{"https://other.example", "https://shop.example"}, "https://other.example", nil},
	{own, []string{"https://shop.example", "https://other.example"}, "https://shop.example", nil},
	{own, []string{"http://other.example", "https://shop.example"}, "https://shop.example", []string{noTLS}},
	// http on the host of the document is https there, and on no other host.
	{own, []string{"http://shop.example/v1"}, "https://shop.example/v1", nil},
	{own, []string{"http://SHOP.example:80/v1", "https://other.example"}, "https://shop.example/v1", nil},
	{own, []string{"http://shop.example:8080", public}, public, []string{noTLS}},
	{own, []string{"http://{h}.example/{v} h=shop v=v1"}, "https://shop.example/v1", nil},
	{private, []string{"http://api.internal/v1"}, "https://api.internal:8443/v1", nil},
	{own, []string{"http://api.shop.example"}, "", []string{noTLS}},
	{own, []string{"http://shop.example.evil.example"}, "", []string{noTLS}},
	{nowhere, []string{"http://shop.example"}, "", []string{noTLS}},
	{"http://shop.example/openapi.json", []string{"http://shop.example"}, "http://shop.example", nil},
	// A server under development, and one of a private network, is called for its own documents only.
	{local, []string{"http://localhost:3000", public}, "http://localhost:3000", nil},
	{local, []string{"/v1", public}, "http://localhost:3000/v1", nil},
	{local, []string{"http://localhost:8080", "http://localhost:3000"}, "http://localhost:3000", []string{noPublic}},
	{local, []string{"http://localhost:8080", public}, public, []string{noPublic}},
	{private, []string{"https://api.internal:8443", public}, "https://api.internal:8443", nil},
	{private, []string{"https://pay.internal:8443", public}, public, []string{"its host is under a name for special use"}},
	{own, []string{"http://localhost:3000"}, "", []string{noPublic}},
	// A reference that begins with a host has the scheme of the document.
	{own, []string{"//api.shop.example/model/"}, "https://api.shop.example/model", nil},
	{local, []string{"//localhost:3000/v1"}, "http://localhost:3000/v1", nil},
	{nowhere, []string{"//api.shop.example"}, public, nil},
	{own, []string{"//{h}/v1 h=api.shop.example"}, "https://api.shop.example/v1", nil},
	{own, []string{"//u@api.shop.example"}, "", []string{"it holds a user name or a password"}},
	// The URL with the values of its variables is judged as a whole.
	{own, []string{"https://api.shop.example{basePath} basePath=/sell/v1"}, public + "/sell/v1", nil},
	{own, []string{"https://api.shop.example/{basePath} basePath=sell/v1"}, public + "/sell/v1", nil},
	{own, []string{"https://api.shop.example{basePath} basePath="}, public, nil},
	{own, []string{"https://api.shop.example:{port}/v1 port=443"}, public + ":443/v1", nil},
	{own, []string{"{scheme}://{host}:{port}/{basePath} scheme=https host=api.shop.example port=443 basePath=a/b"}, public + ":443/a/b", nil},
	{own, []string{"{base}/v1 base=https://api.shop.example"}, public + "/v1", nil},
	{own, []string{"{base}/v1 base=//api.shop.example"}, public + "/v1", nil},
	{own, []string{"https://api.shop.example:{port}/v1 port=8443", public}, public, []string{"its port is not 443"}},
	{own, []string{"{scheme}://api.shop.example scheme=http", public}, public, []string{noTLS}},
	{own, []string{"https://{host} host=localhost:3000", public}, public, []string{noPublic}},
	{own, []string{"https://{v}.shop.example v=evil.example#", public}, public, []string{"cannot be part of a URL"}},
	{own, []string{"https://api.shop.example/{v} v=../admin", public}, public, []string{"cannot be part of a URL"}},
	{own, []string{"https://api.shop.example/a{v} v=/../admin", public}, public, []string{"cannot be part of a URL"}},
	{own, []string{"{protocol}://{host}:{port}/{basePath} port=8080 host=files.example.com basePath=filemanagement"}, "", []string{`its variable "protocol" has no default`}},
	{own, []string{"https://{tenant}.shop.example", public}, public, []string{`its variable "tenant" has no default`}},
	// Without a scheme it is a path (RFC 3986 §4.2), and a host with a port is nothing.
	{own, []string{"api.example.com/v1"}, "https://shop.example/docs/api.example.com/v1", nil},
	{own, []string{"api.example.com:8080/v1", "localhost:3000", public}, public, []string{"it has no scheme", "it has no scheme"}},
}

// serversOf writes servers of the table.
func serversOf(t *testing.T, servers []string) string {
	var list []object
	for _, s := range servers {
		fields := strings.Split(s, " ")
		o := object{"url": fields[0]}
		variables := object{}
		for _, v := range fields[1:] {
			name, value, _ := strings.Cut(v, "=")
			variables[name] = object{"default": value}
		}
		if len(variables) > 0 {
			o["variables"] = variables
		}
		list = append(list, o)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Calls go to the first server that can be used, of the document, a path or an operation. The
// diagnostics say why the servers before it, or all servers, cannot.
func TestTheFirstUsableServerIsCalled(t *testing.T) {
	for _, c := range usable {
		servers := `"servers": ` + serversOf(t, c.servers)
		for level, doc := range map[string]string{
			"root":      `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, ` + servers + `, "paths": {"/a": {"get": {"operationId": "a"}}}}`,
			"path":      `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {` + servers + `, "get": {"operationId": "a"}}}}`,
			"operation": `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a", ` + servers + `}}}}`,
		} {
			in := &parse.Input{Body: []byte(doc)}
			if c.at != nowhere {
				in = formattest.Input(t, c.at, "application/json", []byte(doc))
			}
			reading := formattest.Read(t, openapi.Format(), in)
			said := reported(reading.Diagnostics, "openapi.server_passed", "openapi.server_none")
			if call := reading.Services[0].Capabilities[0].Invocation; c.want != "" && (call == nil || call.URL != c.want+"/a") {
				t.Errorf("%s: %s of %s: %+v, want %s/a", c.at, c.servers, level, call, c.want)
			}
			if none := strings.Contains(said, "no server can be called"); none != (c.want == "") || (said != "") != (c.passed != nil) {
				t.Errorf("%s: %s of %s: told %q", c.at, c.servers, level, said)
			}
			for i, reason := range c.passed {
				if written, _, _ := strings.Cut(c.servers[i], " "); !strings.Contains(said, fmt.Sprintf("%q: ", written)) || !strings.Contains(said, reason) {
					t.Errorf("%s: %s of %s: told %q, want %s", c.at, c.servers, level, said, reason)
				}
			}
		}
	}
}

// reported returns the messages of diagnostics with one of the codes.
func reported(list []wayfind.Diagnostic, codes ...string) (text string) {
	for _, d := range list {
		for _, code := range codes {
			if d.Code == code {
				text += d.Message + "\n"
			}
		}
	}
	return text
}

// What calls change about a server, and what a person may have meant otherwise, is told.
func TestWhatAServerMeansIsTold(t *testing.T) {
	for server, want := range map[string]string{
		"http://shop.example/v1":      "server_scheme",
		"api.example.com/v1":          "server_relative",
		"www.shop.example":            "server_relative",
		"v1/orders":                   "",
		"openapi.json":                "",
		"//api.shop.example":          "",
		"https://{v}.shop.example/v1": "server_variable",
	} {
		r := read(t, formattest.Input(t, own, "application/json", []byte(`{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "`+server+`"}], "paths": {"/a": {"get": {}}}}`)))
		got := fmt.Sprint(codes(r.Diagnostics))
		if want == "" && got != "[]" || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", server, got, want)
		}
	}
}

// The host and the schemes of version 2.0 make servers of the same rule, with https first.
func TestTheHostOfVersion20IsAServer(t *testing.T) {
	for members, want := range map[string]string{
		`"host": "api.shop.example", "schemes": ["http", "https"]`: public,
		`"host": "shop.example", "schemes": ["http"]`:              "https://shop.example",
		`"host": "shop.example", "schemes": ["http", "https"]`:     "https://shop.example",
		`"schemes": ["http"], "basePath": "/v1"`:                   "https://shop.example/v1",
		`"host": "api.shop.example"`:                               public,
		`"host": "api.shop.example", "schemes": ["http"]`:          "",
		`"host": "localhost:3000", "schemes": ["http"]`:            "",
	} {
		doc := `{"swagger": "2.0", "info": {"title": "T", "version": "1"}, ` + members + `, "paths": {"/a": {"get": {"responses": {"200": {"description": "ok"}}}}}}`
		r := read(t, formattest.Input(t, own, "application/json", []byte(doc)))
		call, none := r.Services[0].Capabilities[0].Invocation, reported(r.Diagnostics, "openapi.server_none")
		if want != "" && (call == nil || call.URL != want+"/a") || (none != "") != (want == "") {
			t.Errorf("%s: %+v, told %q, want %s", members, call, none, want)
		}
		if want == "https://shop.example" && len(r.Services[0].Interfaces) != 1 {
			t.Errorf("%s: %+v", members, r.Services[0].Interfaces)
		}
	}
}

// Version 2.0 takes the scheme of its document (OpenAPI 2.0, schemes). A host of this machine, which
// generators write without one, has no certificate.
func TestAHostWithoutASchemeHasTheSchemeOfItsDocument(t *testing.T) {
	for _, row := range []struct{ at, host, want string }{
		{own, "api.shop.example", "https://api.shop.example/a"},
		{local, "localhost:3000", "http://localhost:3000/a"},
		{own, "localhost:8080", "http://localhost:8080/a"},
		{nowhere, "127.0.0.1:8080", "http://127.0.0.1:8080/a"},
	} {
		doc := fmt.Sprintf(`{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "host": %q, "paths": {"/a": {"get": {"operationId": "a"}}}}`, row.host)
		in := &parse.Input{Body: []byte(doc)}
		if row.at != nowhere {
			in = formattest.Input(t, row.at, "application/json", []byte(doc))
		}
		reading := formattest.Read(t, openapi.Format(), in)
		if call := reading.Services[0].Capabilities[0].Invocation; call == nil || call.URL != row.want {
			t.Errorf("%s at %s: %+v, want %s", row.host, row.at, call, row.want)
		}
	}
}
