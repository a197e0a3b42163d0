package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"signalk-mcp/signalk"
)

// stateDir is where tokens are kept: $XDG_STATE_HOME/signalk-mcp. It is empty if
// there is no home.
func stateDir(getenv func(string) string) string {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "signalk-mcp")
}

func loginCommand(f *flags) runner {
	var l linkFlags
	l.register(f)
	timeout := f.Duration("timeout", 10*time.Minute, "how long to wait for the approval")
	host, _ := os.Hostname()
	name := f.String("name", "signalk-mcp on "+host, "the `name` that the administrator reads")
	return func(ctx context.Context, e env, _ []string) (int, error) { return login(ctx, e, &l, *name, *timeout) }
}

// login gets a token by a device access request.
func login(ctx context.Context, e env, l *linkFlags, name string, timeout time.Duration) (int, error) {
	dir := stateDir(e.getenv)
	if dir == "" {
		return exitUsage, errors.New("there is no place for the token: set XDG_STATE_HOME or HOME")
	}
	o, err := l.options(e)
	if err != nil {
		return exitUsage, err
	}
	o.Credentials = signalk.Credentials{} // a token that is refused must not stand in the way of a new one
	c, err := signalk.NewClient(signalk.NewVessel(signalk.VesselOptions{}), o)
	if err != nil {
		return exitUsage, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	file, err := signalk.AccessRequest{
		Client: c, StateDir: dir, Description: name,
		Asked: func(server, page string) {
			fmt.Fprintf(e.stderr, "The server at %s was asked for access as %q.\nApprove it, with permission to read, at %s\nWaiting for %v …\n", server, name, page, timeout)
		},
	}.Run(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return exitFailed, fmt.Errorf("nobody approved it in %v; the request stands: approve it, and run login again", timeout)
	case errors.Is(err, context.Canceled):
		return exitFailed, errors.New("stopped; the request stands: approve it, and run login again")
	case err != nil:
		return exitFailed, err
	}
	fmt.Fprintf(e.stdout, "The token is in %s and is used from now on.\n", file)
	return exitOK, nil
}

func discoverCommand(*flags) runner { return discover }

// discover lists the servers on the network.
func discover(ctx context.Context, e env, _ []string) (int, error) {
	found, err := signalk.Discover(ctx)
	if err != nil {
		return exitFailed, err
	}
	if len(found) == 0 {
		fmt.Fprintln(e.stderr, "No Signal K server announces itself on this network. One that does not is given by its address: -url http://HOST:3000")
		return exitNotNow, nil
	}
	for _, s := range found {
		fmt.Fprintf(e.stdout, "%s\t%q\tsignalk-server %q\n", s.URL, s.Vessel, s.Version)
	}
	return exitOK, nil
}
