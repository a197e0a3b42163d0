package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"signalk-mcp/mock"
	"signalk-mcp/signalk"
	"signalk-mcp/tools"
)

// linkFlags are the flags of the commands that reach a server.
type linkFlags struct {
	url, tokenFile, loginFile, ca string
	insecure                      bool
	level                         levelFlag
}

func (l *linkFlags) register(f *flags) {
	f.StringVar(&l.url, "url", "", "the Signal K `server`; without it one is looked for")
	f.twin("url", "SIGNALK_URL")
	f.StringVar(&l.tokenFile, "token-file", "", "a `file` with the access token, mode 600")
	f.twin("token-file", "SIGNALK_TOKEN_FILE")
	f.StringVar(&l.loginFile, "login-file", "", "a `file` with USER:PASSWORD, mode 600")
	f.twin("login-file", "SIGNALK_LOGIN_FILE")
	f.StringVar(&l.ca, "ca", "", "a PEM `file` of certificates to trust beside the system's")
	f.twin("ca", "SIGNALK_CA")
	f.BoolVar(&l.insecure, "insecure", false, "trust any certificate: who answers is not known")
	f.twin("insecure", "SIGNALK_INSECURE")
	l.level.Level = slog.LevelInfo
	f.Var(&l.level, "log-level", "the `level` of the log: debug, info, warn or error")
	f.twin("log-level", "SIGNALK_LOG_LEVEL")
}

// options makes the client's options of the flags.
func (l *linkFlags) options(e env) (o signalk.Options, err error) {
	o.URL = l.url
	o.Logger = slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: l.level.Level}))
	o.Credentials = signalk.Credentials{
		Token: e.getenv("SIGNALK_TOKEN"), TokenFile: l.tokenFile,
		User: e.getenv("SIGNALK_USER"), Password: e.getenv("SIGNALK_PASSWORD"),
		LoginFile: l.loginFile, StateDir: stateDir(e.getenv),
	}
	o.TLS.Insecure = l.insecure
	if l.insecure {
		o.Logger.Warn("any certificate is trusted: who answers is not known")
	}
	if l.ca != "" {
		o.TLS.Roots, err = signalk.ReadRoots(l.ca)
	}
	return o, err
}

// boatFlags are the flags of the commands that look at a boat.
type boatFlags struct {
	linkFlags
	battery, prefer string
	mock            bool
	given           map[string]bool // which are on the command line
}

func (b *boatFlags) register(f *flags) {
	b.linkFlags.register(f)
	b.given = f.given
	f.BoolVar(&b.mock, "mock", false, "use a made-up boat inside this program, and no server")
	f.StringVar(&b.battery, "battery-current", "", "the `sign` of monitors wired the other way round")
	f.twin("battery-current", "SIGNALK_BATTERY_CURRENT")
	f.StringVar(&b.prefer, "prefer", "", "the `sources` that are taken first, with commas")
	f.twin("prefer", "SIGNALK_PREFER")
}

// boat is a vessel that is kept fed, and the tools over it.
type boat struct {
	vessel *signalk.Vessel
	set    *tools.Set
	client *signalk.Client
	log    *slog.Logger
	close  func() // ends the feeding, and waits for its end
}

// open starts a boat by the flags. The error is about what the owner wrote; a
// server that cannot be reached is none.
func (b *boatFlags) open(ctx context.Context, e env) (*boat, error) {
	reversed, err := parseReversed(b.battery)
	if err != nil {
		return nil, err
	}
	if b.mock && b.given["url"] { // one in the environment is for other times
		return nil, errors.New("-mock and -url exclude each other: the made-up boat has its own server")
	}
	o, err := b.options(e)
	if err != nil {
		return nil, err
	}
	v := signalk.NewVessel(signalk.VesselOptions{Prefer: commas(b.prefer), Now: ageClock()})
	stopMock := func() {}
	if b.mock {
		server, err := mock.Start(mock.Options{Logger: o.Logger})
		if err != nil {
			return nil, err
		}
		stopMock, o.URL, o.Credentials = server.Close, server.URL, signalk.Credentials{}
	}
	client, err := signalk.NewClient(v, o)
	if err != nil {
		stopMock()
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var feeding sync.WaitGroup
	feeding.Go(func() { client.Run(ctx) })
	return &boat{
		vessel: v, set: tools.New(v, tools.Options{Reversed: reversed, HostZone: hostZone(), Host: time.Now}), client: client, log: o.Logger,
		close: func() {
			cancel()
			feeding.Wait()
			stopMock()
		},
	}, nil
}

// hostZone is the zone of this computer by its IANA name, where the name can be
// had.
func hostZone() *time.Location {
	if time.Local.String() != "Local" {
		return time.Local
	}
	target, err := os.Readlink("/etc/localtime")
	if err != nil {
		return time.Local
	}
	_, name, _ := strings.Cut(target, "zoneinfo/")
	if l, err := time.LoadLocation(name); err == nil && name != "" {
		return l
	}
	return time.Local
}

func commas(s string) []string {
	var list []string
	for _, p := range strings.Split(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// parseReversed reads which banks count a discharge as positive.
func parseReversed(s string) (func(bank string) bool, error) {
	const reversed, normal = "discharging-positive", "charging-positive"
	all, of := false, map[string]bool{}
	for _, p := range commas(s) {
		bank, sign, named := strings.Cut(strings.Replace(p, ":", "=", 1), "=")
		if !named {
			bank, sign = "", p
		}
		if sign != reversed && sign != normal {
			return nil, fmt.Errorf("-battery-current: %q is not %s, %s, or BANK= one of them", p, reversed, normal)
		}
		if named {
			of[strings.ToLower(bank)] = sign == reversed
		} else {
			all = sign == reversed
		}
	}
	return func(bank string) bool {
		if r, ok := of[strings.ToLower(bank)]; ok {
			return r
		}
		return all
	}, nil
}
