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
