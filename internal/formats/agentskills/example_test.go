package agentskills_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: agentskills.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
		"skills": [{"name": "book-a-table", "type": "skill-md", "description": "Books a table.", "url": "book-a-table/SKILL.md",
			"digest": "sha256:b57d1a3c06e8a7f5f53a522ee5f1a9801017e057f5971e462e8673bfecb363a7"}]
	}`)}
	reading, err := agentskills.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	skill := reading.Services[0].Capabilities[0]
	fmt.Println(skill.ID, skill.Description)
	fmt.Println(skill.Artifact.URL, skill.Artifact.MediaType)
	// Output:
	// book-a-table Books a table.
	// https://shop.example/.well-known/agent-skills/book-a-table/SKILL.md text/markdown
}
