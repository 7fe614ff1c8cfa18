package text

import (
	"strings"
	"unicode/utf8"
)

// selector is U+FE0F, which requests that a character is shown as an emoji.
const selector = '\uFE0F'

// keycap is the character that follows a digit and a selector.
const keycap = '\u20E3'

// emojiRanges contains the characters that a selector may follow (UTS 51, emoji presentation
// sequences; emoji-variation-sequences.txt of Unicode). Each range is given by its first and
// last character. See takesSelector for digits.
const emojiRanges = "\u00A9\u00A9\u00AE\u00AE\u203C\u203C\u2049\u2049\u2122\u2122\u2139\u2139\u2194\u2199\u21A9\u21AA\u231A\u231B\u2328\u2328\u23CF\u23CF" +
	"\u23E9\u23F3\u23F8\u23FA\u24C2\u24C2\u25AA\u25AB\u25B6\u25B6\u25C0\u25C0\u25FB\u25FE\u2600\u2604\u260E\u260E\u2611\u2611\u2614\u2615\u2618\u2618" +
	"\u261D\u261D\u2620\u2620\u2622\u2623\u2626\u2626\u262A\u262A\u262E\u262F\u2638\u263A\u2640\u2640\u2642\u2642\u2648\u2653\u265F\u2660\u2663\u2663" +
	"\u2665\u2666\u2668\u2668\u267B\u267B\u267E\u267F\u2692\u2697\u2699\u2699\u269B\u269C\u26A0\u26A1\u26A7\u26A7\u26AA\u26AB\u26B0\u26B1\u26BD\u26BE" +
	"\u26C4\u26C5\u26C8\u26C8\u26CE\u26CF\u26D1\u26D1\u26D3\u26D4\u26E9\u26EA\u26F0\u26F5\u26F7\u26FA\u26FD\u26FD\u2702\u2702\u2705\u2705\u2708\u270D" +
	"\u270F\u270F\u2712\u2712\u2714\u2714\u2716\u2716\u271D\u271D\u2721\u2721\u2728\u2728\u2733\u2734\u2744\u2744\u2747\u2747\u274C\u274C\u274E\u274E" +
	"\u2753\u2755\u2757\u2757\u2763\u2764\u2795\u2797\u27A1\u27A1\u27B0\u27B0\u27BF\u27BF\u2934\u2935\u2B05\u2B07\u2B1B\u2B1C\u2B50\u2B50\u2B55\u2B55" +
	"\u3030\u3030\u303D\u303D\u3297\u3297\u3299\u3299\U0001F004\U0001F004\U0001F0CF\U0001F0CF\U0001F170\U0001F171\U0001F17E\U0001F17F\U0001F18E\U0001F18E" +
	"\U0001F191\U0001F19A\U0001F201\U0001F202\U0001F21A\U0001F21A\U0001F22F\U0001F22F\U0001F232\U0001F23A\U0001F250\U0001F251\U0001F300\U0001F321" +
	"\U0001F324\U0001F393\U0001F396\U0001F397\U0001F399\U0001F39B\U0001F39E\U0001F3F0\U0001F3F3\U0001F3F5\U0001F3F7\U0001F3FA\U0001F400\U0001F4FD" +
	"\U0001F4FF\U0001F53D\U0001F549\U0001F54E\U0001F550\U0001F567\U0001F56F\U0001F570\U0001F573\U0001F57A\U0001F587\U0001F587\U0001F58A\U0001F58D" +
	"\U0001F590\U0001F590\U0001F595\U0001F596\U0001F5A4\U0001F5A5\U0001F5A8\U0001F5A8\U0001F5B1\U0001F5B2\U0001F5BC\U0001F5BC\U0001F5C2\U0001F5C4" +
	"\U0001F5D1\U0001F5D3\U0001F5DC\U0001F5DE\U0001F5E1\U0001F5E1\U0001F5E3\U0001F5E3\U0001F5E8\U0001F5E8\U0001F5EF\U0001F5EF\U0001F5F3\U0001F5F3" +
	"\U0001F5FA\U0001F64F\U0001F680\U0001F6C5\U0001F6CB\U0001F6D2\U0001F6D5\U0001F6D7\U0001F6DC\U0001F6E5\U0001F6E9\U0001F6E9\U0001F6EB\U0001F6EC" +
	"\U0001F6F0\U0001F6F0\U0001F6F3\U0001F6FC\U0001F7E0\U0001F7EB\U0001F7F0\U0001F7F0\U0001F90C\U0001F93A\U0001F93C\U0001F945\U0001F947\U0001F9FF" +
	"\U0001FA70\U0001FAFF"

// takesSelector reports whether a selector between two characters is a part of an emoji. After
// a digit this is so if a keycap follows.
func takesSelector(base, next rune) bool {
	switch {
	case '0' <= base && base <= '9', base == '#', base == '*':
		return next == keycap
	case base < 0xA9:
		return false
	}
	for rest := emojiRanges; rest != ""; {
		first, n := utf8.DecodeRuneInString(rest)
		last, m := utf8.DecodeRuneInString(rest[n:])
		if base <= last {
			return base >= first
		}
		rest = rest[n+m:]
	}
	return false
}

// presented reports whether the text after a base begins with a selector that belongs to it.
func presented(base rune, rest string) bool {
	after, ok := strings.CutPrefix(rest, string(selector))
	if !ok {
		return false
	}
	next, _ := utf8.DecodeRuneInString(after)
	return takesSelector(base, next)
}
