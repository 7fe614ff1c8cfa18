package requests

import (
	"testing"
)

// Each request of wayfind equals the request of independent builders, or a rule contains the
// reason.
func TestRequestsAreThoseOfIndependentBuilders(t *testing.T) {
	npmFolder(t)
	var list []*example
	refused, unbuilt, same, without := 0, 0, 0, 0
	l := newLedger(t)
	for _, file := range files(t) {
		some, n := read(t, file).examples(t)
		without += n
		for _, e := range some {
			if e.request == nil {
				refused++
				l.add(e, "wayfind", "refused", &built{Error: e.refused})
				continue
			}
			list = append(list, e)
		}
	}
	for i, answer := range build(t, list) {
		e, judges, differs := list[i], 0, false
		for name, b := range answer {
			if b.Error != "" {
				continue
			}
			judges++
			for _, part := range e.differences(b) {
				differs = true
				l.add(e, name, part, b)
			}
		}
		if judges == 0 {
			unbuilt++
			t.Logf("no builder: %s: %s", e, answer["swagger-client"].Error)
		} else if !differs {
			same++
		}
	}
	l.check(t)
	judged, wrong := len(list)-unbuilt+refused, len(l.wrong)
	t.Logf("%d requests judged, %d the same for all builders, %d wrong; %d refused, no builder for %d, no arguments for %d", judged, same, wrong, refused, unbuilt, without)
	if judged < 3000 || wrong*1000 > judged {
		t.Errorf("%d of %d requests are wrong", wrong, judged)
	}
}
