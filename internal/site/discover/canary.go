package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// The canary is a page that cannot exist. If a server answers 200 to it, it answers 200 to any
// path, and a similar page elsewhere is no document. If it answers 401 or 403 to it, as object stores
// and gateways do, the same answer elsewhere means "nothing is there". It is requested only if an
// answer leaves a doubt.

// wellKnown is the folder of well-known places (RFC 8615). A rule of a server for hidden files, or for
// this folder, does not hold for its other places.
const wellKnown = "/.well-known/"

// canaryPath returns a path in a folder that cannot exist. It differs for each origin and is always the same
// for one origin, so that its page is remembered, also by processes that share a store. In a Lab
// with a clock it is the same for all origins, for golden files.
func canaryPath(origin, folder string, lab bool) string {
	token := "00000000"
	if !lab {
		sum := sha256.Sum256([]byte("canary " + origin))
		token = hex.EncodeToString(sum[:4])
	}
	return folder + "wayfind-" + token
}

// folderOf returns the folder of a place for which a canary speaks: [wellKnown] or "/".
func folderOf(place string) string {
	if u, err := url.Parse(place); err == nil && strings.HasPrefix(u.Path, wellKnown) {
		return wellKnown
	}
	return "/"
}

// isDenied reports whether the answer of a place is a refusal that may mean "nothing is there": it has
// no challenge for a credential (RFC 9110 §11.6.1), and no sign of a wall.
func (o *Outcome) isDenied() bool {
	if o.Probe.Verdict != wayfind.VerdictProtected || o.Probe.Status != http.StatusUnauthorized && o.Probe.Status != http.StatusForbidden {
		return false
	}
	return o.Doc != nil && o.Doc.Input() != nil && o.Doc.Input().Header.Get("WWW-Authenticate") == ""
}

// deniesLike reports whether two refusals are the same. Their bodies are not compared: they often
// contain the number of the request, or its path.
func (o *Outcome) deniesLike(other *Outcome) bool {
	return other.isDenied() && o.Probe.Status == other.Probe.Status && o.Doc.Input().MediaType == other.Doc.Input().MediaType
}
