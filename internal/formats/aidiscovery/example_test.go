package aidiscovery_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	at := &url.URL{Scheme: "https", Host: "weather.example", Path: aidiscovery.Path}
	in := &parse.Input{URL: at, FinalURL: at, Body: []byte(`{
		"aiendpoint": "1.0",
		"service": {"name": "Weather", "description": "Tells the weather of cities."},
		"capabilities": [{
			"id": "forecast", "description": "The weather of the next days", "endpoint": "/api/forecast/:city", "method": "GET",
			"params": {
				"city": "string, required -- name of the city",
				"days": "integer, optional, default 3, max 7"
			}
		}],
		"auth": {"type": "none"}
	}`)}
	reading, err := aidiscovery.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range reading.Services[0].Capabilities {
		fmt.Println(c.ID, c.Invocation.Method, c.Invocation.Template)
		for _, p := range c.Params {
			fmt.Println(p.Name, p.In, *p.Required, string(p.Schema), *p.Confidence)
		}
	}
	fmt.Println(len(reading.Diagnostics), "diagnostics")
	// Output:
	// forecast GET https://weather.example/api/forecast/{city}
	// city path true {"type":"string"} 1
	// days query false {"type":"integer","maximum":7,"default":3} 1
	// 0 diagnostics
}
