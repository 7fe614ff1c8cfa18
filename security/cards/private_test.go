package cards_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/security/cards"
)

func TestACardOfAPrivateNameSpeaksForItsOwnOrigin(t *testing.T) {
	at := &url.URL{Scheme: "https", Host: "api.corp.internal:8443", Path: "/card.json"}
	card := &cards.Card{Requested: at, Served: at}
	if want := []string{"https://api.corp.internal:8443"}; !slices.Equal(card.Origins(), want) {
		t.Errorf("it speaks for %v, want %v", card.Origins(), want)
	}
}
