package sitecheck

// Status is the result of a rule. "No" is not "don't know": a place that could not be
// asked is neither absent nor a fault.
type Status string

// The statuses.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"              // something is there, and breaks the rule
	Absent       Status = "not_there"         // the site was asked and has nothing
	Inapplicable Status = "not_for_this_site" // nothing says that the site needs it
	Unanswered   Status = "no_answer"         // the site could not be asked
	Unasked      Status = "not_asked"         // this run did not ask
)

// statuses is the table of all statuses, in the order in which they are listed.
var statuses = [...]struct {
	status Status
	text   string
	// judged: something is there and was judged. known: the site gave the answer. lost: after a
	// pass, it is a step back.
	judged, known, lost bool
}{
	{Fail, "fail", true, true, true},
	{Pass, "pass", true, true, false},
	{Absent, "not there", false, true, true},
	{Inapplicable, "not for this site", false, true, true},
	{Unanswered, "no answer", false, false, false},
	{Unasked, "not asked", false, false, false},
}

// Statuses returns all statuses, the gravest first.
func Statuses() []Status {
	list := make([]Status, len(statuses))
	for i := range statuses {
		list[i] = statuses[i].status
	}
	return list
}

// Text is the status in words for people.
func (s Status) Text() string {
	for i := range statuses {
		if statuses[i].status == s {
			return statuses[i].text
		}
	}
	return "unknown"
}

// Judged reports whether something is there, and was judged.
func (s Status) Judged() bool {
	for i := range statuses {
		if statuses[i].status == s {
			return statuses[i].judged
		}
	}
	return false
}

// Known reports whether the site gave the answer.
func (s Status) Known() bool {
	for i := range statuses {
		if statuses[i].status == s {
			return statuses[i].known
		}
	}
	return false
}

// Lost reports whether the status is a step back from a pass.
func (s Status) Lost() bool {
	for i := range statuses {
		if statuses[i].status == s {
			return statuses[i].lost
		}
	}
	return false
}
