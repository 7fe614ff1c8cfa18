package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const stream = `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"TestX/sub"}
{"Action":"output","Package":"a","Test":"TestY","Output":"=== RUN   TestY\n"}
{"Action":"output","Package":"a","Test":"TestY","Output":"    y_test.go:7: no server here\n"}
{"Action":"output","Package":"a","Test":"TestY","Output":"--- SKIP: TestY (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestY"}
{"Action":"pass","Package":"a","Elapsed":0.5}
{"Action":"skip","Package":"none","Elapsed":0}
`

func TestRun(t *testing.T) {
	allow := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(allow, []byte("# words\n\nno server here\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, in, skips string
		err, out, sum   string
	}{
		{"allowed skip", stream, allow, "", "2 passed   0 failed   1 skipped", "2 0 1\n"},
		{"unknown skip", stream, "", "1 tests were skipped", "a TestY: y_test.go:7: no server here", "2 0 1\n"},
		{"slow", `{"Action":"pass","Package":"a","Test":"TestX","Elapsed":6}` + "\n" + `{"Action":"pass","Package":"a"}`, "", "", "slow     6.0s a TestX\n", "1 0 0\n"},
		{"nothing", "", "", "no test ran", "", "0 0 0\n"},
		{
			"failure", stream + `{"Action":"output","Package":"b","Test":"TestZ","Output":"want 1\n"}` + "\n" +
				`{"Action":"fail","Package":"b","Test":"TestZ"}` + "\n" + `{"Action":"fail","Package":"b"}`, allow,
			"1 tests failed", "want 1", "2 1 1\n",
		},
		{
			"no build", stream + `{"ImportPath":"c","Action":"build-output","Output":"undefined: x\n"}` + "\n" +
				`{"Action":"fail","Package":"c","FailedBuild":"c"}`, allow,
			"1 tests failed", "undefined: x", "2 1 1\n",
		},
		{
			"too slow", `{"Action":"output","Package":"d","Test":"TestSlow","Output":"panic: test timed out after 10m0s\n"}` + "\n" +
				`{"Action":"fail","Package":"d","Test":"TestSlow"}` + "\n" + `{"Action":"fail","Package":"d"}`, "",
			errLate.Error(), "panic: test timed out", "",
		},
		{
			"too slow without the end of a test", `{"Action":"output","Package":"d","Test":"TestSlow","Output":"panic: test timed out after 10m0s\n"}` + "\n" +
				`{"Action":"fail","Package":"d"}`, "",
			errLate.Error(), "did not end: d TestSlow\npanic: test timed out", "",
		},
		{
			"too slow beside a failure", `{"Action":"output","Package":"d","Test":"TestSlow","Output":"panic: test timed out after 10m0s\n"}` + "\n" +
				`{"Action":"fail","Package":"d"}` + "\n" + `{"Action":"fail","Package":"e","Test":"TestZ"}` + "\n" + `{"Action":"fail","Package":"e"}`, "",
			"1 tests failed", "did not end: d TestSlow", "0 1 0\n",
		},
		{"no event", "go: cannot find module\n", "", "no test ran", "go: cannot find module", "0 0 0\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "totals")
			var out strings.Builder
			err := run(strings.NewReader(tt.in), &out, tt.skips, nil, math.MaxInt, file)
			if got := message(err); !strings.Contains(got, tt.err) || (tt.err == "") != (err == nil) {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if !strings.Contains(out.String(), tt.out) {
				t.Errorf("printed:\n%s\nwant %q in it", out.String(), tt.out)
			}
			sum, err := os.ReadFile(file)
			if err != nil && tt.sum != "" {
				t.Fatal(err)
			}
			if string(sum) != tt.sum {
				t.Errorf("totals %q, want %q", sum, tt.sum)
			}
		})
	}
}

func TestTotalsAddUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "totals")
	for range 2 {
		if err := (&summary{totals: totals{1, 2, 3}}).save(file); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "2 4 6\n" {
		t.Errorf("totals %q", got)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
