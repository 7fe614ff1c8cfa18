package wayfind

// kindOfCode contains the kind of each code.
var kindOfCode = map[Code]error{
	CodeUserinfo: ErrInvalid, CodeScheme: ErrInvalid, CodePort: ErrInvalid, CodeTargetPath: ErrInvalid,
	CodeHostSyntax: ErrInvalid, CodeHostNumeric: ErrInvalid, CodeHostIPLiteral: ErrInvalid, CodeHostIDNA: ErrInvalid,
	CodeHostSingleLabel: ErrInvalid, CodeHostSpecialUse: ErrInvalid,

	CodeBlockedAddress: ErrRefused, CodeHostRefused: ErrRefused, CodeOrigin: ErrRefused, CodeCrossSite: ErrRefused, CodeCredential: ErrRefused, CodeSecret: ErrRefused,
	CodeRedirectLimit: ErrRefused, CodeRedirectLoop: ErrRefused, CodeRedirectDowngrade: ErrRefused,
	CodeRedirectCrossSite: ErrRefused, CodeRedirectLocation: ErrRefused, CodeRobots: ErrRefused, CodeProxyAuth: ErrRefused,

	CodeDNSNotFound: ErrUnreachable, CodeDNS: ErrUnreachable, CodeTimeout: ErrUnreachable, CodeCanceled: ErrUnreachable,
	CodeNetwork: ErrUnreachable, CodeTLS: ErrUnreachable, CodeProxy: ErrUnreachable, CodeProtocol: ErrUnreachable,
	CodeHeadersTooLarge: ErrUnreachable, CodeTruncated: ErrUnreachable, CodeServerError: ErrUnreachable,
	CodeDeadline: ErrUnreachable, CodeCrowded: ErrUnreachable, CodeRobotsUnreachable: ErrUnreachable, CodeOffline: ErrUnreachable,

	CodeTooLarge: ErrInvalid, CodeEncoding: ErrInvalid, CodeStatus: ErrInvalid,
	CodeNotBefore: ErrThrottled,
	CodeAbsent:    ErrNotFound, CodeCanary: ErrNotFound, CodeServer: ErrNotFound,
	CodeFirewall: ErrBlocked, CodePayment: ErrBlocked, CodePrice: ErrBlocked,

	CodeHTML: ErrInvalid, CodeInvalidUTF8: ErrInvalid, CodeJSONSyntax: ErrInvalid, CodeJSONDuplicate: ErrInvalid,
	CodeJSONTrailing: ErrInvalid, CodeJSONDepth: ErrInvalid, CodeYAMLSyntax: ErrInvalid, CodeYAMLForbidden: ErrInvalid,
	CodeYAMLDuplicate: ErrInvalid, CodeLimit: ErrInvalid, CodeSchema: ErrInvalid, CodeNoFormat: ErrInvalid,
	CodeUnknownKey: ErrInvalid, CodeNoDetail: ErrInvalid, CodeUnusable: ErrInvalid, CodeStrict: ErrInvalid, CodeDigest: ErrInvalid,
	CodePanic: ErrInternal,

	CodeSigInvalid: ErrInvalid, CodeSigHeader: ErrInvalid, CodeSigAlg: ErrInvalid, CodeSigKey: ErrInvalid, CodeSigJKU: ErrInvalid,
	CodeSigDomain: ErrInvalid, CodeSigNumber: ErrInvalid, CodeSigProfile: ErrInvalid, CodeSigUnverified: ErrInvalid, CodeSigUnsigned: ErrInvalid,

	CodePinMismatch: ErrRefused, CodeNotApproved: ErrRefused, CodeStored: ErrInvalid,
}

// NewError returns an error whose Kind follows from its code. A code of another program and an
// empty code have no Kind. op, url and cause become Op, URL and Err.
func NewError(op, url string, code Code, cause error) *Error {
	return &Error{Op: op, URL: url, Kind: kindOfCode[code], Code: code, Err: cause}
}

// WithKind returns a copy of the error with a kind that differs from the kind of its code. Use
// it for errors without a code, and for stages that have more information: a link with an
// invalid host name is refused, for example.
func (e *Error) WithKind(kind error) *Error {
	own := *e
	own.Kind = kind
	return &own
}
