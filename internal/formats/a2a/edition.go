package a2a

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// edition is a version of the protocol. Versions whose cards do not differ are one
// edition.
type edition uint8

const (
	edition01  edition = iota + 1 // 0.1
	edition02                     // 0.2.0 to 0.2.4
	edition025                    // 0.2.5 and 0.2.6: protocolVersion, transports
	edition03                     // 0.3
	edition10                     // 1.0
)

// dialectUnion is the dialect of a card that follows 1.0 and an earlier version at
// once.
const dialectUnion = "union"

// dialect returns the name of an edition in a Reading.
func (e edition) dialect() string {
	switch e {
	case edition01:
		return "0.1"
	case edition02, edition025:
		return "0.2"
	case edition03:
		return "0.3"
	}
	return "1.0"
}

// editionOf returns the edition of a card. Members that only one edition has decide;
// the version in the card comes next.
func editionOf(root parse.Node) (e edition, union bool) {
	version := versionOf(root)
	switch {
	case root.Get("supportedInterfaces").Kind() == parse.Array:
		return edition10, root.Get("url").Kind() == parse.String
	case strings.HasPrefix(version, "0.1"):
		return edition01, false
	case strings.HasPrefix(version, "0.2"):
		return edition025, false
	case version != "" || root.Get("signatures").Exists():
		return edition03, false
	case root.Has("preferredTransport", "additionalInterfaces", "supportsAuthenticatedExtendedCard"):
		return edition025, false
	case root.Get("authentication").Get("schemes").Exists() && !root.Has("securitySchemes", "security"):
		return edition01, false
	case root.Has("securityRequirements"):
		return edition10, false
	}
	return edition02, false
}

// versionOf returns the version in a card as written. Some cards write a number.
func versionOf(root parse.Node) string {
	n := root.Get("protocolVersion")
	if n.Kind() == parse.Number {
		return string(n.Raw())
	}
	text, _ := n.Str()
	return text
}

// from returns Must for a member that is required since an edition.
func (e edition) from(since edition) parse.Need {
	if e >= since {
		return parse.Must
	}
	return parse.Optional
}

// specOf returns the specification of an edition's rules.
func specOf(e edition) wayfind.SpecRef {
	const site = "https://a2a-protocol.org/"
	switch e {
	case edition01:
		return wayfind.SpecRef{Title: "A2A 0.1", URL: "https://github.com/a2aproject/A2A/tree/v0.1.0"}
	case edition02, edition025:
		return wayfind.SpecRef{Title: "A2A 0.2", URL: site + "v0.2.6/specification/"}
	case edition03:
		return wayfind.SpecRef{Title: "A2A 0.3", URL: site + "v0.3.0/specification/"}
	}
	return wayfind.SpecRef{Title: "A2A 1.0", URL: site + "v1.0.0/specification/"}
}

// sections are the sections of an edition's specification, by topic. 0.1 has a schema
// without sections: the names of its types are used instead.
type sections struct {
	place, card, provider, capabilities, extension, scheme, skill, face, transport, signature, extended string
}

func (e edition) sections() sections {
	switch e {
	case edition01:
		return sections{
			place: "AgentCard", card: "AgentCard", provider: "AgentProvider", capabilities: "AgentCapabilities", extension: "AgentCapabilities",
			scheme: "AgentAuthentication", skill: "AgentSkill", face: "AgentCard", transport: "AgentCard", signature: "AgentCard", extended: "AgentCard",
		}
	case edition02:
		s := edition025.sections()
		s.face = s.card
		return s
	case edition025:
		return sections{
			place: "§5.3", card: "§5.5", provider: "§5.5.1", capabilities: "§5.5.2", extension: "§5.5.2.1",
			scheme: "§5.5.3", skill: "§5.5.4", face: "§5.5.5", transport: "§5.5", signature: "§5.5", extended: "§7.10",
		}
	case edition03:
		return sections{
			place: "§5.3", card: "§5.5", provider: "§5.5.1", capabilities: "§5.5.2", extension: "§5.5.2.1",
			scheme: "§5.5.3", skill: "§5.5.4", face: "§5.5.5", transport: "§5.6", signature: "§5.5.6", extended: "§7.10",
		}
	}
	return sections{
		place: "§8.2", card: "§4.4.1", provider: "§4.4.2", capabilities: "§4.4.3", extension: "§4.4.4",
		scheme: "§4.5.1", skill: "§4.4.5", face: "§4.4.6", transport: "§8.3.1", signature: "§8.4", extended: "§13.3",
	}
}
