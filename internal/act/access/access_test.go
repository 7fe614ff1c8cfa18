package access_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
)

func TestAClientHasADoor(t *testing.T) {
	c, err := client.New(&client.Options{Offline: true, Robots: client.Robots{Mode: client.RobotsEnforce}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := access.Of(c)
	if !d.EnforcesRobots() || !d.SameSite("a.example.com", "b.example.com") || d.Domain("mcp.example.com") != "example.com" {
		t.Error("the access does not lead to the Client")
	}
}
