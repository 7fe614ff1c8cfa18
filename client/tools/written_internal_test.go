package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// The limits of the parameters of an operation take their steps from those for all schemas. If none
// are left, a parameter is limited.
func TestLimitsTakeStepsOfAllSchemas(t *testing.T) {
	const params = 1000
	var list []string
	for i := range params {
		list = append(list, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/a"}`, i))
	}
	l, site := loaderOf(t)
	c := withContract(0, `{"type":"object","properties":{`+strings.Join(list, ",")+`},"$defs":{"a":{"type":"string"}}}`)
	for i := range c.Params {
		c.Params[i].In = "header"
	}
	s, err := schema.Check(c.Input, schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	op := operationOf(c, &site.Services[0])
	limits := l.limitsOf(c.Params, op, s)
	if taken := maxSteps - l.budget.steps.Load(); limits != nil || taken < params || taken > 20*params {
		t.Errorf("%d limits in %d steps", len(limits), taken)
	}
	l.budget.steps.Store(0)
	if limits := l.limitsOf(c.Params, op, s); len(limits) != params {
		t.Errorf("%d limits without steps", len(limits))
	}
}
