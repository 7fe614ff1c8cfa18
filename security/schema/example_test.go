package schema_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/security/schema"
)

func Example() {
	s, err := schema.Check([]byte(`{"type":"object","properties":{"to":{"type":"string","minLength":3}},"required":["to"]}`), schema.Unknown, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Dialect())
	fmt.Println(s.Validate([]byte(`{"to":"me"}`), 0))
	_, err = schema.Check([]byte(`{"properties":{"x":{"$ref":"#/properties/x"}}}`), schema.Unknown, nil)
	fmt.Println(err)
	// Output:
	// 2020-12
	// "/to": want at least 3 characters (minLength)
	// schema refused (ref_cycle) at "/properties/x": references run in a circle and consume nothing of the value
}

func ExampleSchema_For() {
	s, err := schema.Check([]byte(`{"type":"object","properties":{
		"to":{"type":"string","maxLength":80},"copies":{"type":"integer","minimum":1}},"required":["to"]}`), schema.Unknown, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := s.For(schema.OpenAIStrict)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", p.JSON)
	for _, l := range p.Loss {
		fmt.Printf("%s %s %q\n", l.Effect, l.Code, l.Pointer)
	}
	args, err := p.Decode([]byte(`{"to":"Oslo","copies":null}`))
	fmt.Printf("%s %v %v\n", args, err, s.Validate(args, 0))
	// Output:
	// {"type":"object","properties":{"to":{"type":"string","description":"(max length 80)"},"copies":{"type":["integer","null"],"minimum":1}},"required":["to","copies"],"additionalProperties":false}
	// wider maxLength "/properties/to"
	// narrower closed ""
	// {"to":"Oslo"} <nil> <nil>
}
