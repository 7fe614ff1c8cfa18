package reading_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// yamlDishes is a format that reads any YAML.
func yamlDishes() *parse.Format {
	f := dishes()
	f.Match = func(in *parse.Input) parse.Claim {
		if _, err := in.Tree(); err != nil {
			return parse.Claim{}
		}
		return parse.Claim{Level: parse.Exact}
	}
	return f
}

// key is a secret that was never issued.
const key = "gh" + "p_" + "k3VbZ7qLw9Xt" + "R5nMc8JyUa2E" + "hGd6PfTs4WoB"

func readYAML(t *testing.T, body string) (d *reading.Contents, secrets []wayfind.Diagnostic) {
	t.Helper()
	res := answer(t, body)
	res.Header = http.Header{"Content-Type": {"application/yaml"}}
	d = (&reading.Reader{Formats: []*parse.Format{yamlDishes()}, MaxBytes: 1 << 20}).Read(nil, res)
	at := reading.At{Requested: res.URL, Final: res.URL}
	for _, n := range d.DiagnosticsAt(at) {
		if n.Code == "text.secret" {
			secrets = append(secrets, n)
		}
	}
	return d, secrets
}

// The values of YAML are searched with their names, and other text by its line. A secret is found
// once, and is in no stored body.
func TestSecretsOfYAMLAreFoundInItsValues(t *testing.T) {
	named := "k3VbZ7qL" + "w9XtR5nMc8JyUa2E"
	for name, row := range map[string]struct {
		body, pointer string
		line          int
		kept          bool // the body without the secret
	}{
		"value":             {"a: 1\nlist: [" + key + "]\n", "/list/0", 0, true},
		"value by a label":  {"a: 1\nheader: {name: X-API-Key, value: " + named + "}\n", "/header/value", 0, true},
		"key":               {"a: 1\n" + key + ": 2\n", "/[redacted: github-token]", 0, false},
		"two lines":         {"a: 1\nb: \"" + key[:20] + "\\\n  " + key[20:] + "\"\n", "/b", 0, false},
		"escaped":           {"a: 1\nb: \"\\x67" + key[1:] + "\"\n", "/b", 0, false},
		"comment":           {"a: 1\n# use " + key + "\n", "", 2, true},
		"behind a value":    {"a: 1 # use " + key + "\n", "", 1, true},
		"name of an anchor": {"a: &" + key + " 1\n", "", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			d, found := readYAML(t, row.body)
			if len(found) != 1 || found[0].Pointer != row.pointer || found[0].Line != row.line || !d.Secret() {
				t.Fatalf("%+v", found)
			}
			kept := string(d.Redacted([]byte(row.body)))
			if (kept != "") != row.kept || strings.Contains(kept, key[20:]) || strings.Contains(kept, named) {
				t.Errorf("%q is kept", kept)
			}
		})
	}
}

// A document that no format takes for YAML is searched as a text.
func TestSecretsOfOtherTextsHaveLines(t *testing.T) {
	body := "a: 1\nb: " + key + "\n"
	d := (&reading.Reader{Formats: []*parse.Format{dishes()}, MaxBytes: 1 << 20}).Read(nil, answer(t, body))
	_, diags := d.At(reading.At{Requested: link(t, "https://shop.example.com/x"), Final: link(t, "https://shop.example.com/x")})
	if len(diags) == 0 || diags[0].Code != "text.secret" || diags[0].Line != 2 || strings.Contains(string(d.Redacted([]byte(body))), key) {
		t.Errorf("%+v", diags)
	}
}
