package inspect

import (
	"bytes"
	"fmt"
	"go/format"
	"net/url"
	"strconv"
	"strings"
	"text/template"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/authkind"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/security"
)

// goForm is a program that makes a call. It contains foreign text only in literals.
const goForm = `package main

import (
	"context"
	{{if .Certificate}}"crypto/tls"
	{{end}}{{if .Far}}"errors"
	{{end}}"fmt"
	"log"
	{{if .Credentials}}"os"
	{{end}}{{if .Far}}"strings"
	{{end}}
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	{{if .Live}}"github.com/wayfindhq/wayfind/client/{{.Live}}"
	{{end}}"github.com/wayfindhq/wayfind/client/tools"
	{{if .Far}}"github.com/wayfindhq/wayfind/security"
	{{end}}
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c, err := client.New({{if .Live}}&client.Options{Live: []client.LiveProber{ {{.Live}}.New({{.Prober}}) }}{{else}}nil{{end}})
	if err != nil {
		return err
	}
	defer c.Close()
	box, err := tools.Load(ctx, c, []string{ {{quote .Target}} }, nil)
	if err != nil {
		return err
	}
	caller, err := call.New(c, &call.Options{Confirm: confirm{{if .Credentials}}, Credentials: credential{{end}}{{if .Far}}, Approve: approve{{end}} })
	if err != nil {
		return err
	}
	res, err := caller.Call(ctx, box, {{quote .Tool}}, []byte({{quote .Arguments}}))
	fmt.Println(res.Model.Prompt())
	return err
}

// confirm asks at the terminal.
func confirm(_ context.Context, q *call.Question) (call.Answer, error) {
	fmt.Printf("%s %s\nSend it? [y/N] ", q.Request.Method, q.Request.URL)
	word := ""
	if _, err := fmt.Scanln(&word); err != nil || word != "y" {
		return call.Answer{Why: "the user said no"}, nil
	}
	return call.Answer{Verdict: call.AllowOnce}, nil
}
{{if .Credentials}}
// credential reads from the environment.
func credential(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
	to := call.Binding{Origin: q.Origin}
	switch [2]string{q.Name, q.Origin} {
	{{range .Credentials}}case [2]string{ {{quote .Scheme}}, {{quote .Origin}} }:
		to.Proof = {{quote .Proof}}
		{{.Grant}}
	{{end}}}
	return nil, nil
}
{{end}}{{if .Far}}
// approve lets the server of the call be contacted.
func approve(_ context.Context, r security.ApprovalRequest) error {
	if !strings.HasPrefix(r.Endpoint, {{quote .Far}}) {
		return errors.New("it is not approved")
	}
	return nil
}
{{end}}`

// goCredential is a credential of the program.
type goCredential struct {
	call.Placed
	Grant string // the statements that return it
}

// goCode returns a program that makes a call.
func goCode(target string, t *tools.Tool, arguments string, p *call.Preview) (string, error) {
	in := struct {
		Target, Tool, Arguments, Live, Prober, Far string
		Certificate                                bool
		Credentials                                []goCredential
	}{Target: target, Tool: t.Name, Arguments: arguments}
	if c := t.Capability; c != nil && c.Invocation != nil {
		switch c.Invocation.Protocol {
		case "mcp":
			in.Live, in.Prober = "livemcp", "nil"
		case "jsonrpc":
			in.Live = "liverpc"
		}
	}
	for _, r := range p.Reasons {
		if u, err := url.Parse(p.Request.URL); err == nil && r == call.ReasonOtherSite {
			in.Far = security.Origin(u) + "/"
		}
	}
	auth := authOf(t)
	for n, placed := range p.Request.Credentials {
		scheme := wayfind.Scheme{}
		if auth != nil {
			scheme = auth.Schemes[placed.Scheme]
		}
		grant := authkind.Of(scheme).Made()
		in.Certificate = in.Certificate || grant == authkind.Certificate
		in.Credentials = append(in.Credentials, goCredential{placed, grantCode(grant, "CREDENTIAL_"+strconv.Itoa(n+1))})
	}
	form, err := template.New("call").Funcs(template.FuncMap{"quote": quoteGo}).Parse(goForm)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := form.Execute(&b, in); err != nil {
		return "", err
	}
	code, err := format.Source(b.Bytes())
	return string(code), err
}

// quoteGo returns a Go literal.
func quoteGo(v any) string {
	s := fmt.Sprint(v)
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) && text.Printable(s) == s {
		return "`" + s + "`"
	}
	return strconv.QuoteToASCII(s)
}

// grantCode returns the statements that create a credential from an environment variable.
func grantCode(g authkind.Grant, variable string) string {
	code := map[authkind.Grant]string{
		authkind.Key:    `return call.Key(os.Getenv("VALUE"), to), nil`,
		authkind.Basic:  `return call.Basic(os.Getenv("VALUE_USER"), os.Getenv("VALUE"), to), nil`,
		authkind.Bearer: `return call.Bearer(os.Getenv("VALUE"), to), nil`,
		authkind.Certificate: `cert, err := tls.LoadX509KeyPair(os.Getenv("VALUE"), os.Getenv("VALUE"))
		return call.Certificate(cert, to), err`,
	}
	return strings.ReplaceAll(code[g], "VALUE", variable)
}
