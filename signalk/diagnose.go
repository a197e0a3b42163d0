package signalk

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"
)

// Check is one step on the way to the server.
type Check struct {
	Name   string `json:"name"` // "address", "name", "tcp", "tls", "server", "access"
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what is wrong; may hold hostile text
}

// Diagnose goes the way to the server step by step, as Run does, and tells what
// each step found. It ends at the first that fails.
func (c *Client) Diagnose(ctx context.Context) []Check {
	var checks []Check
	add := func(name string, err error, detail string) bool {
		if err != nil {
			detail = explain(err)
		}
		checks = append(checks, Check{name, err == nil, detail})
		return err == nil
	}
	base, err := c.locate(ctx)
	how := "as it was given"
	if c.given == nil && err == nil {
		how = "found, as none was given"
	}
	if !add("address", err, "") {
		return checks
	}
	checks[0].Detail = base.String() + ", " + how

	host, port := base.Hostname(), base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[base.Scheme]
	}
	addrs, err := c.lookUp(ctx, host)
	if !add("name", err, fmt.Sprintf("%s is %s", host, joinAddrs(addrs))) {
		return checks
	}
	begin := time.Now()
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(host, port))
	if !add("tcp", err, fmt.Sprintf("connected to port %s in %v", port, time.Since(begin).Round(time.Millisecond))) {
		return checks
	}
	if base.Scheme == "https" {
		detail, err := c.handshake(ctx, conn, host)
		if !add("tls", err, detail) {
			conn.Close()
			return checks
		}
	}
	conn.Close()
	at, err := c.discover(ctx, base)
	if !add("server", err, fmt.Sprintf("Signal K server %s, stream at %s", at.version, at.stream.Redacted())) {
		return checks
	}
	detail, err := c.access(ctx, at)
	add("access", err, detail)
	return checks
}

// lookUp finds a host's addresses as dialBoat does.
func (c *Client) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if strings.HasSuffix(strings.ToLower(host), localDomain) {
		if addrs, err := c.mdns.addresses(ctx, host); err == nil {
			return addrs, nil
		}
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func joinAddrs(addrs []netip.Addr) string {
	var s []string
	for _, a := range addrs {
		s = append(s, a.Unmap().String())
	}
	return strings.Join(s, ", ")
}

// handshake tells who certified the server, and until when.
func (c *Client) handshake(ctx context.Context, conn net.Conn, host string) (string, error) {
	config := c.tls.config()
	config.ServerName = host
	t := tls.Client(conn, config)
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := t.HandshakeContext(ctx); err != nil {
		return "", err
	}
	state := t.ConnectionState()
	cert := state.PeerCertificates[0]
	detail := fmt.Sprintf("%s, certified by %s until %s", tls.VersionName(state.Version), cert.Issuer, cert.NotAfter.Format(time.DateOnly))
	if c.tls.Insecure {
		detail += "; ANY certificate is trusted (-insecure): who answers is not known"
	}
	return detail, nil
}

// access asks the server what our token is worth. /skServer/loginStatus answers
// everybody (signalk-server 2.23, 2.32).
func (c *Client) access(ctx context.Context, at endpoints) (string, error) {
	token, err := c.keys.get(ctx, c.http, at.base)
	if err != nil {
		return "", err
	}
	shown := "without a token"
	if token != "" {
		shown = "with a token"
	}
	if err := c.mayRead(ctx, at.base, token); err != nil {
		return "", err
	}
	resp, err := c.get(ctx, at.base.JoinPath("/skServer/loginStatus"), token)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var status struct {
		AuthenticationRequired *bool
		ReadOnlyAccess         bool
		Status, Username       string
		UserLevel              string
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxDiscovery)).Decode(&status); err != nil {
		return "reading is allowed " + shown, nil
	}
	switch {
	case status.AuthenticationRequired == nil: // another server than the reference
	case !*status.AuthenticationRequired:
		return "the server's security is off: anybody may read", nil
	case status.Status == "loggedIn":
		return fmt.Sprintf("reading is allowed %s, of %q, level %q", shown, cut(status.Username, maxName), cut(status.UserLevel, maxName)), nil
	case token == "" && !status.ReadOnlyAccess:
		return "", errors.New("it lets nobody read without a token")
	}
	return "reading is allowed " + shown, nil
}

// Clock tells how far the server's clock was ahead of this computer's at the last
// hello; known is false if the server did not tell the time.
func (w View) Clock() (ahead time.Duration, known bool) {
	if w.v.server.IsZero() {
		return 0, false
	}
	return w.v.server.Sub(w.v.helloAt), true
}

// ServerNow is what the server's clock shows, by its last hello; what this
// computer's shows if it gave none.
func (w View) ServerNow() time.Time { return w.v.serverNow(w.Now) }

// Quiet tells how long ago the last value of the own vessel came; known is false
// before the first on this connection.
func (w View) Quiet() (d time.Duration, known bool) {
	return w.Now.Sub(w.v.dataAt), !w.v.dataAt.IsZero()
}
