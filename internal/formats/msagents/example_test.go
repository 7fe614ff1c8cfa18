package msagents_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	in := &parse.Input{
		FinalURL: &url.URL{Scheme: "https", Host: "pirates.example", Path: msagents.Path},
		Body: []byte(`{"agents": [
			{"name": "pirate", "description": "Agent which talks like a pirate", "version": "1.4.2", "model": "gpt-4o"},
			{"name": ""}
		], "next": "/agents/v1?page=2"}`),
	}
	reading, err := msagents.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range reading.Services {
		fmt.Println(s.ID, s.Version, s.Interfaces[0].Protocol, s.Interfaces[0].Template)
	}
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// pirate 1.4.2 ms-actors https://pirates.example/actors/v1/pirate/{actorKey}/messages/{messageId}
	// error msagents.name_empty /agents/1/name
	// info msagents.partial /next
}
