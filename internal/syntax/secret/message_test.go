package secret

import "testing"

func TestFieldsAreShownWithoutSecrets(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"Content-Type", "application/json; charset=utf-8", "application/json; charset=utf-8"},
		{"Etag", `"33a64df551425fcc55e4d42a148795d9f25f89d4"`, `"33a64df551425fcc55e4d42a148795d9f25f89d4"`},
		{"set-cookie", "sid=1; Path=/", RecordedMark},
		{"Authorization", "Basic dTpw", RecordedMark},
		{"X-Shop-Token", "short", RecordedMark},
		{"Location", "https://a.example/?api_key=hunter2&b=c", "https://a.example/?api_key=" + RecordedMark + "&b=c"},
	} {
		if got := (Message{}).Field(tt.name, tt.value); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFormsAreShownWithoutSecrets(t *testing.T) {
	const body = "grant_type=refresh_token&refresh_token=abc&client_id=me&client_secret=s&cvv=123&scope=a+b"
	const want = "grant_type=refresh_token&refresh_token=REDACTED&client_id=me&client_secret=REDACTED&cvv=REDACTED&scope=a+b"
	if got := formOf(body); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestMembersOfJSONAreShownWithoutSecrets(t *testing.T) {
	const mark = "[redacted: named-secret]"
	for _, tt := range []struct {
		name, text, want string
		byName           bool
	}{
		{"no secret", `{"a": "b", "c": [1, {"d": null}]}`, `{"a": "b", "c": [1, {"d": null}]}`, true},
		{"a member", `{"access_token": "abc", "expires_in": 5}`, `{"access_token": "` + mark + `", "expires_in": 5}`, true},
		{"a number", `{"pin": 1234, "b": 5}`, `{"pin": "` + mark + `", "b": 5}`, true},
		{"an object and what follows it", `{"password": {"old": "a", "n": [1]}, "b": "c"}`, `{"password": {"old": "` + mark + `", "n": ["` + mark + `"]}, "b": "c"}`, true},
		{"an escaped name", `{"access\u005ftoken": "abc"}`, `{"access\u005ftoken": "` + mark + `"}`, true},
		{"a value that is cut off", `{"a": 1, "password": "hun`, `{"a": 1, "password": "` + mark, true},
		{"a string with quotes", `{"a": "\"max_tokens\": \"x\"", "b": 1}`, `{"a": "\"max_tokens\": \"x\"", "b": 1}`, true},
		{"a text with a name", `{"a": "\"password\": \"x\"", "b": 1}`, `{"a": "\"password\": \"` + mark + `\"", "b": 1}`, true},
		{"a name alone, in a document", `{"password": {"type": "string"}}`, `{"password": {"type": "string"}}`, false},
		{"a token whose letters are escaped", `{"a": "ghp\u005f16C7e42F292c6912E7710c838347Ae178B4a"}`, `{"a": "[redacted: github-token]"}`, false},
	} {
		if got := Members(tt.text, tt.byName); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
