// Package keys has the verb for the owner of a key that signs requests.
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/web/websign"
)

// publication is the output of "wayfind keys --json": two documents, and their places.
type publication struct {
	// DirectoryURL is the place of Directory.
	DirectoryURL string `json:"directoryURL"`
	// Directory is a JWK Set of the public key.
	Directory keyDirectory `json:"directory"`
	// CardURL is the place of Card.
	CardURL string `json:"cardURL"`
	// Card describes the agent to sites.
	Card botCard `json:"card"`
}

// keyDirectory is a JWK Set.
type keyDirectory struct {
	// Keys are public keys.
	Keys []publicKey `json:"keys"`
}

// publicKey is a JSON Web Key of Ed25519.
type publicKey struct {
	// KeyType is "OKP".
	KeyType string `json:"kty"`
	// Curve is "Ed25519".
	Curve string `json:"crv"`
	// ID is the thumbprint of the key, which signatures name.
	ID string `json:"kid,omitempty"`
	// X is the key in base64url.
	X string `json:"x"`
}

// botCard is a client ID metadata document with the members of Web Bot Auth.
type botCard struct {
	// ClientID is the card's own URL.
	ClientID string `json:"client_id"`
	// ClientName is the host of the agent.
	ClientName string `json:"client_name"`
	// Contacts are URLs of the operator.
	Contacts []string `json:"contacts,omitempty"`
	// JWKSURI is the place of the directory.
	JWKSURI string `json:"jwks_uri"`
	// WebBotAuth describes the requests.
	WebBotAuth botDescription `json:"web_bot_auth"`
}

// botDescription describes the requests of an agent.
type botDescription struct {
	// UserAgent is sent with each request.
	UserAgent string `json:"expected-user-agent"`
	// ProductToken is the name that rules in robots.txt may use.
	ProductToken string `json:"rfc9309-product-token"`
	// Trigger is the cause of requests: "fetcher", the question of a user.
	Trigger string `json:"trigger"`
}

// signingKeys holds the flags of "wayfind keys".
type signingKeys struct {
	agent, userAgent, contact string
	asJSON                    bool
}

// Command returns the verb keys.
func Command(a *ui.App) *cobra.Command {
	var k signingKeys
	cmd := &cobra.Command{
		Use:   "keys FILE",
		Short: "make a key that signs requests, and show what to publish for it",
		Long: `keys shows two documents that the owner of the key in FILE publishes, so that sites can
tell whose requests are signed with it (--sign-key FILE): the directory with the public
key, and a card that describes the agent. --new URL makes the key and the FILE first.

URL is an https origin of yours, such as https://bot.example.com: each signed request
names it, and sites fetch the directory there. If URL has a path, it is that of the card,
and sites fetch the card first. Serve the directory with status 200, without a redirect,
as application/http-message-signatures-directory+json.

FILE holds the private key. Only its owner may have access to it (mode 0600).`,
		Example: "  wayfind keys --new https://bot.example.com bot.key\n  wayfind keys --json bot.key | jq .directory\n  wayfind --sign-key bot.key example.com",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name the FILE of one key, for example "wayfind keys --new https://bot.example.com bot.key" to make one`)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := k.open(args[0])
			if err != nil {
				return ui.Usagef("%w", err)
			}
			p, err := k.publication(f)
			if err != nil {
				return err
			}
			printPublication(a, p, k.asJSON)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.agent, "new", "", "make a new key for the agent at `URL`, in a FILE that does not exist")
	f.StringVar(&k.userAgent, "user-agent", client.DefaultUserAgent, "the `TEXT` that you send as User-Agent")
	f.StringVar(&k.contact, "contact", "", "the `ADDRESS`, a URL or an e-mail address, that you send in the User-Agent")
	f.BoolVar(&k.asJSON, "json", false, "print JSON")
	return cmd
}

// open reads the key, or makes a new one with --new.
func (k *signingKeys) open(name string) (*websign.KeyFile, error) {
	if k.agent == "" {
		return session.ReadSignKey(name)
	}
	f, err := websign.NewKeyFile(k.agent)
	if err != nil {
		return nil, fmt.Errorf("--new %s: %w", k.agent, err)
	}
	data, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	return f, privatefile.WriteNew(name, data)
}

// publication returns the documents that describe an agent.
func (k *signingKeys) publication(f *websign.KeyFile) (*publication, error) {
	u, err := url.Parse(f.Agent())
	if err != nil {
		return nil, err
	}
	origin := "https://" + u.Host
	p := &publication{
		DirectoryURL: origin + websign.DirectoryPath, Directory: keyDirectory{Keys: []publicKey{publicKey(f.Public())}},
		CardURL: origin + "/signature-agent-card.json",
	}
	if u.Path != "" {
		p.CardURL = f.Agent()
	}
	p.Card = botCard{
		ClientID: p.CardURL, ClientName: u.Hostname(), JWKSURI: p.DirectoryURL,
		WebBotAuth: botDescription{UserAgent: session.AgentText(k.userAgent, k.contact), ProductToken: "wayfind", Trigger: "fetcher"},
	}
	switch {
	case k.contact == "":
	case strings.Contains(k.contact, ":"):
		p.Card.Contacts = []string{k.contact}
	default:
		p.Card.Contacts = []string{"mailto:" + k.contact}
	}
	return p, nil
}

// printPublication shows each document under its place.
func printPublication(a *ui.App, p *publication, asJSON bool) {
	if asJSON {
		a.PrintJSON(p, nil)
		return
	}
	for _, part := range []struct {
		place string
		value any
	}{{p.DirectoryURL, p.Directory}, {p.CardURL, p.Card}} {
		b, err := json.MarshalIndent(part.value, "", "  ")
		if err != nil {
			a.Tell(err)
			return
		}
		a.Heading(part.place)
		a.Line("%s", text.EscapeJSON(b))
	}
}

// Schemas returns the schema of keys.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/keys/1", By: "`keys`", About: "Two documents that the owner of a key publishes, and their places.", Value: publication{}},
	}
}
