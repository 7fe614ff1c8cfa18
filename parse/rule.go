package parse

// Rule explains one code of diagnostics, for publishers who want to mend what
// is wrong.
type Rule struct {
	// Code without the format's name in front: "base_url_slash".
	Code string
	// Means is what is wrong, in one sentence, and Mend what to do about it.
	Means, Mend string
}

// ReaderRules explain the codes that every [Reader] may give, whatever the
// format, in alphabetical order: its methods report them. A format that uses
// one of these codes itself means the same by it and does not explain it again.
func ReaderRules() []Rule {
	return []Rule{
		{"bad_url", "A value that must be an absolute URL is none.",
			"Write a whole URL that begins with `https://` and names a host."},
		{"dot_segments", "A URL or path leads upwards with `..`, and not everybody agrees where that ends.",
			"Write the path out without `.` and `..`."},
		{"endpoint_host", "The host of an endpoint is an IP address or no public name, has a variable, or comes with a port other than 443.",
			"Serve the API under a public host name on port 443, and write that."},
		{"endpoint_scheme", "An endpoint is a full URL that does not start with `https://`.",
			"Serve the API over https, and write its URL that way."},
		{"endpoint_slash", "An endpoint is neither a full URL nor a path that begins with a slash, so a slash had to be assumed.",
			"Write a path that begins with a slash, or the full URL."},
		{"endpoint_template", "The path of an endpoint has variables that are more than a name in braces.",
			"Write each variable as `{name}`, and describe anything else about it where parameters are described."},
		{"header_name", "The name of a header field is empty, too long or no token, or the field is one that clients set themselves.",
			"Name a field that is free to use, such as `X-API-Key`, and do not list as parameters what every client sends."},
		{"media_type", "The document was served with a media type that does not belong to it.",
			"Set the Content-Type of the response to the type that the message names."},
		{"method", "A method is no HTTP method, or not one that belongs there.",
			"Write one of the methods that the specification names, such as `GET` or `POST`."},
		{"method_case", "A method was not written in upper case; methods are case-sensitive.",
			"Write the method in upper case."},
		{"missing", "A member that the specification requires or recommends is not there.",
			"Add the member that the message names."},
		{"more_diagnostics", "There is more wrong with the document than is listed.",
			"Mend what is listed, and look again."},
		{"wrong_type", "A value is of another type than the specification says.",
			"Write the value in the type that belongs there: text in quotes, numbers and true or false without, lists in brackets."},
	}
}
