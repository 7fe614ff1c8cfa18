package security

// DefaultMaxHosts is for tests.
const DefaultMaxHosts = defaultMaxHosts
