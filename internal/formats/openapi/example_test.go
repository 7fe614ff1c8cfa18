package openapi_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/openapi.yaml"}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`
openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: /v1}]
paths:
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      operationId: getOrder
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
components:
  schemas:
    Order: {type: object, properties: {id: {type: string}, parent: {$ref: '#/components/schemas/Order'}}}
`)}
	reading, err := openapi.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &reading.Services[0].Capabilities[0]
	fmt.Println(c.ID, c.Invocation.Method, c.Invocation.Template)

	detail, err := openapi.Format().Detail(in, parse.Subject{Capability: c})
	if err != nil {
		fmt.Println(err)
		return
	}
	c = &detail.Services[0].Capabilities[0]
	fmt.Println(string(c.Input))
	fmt.Println(string(c.Output))
	// Output:
	// getOrder GET https://shop.example/v1/orders/{id}
	// {"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}
	// {"$ref":"#/$defs/Order","$defs":{"Order":{"type":"object","properties":{"id":{"type":"string"},"parent":{"$ref":"#/$defs/Order"}}}}}
}
