package cache_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// suiteData is the output of internal/lab/oracle/suite/export.mjs: the tests of the package
// http-cache-tests as data.
type suiteData struct {
	Package, Version, Source, License string
	Tests                             []*suiteTest
}

// suiteTest is one test: requests that are sent one after the other, each with the answer of the
// origin and the expected result.
type suiteTest struct {
	Suite, Name, ID string
	Description     string
	Kind            string // "" means required
	Requests        []*suiteStep
	DependsOn       []string `json:"depends_on"`
	BrowserOnly     bool     `json:"browser_only"`
	BrowserSkip     bool     `json:"browser_skip"`
}

// suiteStep is one request of a test.
type suiteStep struct {
	// The request.
	Method     string       `json:"request_method"`
	Headers    []suiteField `json:"request_headers"`
	Body       string       `json:"request_body"`
	Query      string       `json:"query_arg"`
	Filename   string
	FetchCache string `json:"cache"`
	Redirect   string
	MagicIMS   bool `json:"magic_ims"`
	PauseAfter bool `json:"pause_after"`
	// The answer of the origin.
	Disconnect      bool
	Status          *suiteStatus `json:"response_status"`
	ResponseHeaders []suiteField `json:"response_headers"`
	ResponseBody    *string      `json:"response_body"`
	MagicLocations  bool         `json:"magic_locations"`
	RFC850          []string     `json:"rfc850date"`
	// The checks. If a set-up check fails, the test has no result.
	ExpectedType    string          `json:"expected_type"`
	ExpectedMethod  string          `json:"expected_method"`
	ExpectedStatus  int             `json:"expected_status"`
	ExpectedSent    []suiteField    `json:"expected_request_headers"`
	ExpectedHeaders []suiteField    `json:"expected_response_headers"`
	ExpectedMissing []suiteField    `json:"expected_response_headers_missing"`
	ExpectedText    json.RawMessage `json:"expected_response_text"` // null: any
	CheckBody       *bool           `json:"check_body"`
	Setup           bool
	SetupTests      []string `json:"setup_tests"`
}

// isSetup reports whether a check belongs to the set-up of the test.
func (s *suiteStep) isSetup(check string) bool {
	return s.Setup || slices.Contains(s.SetupTests, check)
}

// suiteStatus is a pair of code and phrase.
type suiteStatus struct {
	Code   int
	Phrase string
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *suiteStatus) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&s.Code, &s.Phrase})
}

// suiteField is a field name, or a name and a value, or a name, an operator
// and a value to compare with. A number as the value of a field that holds a
// date is a distance in seconds from when the origin answers.
type suiteField struct {
	Name     string
	Bare     bool // the name alone
	Op       string
	Value    string
	Seconds  int
	IsNumber bool
	Unkept   bool // the client does not compare it with the origin's answer
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *suiteField) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &f.Name) == nil {
		f.Bare = true
		return nil
	}
	var parts []any
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	if len(parts) < 2 || len(parts) > 3 {
		return fmt.Errorf("a field of %d parts", len(parts))
	}
	name, ok := parts[0].(string)
	if !ok {
		return fmt.Errorf("a field called %v", parts[0])
	}
	f.Name = name
	value := parts[1]
	if len(parts) == 3 {
		switch last := parts[2].(type) {
		case bool:
			f.Unkept = !last
		default:
			f.Op, value = fmt.Sprint(parts[1]), last
		}
	}
	switch v := value.(type) {
	case string:
		f.Value = v
	case float64:
		f.Seconds, f.IsNumber = int(v), true
		f.Value = strconv.Itoa(f.Seconds)
	default:
		return fmt.Errorf("field %s has the value %v", name, value)
	}
	return nil
}

// readSuite reads the tests. Unknown members are errors, because each could be a check that is not
// made.
func readSuite(t *testing.T) []*suiteTest {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(golden.Read(t, "testdata/http-cache-tests.json")))
	dec.DisallowUnknownFields()
	var data suiteData
	if err := dec.Decode(&data); err != nil {
		t.Fatalf("http-cache-tests.json: %v", err)
	}
	known := map[string]bool{}
	for _, test := range data.Tests {
		switch {
		case known[test.ID]:
			t.Fatalf("two tests are called %s", test.ID)
		case len(test.Requests) == 0:
			t.Fatalf("%s has no requests", test.ID)
		}
		known[test.ID] = true
		if test.Kind == "" {
			test.Kind = "required"
		}
	}
	for _, test := range data.Tests {
		for _, id := range test.DependsOn {
			if !known[id] {
				t.Fatalf("%s depends on %s, which does not exist", test.ID, id)
			}
		}
	}
	return data.Tests
}
