package client_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Among the documents of other publishers, at most one is falsely reported to contain a secret.
func TestTheCorpusHasHardlyAnyFalseAlarm(t *testing.T) {
	testkit.Large(t)
	files, alarms := 0, 0
	err := filepath.WalkDir(golden.Corpus(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		r, err := client.Parse(t.Context(), body, nil)
		if err != nil {
			return err
		}
		for _, d := range r.Diagnostics {
			if d.Code == "text.secret" {
				alarms++
				t.Log(filepath.Base(path), d.Pointer, d.Line, d.Message)
				break
			}
		}
		return nil
	})
	if err != nil || files < golden.Least(t, golden.EnvCorpus, 100) {
		t.Fatalf("%d files: %v", files, err)
	}
	if alarms > 1 {
		t.Errorf("%d alarms in %d files", alarms, files)
	}
}

// A disguised secret is removed from all results of a document, and the text around it stays.
func TestSecretsInOtherDressAreTakenOut(t *testing.T) {
	key := "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc" // in two parts, so that no scanner takes this file for a leak
	wide := strings.Map(func(r rune) rune { return r + 0xfee0 }, key)
	encoded := base64.StdEncoding.EncodeToString([]byte("the key: " + key))
	for name, row := range map[string]struct{ text, want string }{
		"fullwidth": {`"before ` + wide + ` after"`, `"before [redacted: stripe-key] after"`},
		"base64":    {`"before ` + encoded + ` after"`, `"before [redacted: stripe-key] after"`},
		"two items": {`["one two","` + key[:16] + `","` + key[16:] + `","three"]`, `["one two","[redacted: stripe-key]","[redacted: stripe-key]`},
	} {
		t.Run(name, func(t *testing.T) {
			body := strings.Replace(oneAction("/x"), `"intent":"i"`, `"intent":"i","agent_hints":{"note":`+row.text+`}`, 1)
			r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://shop.example/agent.json", ContentType: "application/json"})
			if err != nil {
				t.Fatal(err)
			}
			all, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(r.Site.Services[0].Hints), row.want) {
				t.Errorf("hints %s, want %s", r.Site.Services[0].Hints, row.want)
			}
			for _, part := range []string{key[:16], key[16:], wide, encoded} {
				if strings.Contains(string(all), part) {
					t.Errorf("%s is still there", part)
				}
			}
		})
	}
}
