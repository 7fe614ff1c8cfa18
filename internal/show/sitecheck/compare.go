package sitecheck

import "slices"

// Comparison is the difference from an earlier report.
type Comparison struct {
	// Origin, Host and Level of the earlier report.
	Origin string `json:"origin"`
	Host   string `json:"host,omitempty"`
	Level  int    `json:"level"`
	// Lost are the checks that passed, and now fail or have nothing to look at.
	Lost []Change `json:"lost,omitempty"`
	// Gained are the checks that pass now.
	Gained []Change `json:"gained,omitempty"`
	// NotCompared are the checks that passed, and about which this run knows nothing.
	NotCompared []Change `json:"notCompared,omitempty"`
}

// Change is a check with two statuses.
type Change struct {
	// ID of the check.
	ID string `json:"id"`
	// Before is the earlier status, and Now the present one. Now is empty if this version
	// has no such check.
	Before Status `json:"before"`
	Now    Status `json:"now,omitempty"`
}

// Compare sets Baseline to the difference from an earlier report.
func (r *Report) Compare(earlier *Report) {
	out := &Comparison{Origin: earlier.Origin, Host: earlier.Host, Level: earlier.Level}
	for i := range earlier.Checks {
		before := &earlier.Checks[i]
		c := Change{ID: before.ID, Before: before.Status}
		if now := r.Result(before.ID); now != nil {
			c.Now = now.Status
		}
		switch passed, passes := c.Before == Pass, c.Now == Pass; {
		case passed == passes:
		case passes:
			out.Gained = append(out.Gained, c)
		case c.Now.Lost():
			out.Lost = append(out.Lost, c)
		default:
			out.NotCompared = append(out.NotCompared, c)
		}
	}
	for i := range r.Checks {
		now := &r.Checks[i]
		if now.Status == Pass && !slices.ContainsFunc(earlier.Checks, func(c Result) bool { return c.ID == now.ID }) {
			out.Gained = append(out.Gained, Change{ID: now.ID, Now: Pass})
		}
	}
	r.Baseline = out
}
