package msagents_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/parse"
)

func TestAListOfOtherAgentsIsNotClaimed(t *testing.T) {
	for body, want := range map[string]parse.Level{
		`{"agents":[{"name":"Ann Smith","title":"Real-estate agent","phone":"1"},{"name":"Bob","title":"Broker"}]}`: parse.None,
		`[{"name":"Ann Smith","title":"Real-estate agent","phone":"1"}]`:                                            parse.None,
		`{"agents":[{"name":"pirate","skills":["argh"],"owner":{"team":"a"}}]}`:                                     parse.Exact, // members of a later version
		`[{"name":"pirate","skills":["argh"]}]`:                                                                     parse.Likely,
		`{"agents":[{"name":"Ann"}]}`:                                                                               parse.Exact,
		`{"agents":[{"name":"Ann","title":"x"},{"name":"writer","description":"writes"}]}`:                          parse.Exact,
		`{"agents":[{"name":"writer","instructions":"write","x":1}]}`:                                               parse.Exact,
		`{"agents":[]}`: parse.Exact,
		`[{"name":"writer","description":"writes"}]`: parse.Likely,
	} {
		if got := msagents.Format().Match(at(t, msagents.Path, body)).Level; got != want {
			t.Errorf("%s: claimed as %v, want %v", body, got, want)
		}
	}
}
