package requests

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security"
)

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

// servedAt is the URL of all documents.
const servedAt = "https://shop.example/openapi"

// document is a description with its tools and their caller.
type document struct {
	name, file string
	client     *client.Client
	box        *tools.Box
	caller     *call.Caller
	keyed      *call.Caller // has keys, and no other credential
}

// files returns the published descriptions and the descriptions of the corpus. The four largest
// are only read if WAYFIND_REQUESTS is "all", because they have most of the operations and take
// most of the time.
func files(t *testing.T) []string {
	t.Helper()
	if !golden.Published(t, golden.EnvAPIs) || !golden.Published(t, golden.EnvCorpus) {
		t.Skip("the decided differences are those of published descriptions: set " + golden.EnvAPIs + " and " + golden.EnvCorpus)
	}
	published := golden.Files(t, golden.APIs(t), "*.[jy]*")
	if !everything() {
		published = slices.DeleteFunc(published, func(file string) bool { return slices.Contains(largest(), filepath.Base(file)) })
	}
	return append(published, golden.Files(t, golden.Corpus(t, "openapi"), "*")...)
}

func everything() bool { return os.Getenv("WAYFIND_REQUESTS") == "all" }

func largest() []string {
	return []string{"asana.yaml", "github.json", "kubernetes.json", "openai.json"}
}

// read returns the tools of a document.
func read(t *testing.T, file string) *document {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if file, err = filepath.Abs(file); err != nil {
		t.Fatal(err)
	}
	kind := "application/yaml"
	if json.Valid(body) {
		kind = "application/json"
	}
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin}).
		Handle("/openapi", clienttest.Page{Header: http.Header{"Content-Type": {kind}}, Body: string(body)})
	c := internet.Client()
	d := &document{name: filepath.Base(file), file: file, client: c}
	if d.box, err = tools.Load(t.Context(), c, []string{"shop.example"}, nil); err != nil {
		t.Fatal(err)
	}
	d.caller, d.keyed = caller(t, c, false), caller(t, c, true)
	return d
}

// caller returns a Caller with a credential for each scheme, or for those of keys, which approves all servers.
func caller(t *testing.T, c *client.Client, onlyKeys bool) *call.Caller {
	t.Helper()
	caller, err := call.New(c, &call.Options{
		Approve: func(context.Context, security.ApprovalRequest) error { return nil },
		Credentials: func(_ context.Context, r *call.CredentialRequest) (*call.Grant, error) {
			to := call.Binding{Origin: r.Origin, Proof: call.ProofPerson}
			switch {
			case onlyKeys && r.Scheme.Kind != wayfind.SchemeAPIKey:
				return nil, nil
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
	return caller
}
