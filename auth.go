package wayfind

// SchemeKind is the kind of an authentication scheme. The set is open.
type SchemeKind string

// These are the kinds of schemes.
const (
	SchemeNone   SchemeKind = "none"
	SchemeAPIKey SchemeKind = "api_key"
	SchemeHTTP   SchemeKind = "http" // an HTTP authentication scheme (RFC 9110 §11)
	SchemeOAuth2 SchemeKind = "oauth2"
	SchemeOIDC   SchemeKind = "oidc"
	SchemeMTLS   SchemeKind = "mtls"
	SchemeCustom SchemeKind = "custom"
)

// Auth describes how to authenticate. It never contains a credential.
type Auth struct {
	// Schemes are the schemes by name.
	Schemes map[string]Scheme `json:"schemes,omitempty"`
	// Requirements are alternatives. Each lists the schemes that are required together. The
	// alternative [{"scheme": "none"}] requires no credential.
	Requirements [][]Requirement `json:"requirements,omitempty"`
	// Unknown is true if the document does not describe authentication. Assume that a
	// credential is required.
	Unknown bool `json:"unknown,omitempty"`
	// Registration describes how an agent gets a credential by itself.
	Registration *Registration `json:"registration,omitempty"`
}

// Registration is the place where an agent registers for a credential (`agent_auth` in the
// metadata of an authorization server). Discovery never registers: registration is a call with
// effects, to which a person must agree.
type Registration struct {
	// Endpoint accepts the registration. Claim transfers it to a person later. Revocation
	// accepts notices from the party that vouches for the agent. Endpoint is empty if the
	// document contains no usable endpoint. GuideURL then explains what to do.
	Endpoint   string `json:"endpoint,omitempty" clean:"url"`
	Claim      string `json:"claim,omitempty" clean:"url"`
	Revocation string `json:"revocation,omitempty" clean:"url"`
	// Types are the types of identity, as written: "anonymous", "identity_assertion",
	// "service_auth". Assertions are the types of assertions.
	Types      []string `json:"types,omitempty"`
	Assertions []string `json:"assertions,omitempty"`
	// Credentials are the kinds of credentials that an agent receives: "api_key",
	// "access_token", or "none" if it needs no credential.
	Credentials []string `json:"credentials,omitempty"`
	// Dialect is the dialect of the members: "v0.1", or "v0.2" for all later dialects.
	Dialect string `json:"dialect,omitempty"`
	// GuideURL is the publisher's text for agents. It proves nothing.
	GuideURL string `json:"guideUrl,omitempty" clean:"url"`
	// Trust compares Endpoint with the document. Another site needs approval.
	Trust Trust `json:"trust,omitempty"`
}

// Requirement is one scheme of an alternative.
type Requirement struct {
	Scheme string   `json:"scheme"`
	Scopes []string `json:"scopes,omitempty"`
}

// Scheme is one way to authenticate.
type Scheme struct {
	Kind SchemeKind `json:"kind"`
	// In ("header", "query", "cookie") and Name are the place of an api_key.
	In   string `json:"in,omitempty"`
	Name string `json:"name,omitempty"`
	// Prefix is written before the key, with one space between. Nil means that a prefix is
	// neither stated nor implied, "" that the document states that there is no prefix.
	Prefix *string `json:"prefix,omitempty"`
	// HTTPScheme is "bearer" or "basic" with kind http.
	HTTPScheme string `json:"httpScheme,omitempty"`
	// Flows are the flows of oauth2.
	Flows []OAuthFlow `json:"flows,omitempty"`
	// MetadataURL is the metadata document of OpenID Connect Discovery, of RFC 8414, or of the
	// protected resource (RFC 9728), which names the servers.
	MetadataURL string `json:"metadataUrl,omitempty" clean:"url"`
	// SetupURL is where people get a key, DocsURL where they read about it.
	SetupURL    string `json:"setupUrl,omitempty" clean:"url"`
	DocsURL     string `json:"docsUrl,omitempty" clean:"url"`
	Description string `json:"description,omitempty" clean:"text"`
	// Defaulted names the fields that contain a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
}

// OAuthFlow is one grant of an oauth2 scheme.
type OAuthFlow struct {
	// Grant is "authorization_code", "client_credentials" and so on. It is "" if it is unknown.
	Grant            string `json:"grant,omitempty"`
	AuthorizationURL string `json:"authorizationUrl,omitempty" clean:"url"`
	TokenURL         string `json:"tokenUrl,omitempty" clean:"url"`
	RefreshURL       string `json:"refreshUrl,omitempty" clean:"url"`
	// DeviceAuthorizationURL is the device authorization endpoint (RFC 8628).
	DeviceAuthorizationURL string   `json:"deviceAuthorizationUrl,omitempty" clean:"url"`
	Scopes                 []string `json:"scopes,omitempty"`
	// PKCE is true if a code challenge is required (RFC 7636), nil if the document does not
	// say.
	PKCE *bool `json:"pkce,omitempty"`
}
