package bulk

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUncommented(t *testing.T) {
	for in, want := range map[string]string{
		"example.com\n":             "example.com",
		"  example.com\t# why \r\n": "example.com",
		"# all of it":               "",
		"https://a.example/#x":      "https://a.example/#x",
		"a\t#b #c":                  "a",
		"":                          "",
	} {
		if got := uncommented(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	list := "\ufeffone.example\r\n\n# no\n" + strings.Repeat("x", 3*maxListLine) + "\ntwo.example # last"
	var got []string
	for l := range lines(t.Context(), strings.NewReader(list)) {
		got = append(got, fmt.Sprintf("%d %.12s %d", l.number, l.text, len(l.text)))
	}
	want := []string{"1 one.example 11", "4 xxxxxxxxxxxx 4096", "5 two.example 11"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := countLines(strings.NewReader(list)); n != 3 {
		t.Errorf("%d lines are counted", n)
	}
}

// A pipe with a name is a file that cannot be read twice. Its lines must not be counted.
func TestAPipeIsNotReadToCountIt(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString("one.example\n"); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	if n := countLines(read); n != -1 {
		t.Errorf("%d lines are counted", n)
	}
	if left, err := io.ReadAll(read); err != nil || string(left) != "one.example\n" {
		t.Errorf("%q, %v is left", left, err)
	}
}
