package security_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security"
)

// No way of printing a credential shows the secret.
func TestCredentialHidesItsValue(t *testing.T) {
	c := security.Bearer("https://example.com", "s3cret")
	c.ID = "alice"
	data, err := json.Marshal(map[string]any{"c": c, "p": &c})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c, "in", struct{ C security.Credential }{c})
	for _, text := range []string{
		fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, c), fmt.Sprintf("%v %+v %#v", &c, &c, &c),
		fmt.Sprintf("%+v %#v", []security.Credential{c}, struct{ C security.Credential }{c}), string(data), log.String(),
	} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "alice") {
			t.Errorf("printed as %s", text)
		}
	}
	if !(security.Credential{}).IsZero() || c.IsZero() {
		t.Error("IsZero")
	}
}
