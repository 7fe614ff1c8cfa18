package httpcall

import (
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// neverArguments are header fields that determine the destination of a request, its framing,
// its real purpose, or its sender. A name that ends in "-" is a prefix.
const neverArguments = " authorization cookie cookie2 set-cookie content- keep-alive trailer upgrade expect origin referer dpop signature signature- http2-settings" +
	" proxy- sec- access-control- x-forwarded- forwarded via x-real-ip true-client-ip cf-connecting-ip x-client-ip x-cluster-client-ip mcp- x-http-method x-http-method-override x-method-override x-original-url x-rewrite-url "

// sentFields are header fields that each request has, or that the connection sets if it needs them.
const sentFields = " accept accept-encoding user-agent host connection te transfer-encoding content-length content-type "

// sentAnyway reports whether the model need not give a header field, because the program writes it.
func sentAnyway(name string) bool { return isListed(sentFields, strings.ToLower(name)) }

func isListed(list, name string) bool {
	return !strings.Contains(name, " ") && strings.Contains(list, " "+name+" ")
}

// fieldCode returns the reason why a header field is never an argument, including that the
// name is not valid (RFC 9110 §5.1); the zero Code if it may be an argument.
func fieldCode(name string) Code {
	lower := strings.ToLower(name)
	family := lower
	if i := strings.IndexByte(lower, '-'); i >= 0 {
		family = lower[:i+1]
		for _, long := range []string{"x-forwarded-", "access-control-"} {
			if strings.HasPrefix(lower, long) {
				family = long
			}
		}
	}
	switch {
	case strings.HasPrefix(name, ":"), sentAnyway(name), isListed(neverArguments, lower), family != lower && isListed(neverArguments, family):
		return CodeReserved
	case !token(name):
		return CodeHeaderName
	}
	return Code{}
}

// token reports whether a text is a token (RFC 9110 §5.6.2).
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0 {
			continue
		}
		return false
	}
	return s != ""
}

// verbatim appends a text unchanged: nothing is percent-encoded in a header field.
func verbatim(dst []byte, s string) []byte { return append(dst, s...) }

// header writes a parameter as a header field.
func (p *placer) header(param *wayfind.Param, v jsonscan.Node) {
	var text string
	switch param.Style {
	case "", styleSimple, styleSpace, stylePipe, styleTab:
		if param.ContentType != "" {
			if text = p.content(param, v, inHeader); mediaOf(param.ContentType) == mediaJSON {
				text = asciiJSON(text)
			}
			break
		}
		value := valueOf(v, inHeader, param.Name)
		if !value.Defined() {
			absent(param, inHeader)
			return
		}
		style := uritemplate.Style{Sep: ",", Comma: delimiter(param.Style), Encode: verbatim}
		text = string(style.Append(nil, "", value, explodes(param.Style, param.Explode)))
	default:
		refuse(CodeStyle, inHeader, param.Name)
	}
	checkFieldValue(text, inHeader, param.Name)
	p.request.Header[textproto.CanonicalMIMEHeaderKey(param.Name)] = []string{strings.Trim(text, " \t")}
}

// checkFieldValue refuses characters other than visible ASCII, blank and tab.
func checkFieldValue(text, in, name string) {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			refuse(CodeNotASCII, in, name)
		case c < ' ' && c != '\t' || c == 0x7F:
			refuse(CodeControl, in, name)
		}
	}
}

// asciiJSON writes JSON on one line, with escapes for characters other than ASCII.
func asciiJSON(text string) string {
	const digits = "0123456789abcdef"
	var dst []byte
	escape := func(unit rune) {
		dst = append(dst, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
	}
	for _, c := range text {
		switch {
		case c == '\n' || c == '\r': // never inside of a text, which has escapes for them
			dst = append(dst, ' ')
		case c < utf8.RuneSelf:
			dst = append(dst, byte(c))
		case c > 0xFFFF:
			c -= 0x10000
			escape(0xD800 + c>>10)
			escape(0xDC00 + c&0x3FF)
		default:
			escape(c)
		}
	}
	return string(dst)
}

// cookie writes a parameter as one or several cookies.
func (p *placer) cookie(param *wayfind.Param, v jsonscan.Node) {
	if !token(param.Name) {
		refuse(CodeCookieName, inCookie, param.Name)
	}
	style := uritemplate.Style{Sep: "; ", Comma: ",", Named: true, IfEmpty: "=", Encode: uritemplate.AppendUnreserved}
	var value uritemplate.Value
	explode := explodes(param.Style, param.Explode)
	if param.ContentType != "" {
		value = uritemplate.Text(p.content(param, v, inCookie))
	} else if value = valueOf(v, inCookie, param.Name); !value.Defined() {
		absent(param, inCookie)
		return
	}
	switch param.Style {
	case styleCookie:
		style.Encode = func(dst []byte, s string) []byte {
			checkCookie(s, param.Name)
			return append(dst, s...)
		}
	case "", styleForm:
		if explode && delimited(v) && param.ContentType == "" {
			// "&" separates them (OpenAPI 3.1, appendix D).
			refuse(CodeCookieMany, inCookie, param.Name)
		}
	default:
		refuse(CodeStyle, inCookie, param.Name)
	}
	if explode && v.Kind() == jsonscan.Object {
		p.checkCookieNames(v)
	}
	p.cookies = append(p.cookies, string(style.Append(nil, param.Name, value, explode)))
}

// checkCookieNames checks the names of the members of an object, each of which is a cookie.
func (p *placer) checkCookieNames(v jsonscan.Node) {
	for key := range v.Members() {
		if !token(key) {
			refuse(CodeCookieName, inCookie, key)
		}
		if p.op.credential(inCookie, key) {
			refuse(CodeCredential, inCookie, key)
		}
	}
}

// checkCookie refuses characters that would end a cookie or split it into two (RFC 6265
// §4.1.1).
func checkCookie(s, name string) {
	if strings.ContainsAny(s, "\";\\") || strings.Trim(s, " ") != s {
		refuse(CodeCookieValue, inCookie, name)
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			refuse(CodeCookieValue, inCookie, name)
		}
	}
}
