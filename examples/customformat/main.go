// Command customformat adds a format to wayfind: a file /.well-known/helpdesk.json that lists
// the services of a help desk.
//
//	go run .
//
// It is a separate module, as yours would be. A format only imports the root package and
// package parse.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Helpdesk returns the format.
func Helpdesk() *parse.Format {
	f := &parse.Format{
		Name:  "helpdesk",
		Title: "Help desk file",
		Spec:  wayfind.SpecRef{Title: "Help desk file 1"},
		Locations: []parse.Location{
			{Path: "/.well-known/helpdesk.json", Accept: "application/json", Section: "§1"},
		},
		Match: match,
	}
	f.Parse = func(in *parse.Input) (*parse.Reading, error) { return read(f, in) }
	return f
}

// match decides by content, because any path can return other documents.
func match(in *parse.Input) parse.Claim {
	doc, err := in.JSON()
	if err != nil || !doc.Get("helpdesk").Exists() {
		return parse.Claim{}
	}
	return parse.Claim{Level: parse.Exact}
}

// read returns facts. A fault becomes a diagnostic, and a missing member is omitted.
func read(f *parse.Format, in *parse.Input) (*parse.Reading, error) {
	doc, err := in.JSON()
	if err != nil {
		return nil, err
	}
	r := parse.NewReader(f)
	service := wayfind.Service{Name: r.String(doc, "helpdesk", parse.Must, "§2")}
	for _, topic := range r.Array(doc, "topics", parse.Must, "§3").Items() {
		id := r.String(topic, "id", parse.Must, "§3")
		if id == "" {
			continue
		}
		service.Capabilities = append(service.Capabilities, wayfind.Capability{
			ID: id, Kind: wayfind.KindStatement,
			Description: r.String(topic, "text", parse.Should, "§3"),
			Sources:     []wayfind.Ref{{Source: in.URL.String(), Pointer: topic.Pointer()}},
		})
	}
	return &parse.Reading{Services: []wayfind.Service{service}, Diagnostics: r.Diagnostics()}, nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/helpdesk.json": `{"helpdesk": "Shop", "topics": [{"id": "returns", "text": "How to send things back"}, {"text": "no id"}]}`,
	})
	opts := internet.Options()
	opts.Formats = append(formats.All(), Helpdesk())
	c, err := client.New(opts)
	if err != nil {
		return err
	}
	defer c.Close()
	site, err := c.Resolve(context.Background(), "shop.example")
	if err != nil {
		return err
	}
	for service, capability := range site.Capabilities() {
		fmt.Println(service.Name, capability.Key, capability.Description)
	}
	for _, d := range site.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Message)
	}
	return nil
}
