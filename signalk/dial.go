package signalk

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// TLS says which certificates are trusted. The zero value trusts those that the
// system's authorities signed.
type TLS struct {
	// Roots are trusted besides the system's. If nil, none.
	Roots *x509.CertPool
	// Insecure trusts any certificate: who answers is not known.
	Insecure bool
}

// ReadRoots reads the certificates of a PEM file to be trusted besides the
// system's.
func ReadRoots(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the certificates: %s has none in PEM form", file)
	}
	return pool, nil
}

func (t TLS) config() *tls.Config {
	return &tls.Config{RootCAs: t.Roots, InsecureSkipVerify: t.Insecure, MinVersion: tls.VersionTLS12}
}

// parseAddress reads what an owner writes for a server. Secrets in it are
// dropped, and are in no error.
func parseAddress(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the server's address is not one: allowed are http://, https://, ws:// and wss://HOST:PORT, or HOST:PORT")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("the server's address has port %s: allowed are 1 to 65535", cut(port, maxName))
		}
	}
	scheme, ok := map[string]string{"http": "http", "ws": "http", "https": "https", "wss": "https"}[strings.ToLower(u.Scheme)]
	if !ok {
		return nil, fmt.Errorf("the server's address begins with %q: allowed are http, https, ws and wss", cut(u.Scheme, maxName)+"://")
	}
	path, _, _ := strings.Cut(u.Path, "/signalk") // the API's own address works too
	return &url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimSuffix(path, "/")}, nil
}

// locate gives the server's address: the owner's, else this machine's server,
// else the first that announces itself. What was found is named in what is told
// of the link, and in the log with how to choose another. Once it has said hello
// it is kept: while the own server restarts, a neighbour's may be the first.
func (c *Client) locate(ctx context.Context) (*url.URL, error) {
	if c.given != nil {
		return c.given, nil
	}
	if kept := c.kept.Load(); kept != nil {
		return kept, nil
	}
	if conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", c.local); err == nil {
		conn.Close()
		c.vessel.SetServer(c.local)
		return &url.URL{Scheme: "http", Host: c.local}, nil
	}
	found, err := c.mdns.browse(ctx)
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("none is at %s or announces itself here; give its address with -url", c.local)
	}
	base, err := parseAddress(found[0].URL)
	if err != nil {
		return nil, err
	}
	if base.Host != c.server() {
		c.vessel.SetServer(base.Host)
		for i, f := range found {
			choice := "could be taken with -url"
			if i == 0 {
				choice = "taken"
			}
			c.log.Info("found a Signal K server", "url", f.URL, "vessel", f.Vessel, "choice", choice)
		}
	}
	return base, nil
}

// newHTTP is the client for what is not the stream. It follows redirects on the
// server's own host only, and never from https to http: a token that was meant
// for TLS would go in clear.
func (c *Client) newHTTP() (*http.Client, error) {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: c.dial, TLSClientConfig: c.tls.config(), TLSHandshakeTimeout: dialTimeout,
			MaxIdleConns: 2, IdleConnTimeout: 5 * time.Second,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return redirectError("too many redirects")
			}
			if !strings.EqualFold(r.URL.Hostname(), via[0].URL.Hostname()) { // only the server the owner named is trusted
				return redirectError("it redirects to another host, " + cut(r.URL.Host, maxName))
			}
			if via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https" {
				return redirectError("it redirects from https to http, where anybody can read a token; give the http address if that is meant")
			}
			return nil
		},
	}, nil
}

// get makes a request that is over, its body read, within twice dialTimeout.
func (c *Client) get(ctx context.Context, at *url.URL, token string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		cancel()
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &body{resp.Body, cancel}
	return resp, nil
}

// body ends its request's time limit when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// post sends JSON and decodes the JSON that answers; decoded is false if that was
// none. The content type is exact: 2.23 answers its login with a redirect to any
// other.
func post(ctx context.Context, c *http.Client, at *url.URL, ask, answer any) (status int, decoded bool, err error) {
	text, err := json.Marshal(ask)
	if err != nil {
		return 0, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(text))
	if err != nil {
		return 0, false, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return 0, false, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(io.LimitReader(resp.Body, maxDiscovery)).Decode(answer)
	return resp.StatusCode, err == nil, nil
}

// dialBoat opens a connection. A static binary has no help from the system for
// names of the local network, so those are asked for by multicast; IPv4 goes
// first, since boards announce IPv6 addresses that lead nowhere.
func (c *Client) dialBoat(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: dialTimeout}
	host, port, err := net.SplitHostPort(address)
	if err != nil || !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), localDomain) {
		return d.DialContext(ctx, network, address)
	}
	addrs, err := c.mdns.addresses(ctx, host)
	if err != nil { // some networks have the name in their DNS
		conn, dnsErr := d.DialContext(ctx, network, address)
		if dnsErr != nil && isNotFound(dnsErr) {
			return nil, err
		}
		return conn, dnsErr
	}
	for _, a := range addrs {
		var conn net.Conn
		if conn, err = (&net.Dialer{Timeout: dialTimeout / 2}).DialContext(ctx, network, net.JoinHostPort(a.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func isNotFound(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// bounded is a connection of which so much may be read: gorilla/websocket v1.5.3
// reads an answer's headers without a bound.
type bounded struct {
	net.Conn
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the answer has no end")
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
