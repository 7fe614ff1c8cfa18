package client_test

import (
	"fmt"
	"strings"
)

// listOf writes n items made by f, with commas between them.
func listOf(n int, f func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = f(i)
	}
	return strings.Join(items, ",")
}

// manyActions is an agent.json with 1,000 actions, whose names begin with a
// letter.
func manyActions(letter string) string {
	return `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[` + listOf(1000, func(i int) string {
		return fmt.Sprintf(`{"id":"%s%d","endpoint":"/%s%d","method":"GET"}`, letter, i, strings.Repeat(letter, 100), i)
	}) + `]}`
}
