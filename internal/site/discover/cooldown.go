package discover

import (
	"cmp"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// allowed reports whether the answer of an address may be used under the present policy
// (cache.Options.Allow), because a wider policy may have allowed the contact. Only an answer
// through a tunnel has no address.
func (o *Options) allowed(remote netip.AddrPort) bool {
	if !remote.IsValid() {
		return o.Tunnelled
	}
	return o.Policy.CheckAddrPort(remote) == nil
}

// cooldown returns the pause after an answer or a failure (gate.Options.Judge). There is none for a
// server that is part of this process.
func (o *Options) cooldown(resp *http.Response, err error) gate.Cooldown {
	if len(o.Network.Local) > 0 && o.Network.Local[askedHost(resp, err)] != nil {
		return gate.Cooldown{}
	}
	if err != nil {
		return cooldownAfter(err)
	}
	v, _ := verdict.OfStatus(resp.StatusCode, resp.Header, false)
	switch v {
	case wayfind.VerdictThrottled:
		if wait, ok := fetch.RetryAfter(resp.Header, o.Clock.Now()); ok {
			return gate.Cooldown{Reason: reasonThrottled, Until: o.Clock.Now().Add(wait)}
		}
		return gate.Cooldown{Reason: reasonThrottled, First: verdict.ThrottleFirst, Max: verdict.ThrottleMax}
	case wayfind.VerdictUnreachable:
		return gate.Cooldown{Reason: reasonUnreachable + string(wayfind.CodeServerError), URL: true, First: verdict.FailureFirst, Max: verdict.FailureMax}
	}
	return gate.Cooldown{}
}

// askedHost returns the host of a request from its answer or its error.
func askedHost(resp *http.Response, err error) string {
	if resp != nil && resp.Request != nil {
		return resp.Request.URL.Hostname()
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return urlref.Host(e.URL)
	}
	return ""
}

// Reasons of cool-downs, as in cache.HeldError. The code of the failure, if there is one, follows
// reasonUnreachable.
const (
	reasonThrottled   = "throttled"
	reasonUnreachable = "unreachable:"
	reasonNXDomain    = "nxdomain"
	ReasonAbsent      = "absent"
)

// cooldownAfter returns the pause after a failure. A failure of the name or the connection applies
// to the whole origin, and other failures to one URL. A refusal by this module, and the end of a
// call whose caller left, are not remembered.
func cooldownAfter(err error) gate.Cooldown {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(e.Kind, wayfind.ErrUnreachable) {
		return gate.Cooldown{}
	}
	if e.Code == wayfind.CodeDNSNotFound {
		return gate.Cooldown{Reason: reasonNXDomain, First: verdict.KeepNXDomain, Max: verdict.KeepNXDomain}
	}
	origin := e.Op == "dns" || e.Op == "dial" || e.Op == "proxy" || e.Op == "tls"
	return gate.Cooldown{Reason: reasonUnreachable + string(e.Code), URL: !origin, First: verdict.FailureFirst, Max: verdict.FailureMax}
}

// absentUntil returns the end of a remembered absence. It reports whether the gate refused because
// of it.
func absentUntil(err error) (time.Time, bool) {
	held, ok := errors.AsType[*cache.HeldError](err)
	if !ok || held.Reason != ReasonAbsent {
		return time.Time{}, false
	}
	return held.Until, true
}

// asHeld converts the "not now" of the gate to an error of the module.
func asHeld(u string, err error) error {
	var held *cache.HeldError
	if !errors.As(err, &held) {
		return err
	}
	code, why := wayfind.CodeNotBefore, error(nil)
	switch held.Reason {
	case gate.ReasonHeld:
		why = errors.New("an earlier run failed there, or was told to wait")
	case reasonThrottled:
		why = errors.New("the site asked for a pause")
	case reasonPace:
		why = errPace
	}
	if earlier, failed := FailedBefore(held); failed {
		code, why = earlier, errors.New("it failed a moment ago and is not asked again yet")
		if held.Reason == reasonNXDomain {
			why = errors.New("the name did not exist a moment ago")
		}
	}
	e := wayfind.NewError("resolve", u, code, why)
	e.NotBefore = held.Until
	return e
}

// FailedBefore returns the code of the failure after which no request is sent for a while. It
// returns false for another obligation.
func FailedBefore(held *cache.HeldError) (wayfind.Code, bool) {
	if held.Reason == reasonNXDomain {
		return wayfind.CodeDNSNotFound, true
	}
	code, ok := strings.CutPrefix(held.Reason, reasonUnreachable)
	return cmp.Or(wayfind.Code(code), wayfind.CodeNetwork), ok
}
