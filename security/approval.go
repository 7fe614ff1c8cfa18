package security

// ApprovalRequest asks the caller of the library whether an endpoint on another
// site may be contacted. Its strings are cleaned text of strangers: show them,
// do not follow them.
type ApprovalRequest struct {
	// DocumentOrigin is the origin whose document names the endpoint:
	// "https://example.com".
	DocumentOrigin string
	// Endpoint is the URL that would be contacted.
	Endpoint string
	// Digest is the SHA-256, in hexadecimal, of what an answer is good for:
	// another digest needs another answer.
	Digest string
	// Purpose is an open string: "describe", "live".
	Purpose string
}
