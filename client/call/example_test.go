package call_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/pins"
)

func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	api := document("", operation("get", "/stock/{item}", "stock", `, "parameters": [{"name": "item", "in": "path", "required": true, "schema": {"type": "string"}}]`),
		operation("post", "/orders", "order", ""))
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api}).
		Handle("/stock/lamp", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"left": 3}`})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	caller, err := call.New(c, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	res, err := caller.Call(ctx, box, "stock", []byte(`{"item": "lamp"}`))
	fmt.Printf("%s %v\n", res.Model.JSON, err)
	res, _ = caller.Call(ctx, box, "order", nil)
	fmt.Println(res.Model.Text)
	// Output:
	// {"left": 3} <nil>
	// A person must agree to this call first; do not call again before that. (it changes something)
}

// securedAPI has one operation that wants a key, and one that changes something.
func securedAPI() clienttest.Pages {
	api := document(`, "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}`,
		operation("get", "/orders", "list", `, "security": [{"key": []}]`), operation("post", "/order", "order", ""))
	return clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api}
}

// withBox calls f with the tools of a site in memory.
func withBox(pages clienttest.Pages, api http.HandlerFunc, f func(ctx context.Context, c *client.Client, box *tools.Box) error) {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", pages).Handle("/orders", api).Handle("/order", api)
	c := internet.Client()
	box, err := tools.Load(context.Background(), c, []string{"shop.example"}, nil)
	if err == nil {
		err = f(context.Background(), c, box)
	}
	if err != nil {
		fmt.Println(err)
	}
}

// The program has the key. The model sees neither the key nor its parameter, and no other
// origin gets it.
func ExampleKey() {
	withBox(securedAPI(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"your key": %q}`, r.Header.Get("X-Key"))
	}, func(ctx context.Context, c *client.Client, box *tools.Box) error {
		caller, err := call.New(c, &call.Options{
			Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				if q.Origin != "https://shop.example" {
					return nil, nil // there is none
				}
				return call.Key("a-secret", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			},
			Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
				fmt.Println(q.Request.Method, q.Request.URL, q.Request.Header.Get("X-Key"), q.Reasons)
				return call.Answer{Verdict: call.AllowOnce}, nil
			},
		})
		if err != nil {
			return err
		}
		res, err := caller.Call(ctx, box, "list", nil)
		fmt.Printf("%s\n", res.Model.JSON)
		return err
	})
	// Output:
	// GET https://shop.example/orders ••• [new_credential]
	// {"your key": "•••"}
}

// A person agrees elsewhere, and another process makes the call. Both processes have the key
// that seals tickets, and share the list of used tickets.
func ExampleCaller_CallConfirmed() {
	withBox(securedAPI(), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"ordered": true}`)
	}, func(ctx context.Context, c *client.Client, box *tools.Box) error {
		used := map[string]bool{}
		process := func() (*call.Caller, error) {
			return call.New(c, &call.Options{
				TicketKey: []byte("at least 32 bytes, the same for all of them"),
				Spend: func(_ context.Context, ticket string, _ time.Time) error {
					if used[ticket] {
						return errors.New("it was used")
					}
					used[ticket] = true
					return nil
				},
			})
		}
		first, err := process()
		if err != nil {
			return err
		}
		asked, err := first.Call(ctx, box, "order", nil)
		fmt.Println(asked.Model.Code, err != nil, asked.Program.Question.Request.URL)

		second, err := process() // once a person has said yes
		if err != nil {
			return err
		}
		done, err := second.CallConfirmed(ctx, box, "order", nil, asked.Program.Ticket)
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", done.Model.JSON)
		again, _ := first.CallConfirmed(ctx, box, "order", nil, asked.Program.Ticket)
		fmt.Println(again.Model.Code)
		return nil
	})
	// Output:
	// confirmation_required true https://shop.example/order
	// {"ordered": true}
	// confirmation_required
}

// A program gets a token for itself. Its secret is sent to the named issuer only, and the
// token to the origin of the call only.
func ExampleOAuth() {
	vault := func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if len(q.Proofs) == 0 {
			return nil, nil // nothing says that the origin is the site's
		}
		return call.OAuth(&call.OAuthConfig{
			Grant: call.ClientCredentials, Issuer: "https://login.example.com", ClientID: "robot", ClientSecret: os.Getenv("CLIENT_SECRET"),
		}, call.Binding{Origin: q.Origin, Proof: q.Proofs[0]}), nil
	}
	grant, err := vault(context.Background(), &call.CredentialRequest{Origin: "https://api.example.com", Proofs: []call.Proof{call.ProofSameOrigin}})
	fmt.Println(grant, err)
	// Output: grant of kind "oauth" for [{https://api.example.com same_origin}] <nil>
}

// A user has reviewed the definition of a tool, and it has not changed since. Each user has pins of
// their own.
func ExamplePinned() {
	withBox(securedAPI(), nil, func(ctx context.Context, c *client.Client, box *tools.Box) error {
		tool, err := box.Tool("order")
		if err != nil {
			return err
		}
		site, err := c.Resolve(ctx, tool.Domain)
		if err != nil {
			return err
		}
		detail, err := c.Describe(ctx, site, tool.Key) // the user sees it, and agrees
		if err != nil {
			return err
		}
		reviewed, err := new(pins.Set).WithDetail(site, detail)
		if err != nil {
			return err
		}
		fmt.Println(call.Pinned(reviewed)(ctx, tool), call.Pinned(nil)(ctx, tool))
		return nil
	})
	// Output:
	// true false
}
