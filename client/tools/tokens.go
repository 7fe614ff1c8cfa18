package tools

import "math"

// EstimateTokens estimates the number of tokens of a text from the classes of its characters.
// For definitions of tools it is within 8 % of o200k on average. Vendors whose tokens are not
// public may need a fifth more.
func EstimateTokens(s string) int {
	total, run := 0.0, 0
	end := func() {
		if run > 0 {
			total += 1 + float64(max(run-9, 0))/5
		}
		run = 0
	}
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			run++
			continue
		}
		end()
		switch {
		case r >= '0' && r <= '9':
			total += .4
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			total += .02
		case r < 0x80:
			total += .42
		case r < 0x2E80:
			total += .45
		default:
			total += .75
		}
	}
	end()
	return int(math.Ceil(total))
}
