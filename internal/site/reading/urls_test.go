package reading

import (
	"strings"
	"testing"
)

func TestURLsWithCodeOrMuchDataAreUnsafe(t *testing.T) {
	icon := "data:image/png;base64," + strings.Repeat("A", maxDataURL)
	for text, want := range map[string]bool{
		"javascript:alert(1)": true, "JaVaScRiPt:alert(1)": true, " javascript:x": true, "java\tscript:x": true, "java\nscript: alert(1)": true,
		"vbscript:x": true, icon: true, "data:text/html,<p>": true, "DATA:text/html;base64,PHA+": true, "data:application/xhtml+xml,x": true,
		"data:text/javascript,x": true, "file:///etc/passwd": true, "blob:https://a.example/x": true, "filesystem:https://a.example/x": true,
		icon[:maxDataURL]: false, "data:,x": false, "data: " + strings.Repeat("words ", 2<<10): false,
		"JavaScript: The Good Parts": false, "https://a.example/javascript:x": false, "https://a.example/?u=data:text/html,x": false,
		"file: a document": false, "mailto:a@a.example": false, "{scheme}://a.example": false, "metadata:x": false, "": false, ":": false,
	} {
		if got := isUnsafeURL(text); got != want {
			t.Errorf("%.60q: %t", text, got)
		}
		if quoted := `{"a": ["` + strings.NewReplacer("\t", `\t`, "\n", `\n`).Replace(text) + `"]}`; want && !mayHoldUnsafe([]byte(quoted)) {
			t.Errorf("%.60q is overlooked", quoted)
		}
	}
	if mayHoldUnsafe([]byte(`{"javascript": "https://a.example/x", "data" : {"file": 1}}`)) {
		t.Error("names of members are looked at")
	}
}
