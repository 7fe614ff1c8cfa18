package inspect

import (
	"bytes"
	"fmt"
	"go/format"
	"net/url"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security"
)

// goCredential is a credential of the program.
type goCredential struct {
	call.Placed
	Grant string // the statements that return it
}

// goCode returns a program that makes a call.
func goCode(target string, t *tools.Tool, arguments string, p *call.Preview) (string, error) {
	in := goProgram{target: target, tool: t.Name, arguments: arguments}
	if c := t.Capability; c != nil && c.Invocation != nil {
		switch c.Invocation.Protocol {
		case "mcp":
			in.live, in.prober = "livemcp", "nil"
		case "jsonrpc":
			in.live = "liverpc"
		}
	}
	for _, r := range p.Reasons {
		if u, err := url.Parse(p.Request.URL); err == nil && r == call.ReasonOtherSite {
			in.far = security.Origin(u) + "/"
		}
	}
	auth := authOf(t)
	for n, placed := range p.Request.Credentials {
		scheme := wayfind.Scheme{}
		if auth != nil {
			scheme = auth.Schemes[placed.Scheme]
		}
		grant := authkind.Of(scheme).Made()
		in.certificate = in.certificate || grant == authkind.Certificate
		in.credentials = append(in.credentials, goCredential{placed, grantCode(grant, "CREDENTIAL_"+strconv.Itoa(n+1))})
	}
	code, err := format.Source(in.code())
	return string(code), err
}

// goProgram is a program that makes a call.
type goProgram struct {
	target, tool, arguments string
	live, prober            string // the package of the LiveProber, and the argument of its New
	far                     string // what the URL of a server of another site begins with
	certificate             bool
	credentials             []goCredential
}

// code returns the program, not formatted. It contains foreign text only in literals.
func (p *goProgram) code() []byte {
	options, hooks := "nil", "Confirm: confirm"
	if p.live != "" {
		options = fmt.Sprintf("&client.Options{Live: []client.LiveProber{%s.New(%s)}}", p.live, p.prober)
	}
	if len(p.credentials) > 0 {
		hooks += ", Credentials: credential"
	}
	if p.far != "" {
		hooks += ", Approve: approve"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n%s\n)\n", strings.Join(p.imports(), "\n"))
	fmt.Fprintf(&b, goRun, options, quoteGo(p.target), hooks, quoteGo(p.tool), quoteGo(p.arguments))
	b.WriteString(goConfirm)
	if len(p.credentials) > 0 {
		fmt.Fprintf(&b, goCredentials, strings.Join(p.grants(), "\n"))
	}
	if p.far != "" {
		fmt.Fprintf(&b, goApprove, quoteGo(p.far))
	}
	return b.Bytes()
}

// imports returns the lines of the import declaration.
func (p *goProgram) imports() (lines []string) {
	const module = "github.com/wayfindhq/wayfind/"
	for _, i := range []struct {
		is   bool
		path string
	}{
		{true, "context"}, {p.certificate, "crypto/tls"}, {p.far != "", "errors"}, {true, "fmt"}, {true, "log"}, {len(p.credentials) > 0, "os"}, {p.far != "", "strings"}, {true, ""},
		{true, module + "client"}, {true, module + "client/call"}, {p.live != "", module + "client/" + p.live}, {true, module + "client/tools"}, {p.far != "", module + "security"},
	} {
		switch {
		case !i.is:
		case i.path == "":
			lines = append(lines, "")
		default:
			lines = append(lines, strconv.Quote(i.path))
		}
	}
	return lines
}

// grants returns the cases of the function that returns credentials.
func (p *goProgram) grants() (cases []string) {
	for _, c := range p.credentials {
		cases = append(cases, fmt.Sprintf("case [2]string{%s, %s}:\nto.Proof = %s\n%s", quoteGo(c.Scheme), quoteGo(c.Origin), quoteGo(c.Proof), c.Grant))
	}
	return cases
}

// The parts of the program.
const (
	goRun = `
func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c, err := client.New(%s)
	if err != nil {
		return err
	}
	defer c.Close()
	box, err := tools.Load(ctx, c, []string{%s}, nil)
	if err != nil {
		return err
	}
	caller, err := call.New(c, &call.Options{%s})
	if err != nil {
		return err
	}
	res, err := caller.Call(ctx, box, %s, []byte(%s))
	fmt.Println(res.Model.Prompt())
	return err
}
`
	goConfirm = `
// confirm asks at the terminal.
func confirm(_ context.Context, q *call.Question) (call.Answer, error) {
	fmt.Printf("%s %s\nSend it? [y/N] ", q.Request.Method, q.Request.URL)
	word := ""
	if _, err := fmt.Scanln(&word); err != nil || word != "y" {
		return call.Answer{Why: "the user said no"}, nil
	}
	return call.Answer{Verdict: call.AllowOnce}, nil
}
`
	goCredentials = `
// credential reads from the environment.
func credential(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
	to := call.Binding{Origin: q.Origin}
	switch [2]string{q.Name, q.Origin} {
	%s
	}
	return nil, nil
}
`
	goApprove = `
// approve lets the server of the call be contacted.
func approve(_ context.Context, r security.ApprovalRequest) error {
	if !strings.HasPrefix(r.Endpoint, %s) {
		return errors.New("it is not approved")
	}
	return nil
}
`
)

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
