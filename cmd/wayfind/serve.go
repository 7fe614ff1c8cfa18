package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

func serveCommand(a *ui.App) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR] [-- COMMAND…]",
		Short: "serve recorded or hostile sites on this machine, for any client",
		Long: `serve replays what "wayfind resolve --save DIR" and "wayfind call --save DIR" recorded:
the sites answer each recorded URL and each recorded call as it was answered, with TLS,
on the loopback interface. Everything else of them is 404; a recorded server that speaks
JSON-RPC answers it with an error instead. Failures are replayed as well: certificates that are not valid, answers that
are cut off or never end. Lifetimes begin anew.

With --hostile it serves sites that break the rules instead, each in a way of its own,
so that the author of a client can practise; the list says what a good client does.

It prints a line that leads the programs of another shell to the sites by variables of
the environment: wayfind, curl, programs in Python, Go and Java, and Node from 22.21 and
24.5 on. The same port answers TLS and is the proxy that HTTPS_PROXY names. The proxy
refuses every other name with 502, and connects to nothing.

With a command after "--", serve runs the command with these variables, passes signals on
to it, and ends with its exit status. With --json it prints the address, the files and
the variables as one object, then serves.`,
		Example: "  wayfind resolve --save rec example.com\n  wayfind call --save rec example.com adp:search_mail query=invoices\n  wayfind serve rec\n  wayfind serve rec -- pytest -x\n  wayfind serve --hostile --listen 127.0.0.1:8443",
		RunE: func(cmd *cobra.Command, args []string) error {
			if i := cmd.ArgsLenAtDash(); i >= 0 {
				if args, f.command = args[:i], args[i:]; len(f.command) == 0 {
					return ui.Usagef("serve needs a command after --")
				}
			}
			switch {
			case f.asJSON && f.command != nil:
				return ui.Usagef("serve prints no JSON beside the output of a command: leave out --json or the command")
			case len(args) > 1:
				return ui.Usagef("serve takes one directory, and a command only after --")
			case f.hostile && len(args) == 0:
				return serveHostile(cmd.Context(), a, &f)
			case f.hostile:
				return ui.Usagef("serve takes either a directory or --hostile")
			case len(args) == 0:
				return ui.Usagef("serve needs the directory of a recording, or --hostile")
			}
			return serveRecorded(cmd.Context(), a, &f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.hostile, "hostile", false, "serve sites that break the rules")
	flags.BoolVar(&f.asJSON, "json", false, "print the address, the files and the variables as JSON")
	flags.StringVar(&f.listen, "listen", anyPort().String(), "listen at this `ADDR` of the loopback interface; port 0 is one that the system chooses")
	return cmd
}

// serveFlags are the flags of serve, and the command behind them.
type serveFlags struct {
	hostile, asJSON bool
	listen          string
	command         []string
}

// at returns the address to listen at.
func (f *serveFlags) at() (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(f.listen)
	if err != nil || !at.Addr().IsLoopback() {
		return at, ui.Usagef("--listen %q: write an address of this machine with a port, such as 127.0.0.1:8443", f.listen)
	}
	return at, nil
}

// serveRecorded serves the sites of a recording until the context ends.
func serveRecorded(ctx context.Context, a *ui.App, f *serveFlags, dir string) error {
	recording, err := readRecording(dir)
	if err != nil {
		return err
	}
	hosts, odd, err := recordedHosts(recording)
	if err != nil {
		return ui.Usagef("%s: %w", dir, err)
	}
	if len(hosts) == 0 {
		return ui.Usagef("%s: the recording is empty", dir)
	}
	return serveSites(ctx, a, f, hosts, replay{recording: recording}, odd, func() {
		a.Line("The recorded sites are up: %s.", text.Printable(strings.Join(hosts, ", ")))
	})
}

// serveSites serves sites until the context or the command ends. about says which sites they are.
func serveSites(ctx context.Context, a *ui.App, f *serveFlags, hosts []string, handler http.Handler, odd map[string]handshake, about func()) error {
	at, err := f.at()
	if err != nil {
		return err
	}
	d, err := startSites(at, hosts, handler, odd)
	if err != nil {
		return fmt.Errorf("cannot serve on the loopback interface: %w", err)
	}
	defer d.Close()
	l, err := d.lead("")
	if l != nil {
		defer l.remove()
	}
	switch {
	case err != nil:
		return err
	case f.command != nil:
		return runInside(a, l, f.command)
	case f.asJSON:
		a.PrintJSON(l, nil)
	default:
		about()
		tellWay(a, l)
	}
	return a.Wait(ctx)
}

// tellWay prints how clients reach the sites.
func tellWay(a *ui.App, l *lead) {
	a.Line("\nCopy this line into another shell:\n\n%s", l.lines())
	a.Line("and ask them there by name:\n\n  %s %s\n  curl https://%s/\n", ui.Program(), l.Sites[0], l.Sites[0])
	a.Line("Programs that read HTTPS_PROXY and the file of an authority from the environment find\nthem, too, and reach no other name in that shell. Any other client connects to\n%s for each name, and trusts one authority:\n", l.Address)
	a.Line("%s\n", l.curl(l.Sites[0], "/"))
	a.Line("Press Ctrl-C to stop.")
}

