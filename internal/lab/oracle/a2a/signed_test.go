package a2a_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/wayfindhq/wayfind/security/cards"
)

// message returns JSON for a message with all fields that a writer must write, with their
// defaults if they have any. defaults adds the other fields with their defaults, and lists
// fills lists and maps of messages with one entry.
func message(d protoreflect.MessageDescriptor, defaults, lists bool) map[string]any {
	m := map[string]any{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.JSONName() == "signatures" {
			continue
		}
		unwritten := !required(f) && !f.HasPresence()
		entry := f.Message()
		if f.IsMap() {
			entry = f.MapValue().Message()
		}
		switch {
		case entry != nil && entry.FullName() == "google.protobuf.Struct":
			m[f.JSONName()] = map[string]any{"empty": "", "list": []any{}}
		case f.IsMap() && entry != nil && lists:
			m[f.JSONName()] = map[string]any{"k": message(entry, defaults, lists)}
		case f.IsList() && entry != nil && lists:
			m[f.JSONName()] = []any{message(entry, defaults, lists)}
		case unwritten && !defaults:
		case f.IsMap():
			m[f.JSONName()] = map[string]any{}
		case f.IsList():
			m[f.JSONName()] = []any{}
		case entry != nil:
			m[f.JSONName()] = message(entry, defaults, lists)
		case f.Kind() == protoreflect.BoolKind:
			m[f.JSONName()] = false
		default:
			m[f.JSONName()] = ""
		}
	}
	return m
}

// required reports whether the specification marks a field as REQUIRED.
func required(f protoreflect.FieldDescriptor) bool {
	return slices.Contains(proto.GetExtension(f.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior), annotations.FieldBehavior_REQUIRED)
}

// The form proto-jcs omits the same fields as writers of Protobuf JSON, field by field of the
// published descriptors.
func TestSignedForm(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	keys, err := cards.ParseKeys(fmt.Appendf(nil, `{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":%q,"y":%q,"origins":["https://shop.example"]}]}`, text(point[1:33]), text(point[33:])))
	if err != nil {
		t.Fatal(err)
	}
	at := &url.URL{Scheme: "https", Host: "shop.example", Path: "/.well-known/agent-card.json"}
	card := (&pb.AgentCard{}).ProtoReflect().Descriptor()
	for _, lists := range []bool{false, true} {
		payload, err := json.Marshal(message(card, false, lists)) // sorted, ASCII, no numbers: canonical
		if err != nil {
			t.Fatal(err)
		}
		protected := text([]byte(`{"alg":"ES256","kid":"k"}`))
		digest := sha256.Sum256([]byte(protected + "." + text(payload)))
		r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		body, err := json.Marshal(message(card, true, lists))
		if err != nil {
			t.Fatal(err)
		}
		check := cards.Card{Body: body, Requested: at, Served: at, Pinned: keys,
			Signatures: []cards.JWS{{Protected: protected, Signature: text(signature)}}}
		if got := check.Check()[0]; got.Status != cards.Valid || got.Profile != cards.ProfileProto {
			t.Errorf("lists %t: %+v\nsigned %s\nserved %s", lists, got, payload, body)
		}
	}
}
