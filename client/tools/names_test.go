package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

type nameRow struct {
	ID, Origin, Key, From, Prefix string
	Max                           int
	Force                         bool
	Want                          json.RawMessage
	Set                           []struct{ Origin, Key, From string }
}

// TestNameVectors runs vectors/tools/names.jsonl.
func TestNameVectors(t *testing.T) {
	count := 0
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "names.jsonl"))) {
		var r nameRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		count++
		if r.Set != nil {
			r.set(t)
			continue
		}
		n := naming{most: MaxName, prefix: map[string]string{r.Origin: r.Prefix}}
		if r.Max != 0 {
			n.most = r.Max
		}
		size := 0
		if r.Force {
			size = 6
		}
		var want string
		if err := json.Unmarshal(r.Want, &want); err != nil {
			t.Fatal(err)
		}
		if got := n.name(Subject{Origin: r.Origin, Key: r.Key, From: r.From}, size); got != want {
			t.Errorf("%s: %q gives %q, want %q", r.ID, r.From, got, want)
		}
	}
	if count < golden.Least(t, golden.EnvVectors, 52) {
		t.Errorf("%d rows", count)
	}
}

func (r *nameRow) set(t *testing.T) {
	t.Helper()
	var subjects []Subject
	for _, s := range r.Set {
		subjects = append(subjects, Subject{Origin: s.Origin, Key: s.Key, From: s.From})
	}
	var want []string
	got, err := Names(subjects, nil)
	if json.Unmarshal(r.Want, &want) != nil {
		if !errors.Is(err, ErrSameKey) {
			t.Errorf("%s: %v", r.Want, err)
		}
		return
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	slices.Reverse(subjects)
	slices.Reverse(want)
	if got, err := Names(subjects, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("in another order: %q, %v, want %q", got, err, want)
	}
}

// TestNamesAreKept: a name that was given stays, also when the one that it would
// be confused with goes or comes.
func TestNamesAreKept(t *testing.T) {
	a, b := Subject{Origin: "https://a.example", Key: "x:send", From: "send"}, Subject{Origin: "https://a.example", Key: "x:Send", From: "Send"}
	first, err := Names([]Subject{a}, nil)
	if err != nil || first[0] != "send" {
		t.Fatal(first, err)
	}
	given := map[string]string{first[0]: NameKey(a.Origin, a.Key)}
	both, err := Names([]Subject{b, a}, &NameOptions{Given: given})
	if err != nil || both[1] != "send" || both[0] == "Send" {
		t.Errorf("%q, %v", both, err)
	}
	// The name of one that is gone is not given to another.
	other, err := Names([]Subject{{Origin: "https://a.example", Key: "y:send", From: "send"}}, &NameOptions{Given: given})
	if err != nil || other[0] == "send" {
		t.Errorf("%q, %v", other, err)
	}
}

// A site cannot give its tool a name that hosts, vendors or this project use, in any letters.
func TestReservedNamesAreNotGiven(t *testing.T) {
	for _, from := range []string{"wayfind_call", "WAYFIND_CALL", "Wayfind_Search", "wayfind call", "wayfind_of_the_site", "tool_search", "Bash", "web_search", "tool"} {
		names, err := Names([]Subject{{Origin: "https://a.example", Key: "x:" + from, From: from}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		base, _ := baseName(from)
		if digest, ok := strings.CutPrefix(names[0], base+"_"); !ok || len(digest) != 6 {
			t.Errorf("%q gives %q, want %s and a digest", from, names[0], base)
		}
	}
	names, err := Names([]Subject{{Origin: "https://wayfind.example", Key: "x:call", From: "call", Domain: "wayfind.example"}}, &NameOptions{Sites: true})
	if err != nil || names[0] == "wayfind_example__call" || !strings.HasPrefix(names[0], "wayfind_example__call_") {
		t.Errorf("a tool of wayfind.example is %q, %v", names, err)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("send", "Send", "größe")
	f.Add("", "___", "web_search")
	f.Add("検索", "a\x00b", "mcp__x__y")
	valid := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var subjects []Subject
		for i, from := range []string{a, b, c, a} {
			subjects = append(subjects, Subject{Origin: fmt.Sprintf("https://%d.example", i%2), Key: fmt.Sprint(i), From: from, Domain: fmt.Sprintf("s%d.example", i%2)})
		}
		for _, most := range []int{MaxName, MaxPrefixed} {
			names, err := Names(subjects, &NameOptions{Max: most})
			if err != nil {
				t.Fatal(err)
			}
			seen := make(map[string]bool)
			for _, name := range names {
				fold := string(bytes.ToLower([]byte(name)))
				if !valid.MatchString(name) || len(name) > most || seen[fold] {
					t.Errorf("%q", names)
				}
				seen[fold] = true
			}
		}
	})
}