// recordedHosts returns the hosts of a recording, and the handshakes of hosts that had a failure.
func recordedHosts(recording *client.Recording) (hosts []string, odd map[string]handshake, err error) {
	odd = map[string]handshake{}
	answered := map[string]bool{}
	for _, x := range recording.Exchanges() {
		u, err := url.Parse(x.URL)
		if err != nil {
			return nil, nil, err
		}
		name := u.Hostname()
		if _, known := answered[u.Host]; !known {
			hosts = append(hosts, u.Host)
		}
		fault := x.Failure
		answered[u.Host] = answered[u.Host] || fault == nil || fault.Stage == "headers" || fault.Stage == "body"
		switch {
		case fault == nil:
		case answered[u.Host], fault.Code == wayfind.CodeNotBefore:
			odd[name] = handshakeHTTP1 // over HTTP/1.1 one failure does not disturb the other requests
		case odd[name] == "" || odd[name] == handshakeHTTP1 || odd[name] == handshakeClosed:
			odd[name] = failedHandshake(fault)
		}
	}
	for host, ok := range answered {
		if ok && odd[hostname(host)] != "" {
			odd[hostname(host)] = handshakeHTTP1
		}
	}
	return hosts, odd, nil
}

// failedHandshake returns the handshake of a host that failed before a request. The port is open
// for other hosts, so a refused connection is replayed as a closed one.
func failedHandshake(f *client.Failure) handshake {
	if f.Stage != "tls" || f.Code != wayfind.CodeTLS {
		return handshakeClosed
	}
	switch reason := handshake(f.Reason); reason {
	case handshakeExpired, handshakeFuture, handshakeWrongName, handshakeSelfSigned, handshakePlain:
		return reason
	}
	return handshakeStranger // also for all other faults of a certificate
}

// maxRequest bounds the body of a request.
const maxRequest = 4 << 20

// replay serves the answers of a recording.
type replay struct{ recording *client.Recording }

// ServeHTTP sends the recorded answer.
func (s replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	switch x := s.recording.Answer(r.Method, "https://"+strings.TrimSuffix(r.Host, ":443")+r.RequestURI, body); {
	case x == nil:
		http.NotFound(w, r)
	case x.Failure != nil:
		replayFailure(w, r, x.Failure)
	case x.Status < 200 || x.Status > 999:
		panic(http.ErrAbortHandler) // net/http cannot send such a status
	default:
		replayHeader(w.Header(), x.Header, time.Now())
		w.WriteHeader(x.Status)
		_, _ = w.Write(x.Body) // the client may have left, and some answers have no body
	}
}

// replayHeader copies the recorded header. It moves the dates in Expires and Retry-After so that
// they are as far from now as they were from the Date of the answer.
func replayHeader(to, recorded http.Header, now time.Time) {
	to["Content-Type"] = nil // if none was recorded, none is guessed
	date, err := http.ParseTime(recorded.Get("Date"))
	for name, values := range recorded {
		if name == "Date" || name == "Content-Length" {
			continue
		}
		for _, v := range values {
			if t, failed := http.ParseTime(v); err == nil && failed == nil && (name == "Expires" || name == "Retry-After") {
				v = now.Add(t.Sub(date)).UTC().Format(http.TimeFormat)
			}
			to[name] = append(to[name], v)
		}
	}
}

// replayFailure replays a recorded failure.
func replayFailure(w http.ResponseWriter, r *http.Request, f *client.Failure) {
	switch f.Code {
	case wayfind.CodeNotBefore:
		w.Header().Set("Retry-After", strconv.FormatInt(max(1, int64(f.Wait/time.Second)), 10))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case wayfind.CodeEncoding:
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("this is not gzip"))
		return
	case wayfind.CodeTooLarge:
		cutOff(w, 1<<40)
	case wayfind.CodeHeadersTooLarge:
		w.Header().Set("X-Padding", strings.Repeat("x", 128<<10))
		return
	case wayfind.CodeProtocol:
		speakNonsense(w)
		return
	}
	if f.Stage == "body" {
		cutOff(w, 100)
	}
	if f.Code == wayfind.CodeTimeout {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// cutOff sends a Content-Length, and only the first byte of the body.
func cutOff(w http.ResponseWriter, announced int64) {
	w.Header().Set("Content-Length", strconv.FormatInt(announced, 10))
	_, _ = w.Write([]byte("{")) // the client may leave after the header
	_ = http.NewResponseController(w).Flush()
}

// speakNonsense sends bytes that are not HTTP.
func speakNonsense(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, which a client may insist on, has no Hijack
	}
	_, _ = conn.Write([]byte("this is no answer\r\n\r\n")) // the client may have left
	_ = conn.Close()
}

// serveSchemas returns the schema of serve.
func serveSchemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/serve/1", By: "`serve`", About: "The served sites, and the files and variables that lead clients to them. It is printed when the sites are up.", Value: lead{}},
	}
}
