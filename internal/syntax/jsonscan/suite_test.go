package jsonscan_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestJSONTestSuite runs the published parsing tests: y_ must be accepted, n_ must be refused,
// and i_ is undefined. The duplicate names among y_ are valid by RFC 8259 and refused here on
// purpose (RFC 7493 §2.3).
func TestJSONTestSuite(t *testing.T) {
	onPurpose := map[string]bool{
		"y_object_duplicated_key.json":           true,
		"y_object_duplicated_key_and_value.json": true,
	}
	count := make(map[string]int)
	for _, path := range suite(t, "test_parsing") {
		name := filepath.Base(path)
		code := codeOfFile(t, path)
		switch group := name[:2]; {
		case onPurpose[name]:
			count["y_ refused on purpose"]++
			if code != wayfind.CodeJSONDuplicate {
				t.Errorf("%s: code %q", name, code)
			}
		case group == "y_":
			count["y_ accepted"]++
			if code != "" {
				t.Errorf("%s: refused with %q", name, code)
			}
		case group == "n_":
			count["n_ refused"]++
			if code == "" {
				t.Errorf("%s: accepted", name)
			}
		default:
			count["i_ "+verdict(code)]++
			t.Logf("%s: %s", name, verdict(code))
		}
	}
	for _, group := range []string{"y_ accepted", "n_ refused"} {
		if count[group] == 0 {
			t.Errorf("no file of group %q", group)
		}
	}
	t.Logf("counts: %v", count)
}

// TestJSONTransformSuite runs the published files on whose meaning parsers differ, and reports
// the results.
func TestJSONTransformSuite(t *testing.T) {
	count := make(map[string]int)
	for _, path := range suite(t, "test_transform") {
		code := codeOfFile(t, path)
		count[verdict(code)]++
		t.Logf("%s: %s", filepath.Base(path), verdict(code))
	}
	if count["accepted"] == 0 || count[string(wayfind.CodeJSONDuplicate)] == 0 {
		t.Errorf("want accepted files and refused duplicates, got %v", count)
	}
}

func suite(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(golden.Vectors(t, "json", "JSONTestSuite", folder), "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	return paths
}

func codeOfFile(t *testing.T, path string) wayfind.Code {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return codeOf(t, string(body))
}

func verdict(code wayfind.Code) string {
	if code == "" {
		return "accepted"
	}
	return string(code)
}
