package actorwire

import "testing"

func TestBothDialectsOfAMessage(t *testing.T) {
	m := &Message{Key: "k", ID: "1", Method: "run", Params: []byte(`[]`)}
	for template, want := range map[string]struct {
		short bool
		urls  [2]string
		body  string
	}{
		"https://a.example/actors/my%20agent/{actorKey}/messages/{messageId}": {false, [2]string{"https://a.example/actors/my%20agent/k/messages/1", "https://a.example/actors/my%20agent/k/1"}, `{"actorId":"my agent/k","messageId":"1","method":"run","params":[]}`},
		"https://a.example/x/{actorKey}/{messageId}":                          {true, [2]string{"https://a.example/x/k/messages/1", "https://a.example/x/k/1"}, `{"actorId":"x/k","messageId":"1","method":"run","params":[]}`},
	} {
		a, ok := Read(template)
		if !ok || a.Short != want.short || a.URL(m, false) != want.urls[0] || a.URL(m, true) != want.urls[1] {
			t.Errorf("%s: %+v %t %s %s", template, a, ok, a.URL(m, false), a.URL(m, true))
		}
		if got := string(a.Body(m, true)); got != want.body {
			t.Errorf("%s: %s, want %s", template, got, want.body)
		}
		if got := string(a.Body(m, false)); got != `{"method":"run","params":[]}` {
			t.Errorf("%s: %s", template, got)
		}
	}
}

func TestOtherTemplatesAreRefused(t *testing.T) {
	for _, template := range []string{"", "https://a.example/x", DesignTail, "https://a.example/{tenant}/x" + DesignTail, "https://a.example/x?q=1" + DesignTail, "https://a.example/../x" + PrototypeTail} {
		if a, ok := Read(template); ok {
			t.Errorf("%q is read as %+v", template, a)
		}
	}
}
