package signalk

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// Options configures a Client. The zero value talks to a server on this machine.
type Options struct {
	// URL is the server's address: http, https, ws or wss, or host:port. If
	// empty, http://localhost:3000.
	URL string
	// Token is sent as a bearer token, to this server only. If empty, none.
	Token string
	// Logger receives what happens to the link. If nil, nothing is logged.
	Logger *slog.Logger
	// Dial opens connections. If nil, a net.Dialer's DialContext.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client keeps a Vessel fed from a server.
type Client struct {
	vessel *Vessel
	base   *url.URL // scheme http or https, without user, path of the API stripped
	token  string
	log    *slog.Logger
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	http   *http.Client
}

const (
	defaultURL     = "http://localhost:3000"
	readLimit      = 16 << 20         // bytes of a frame; a server has no limit of its own
	dialTimeout    = 5 * time.Second  // also of the upgrade, which a wrong path never answers
	helloTimeout   = 10 * time.Second // from the upgrade to the hello
	pingInterval   = 10 * time.Second
	silence        = 25 * time.Second // without a frame or a pong the socket is dead
	firstRetry     = 500 * time.Millisecond
	lastRetry      = 30 * time.Second
	maxDiscovery   = 64 << 10 // bytes
	maxResource    = 4 << 20  // bytes
	fetchTries     = 3
	maxRedirects   = 5
	discoveryPath  = "/signalk"
	streamPath     = "/signalk/v1/stream"
	apiPath        = "/signalk/v2/api"
	streamQuery    = "subscribe=none&sendMeta=all"
	writeTimeout   = 5 * time.Second
	fetchFirstWait = time.Second
)

// subscriptions are sent after every hello. The contexts are named, since a
// message without one means every vessel. The policy is instant and has no
// minPeriod: that drops the last value of a burst, and starves the second
// source of a path (signalk-server 2.23, 2.32).
var subscriptions = []string{
	`{"context":"vessels.self","subscribe":[{"path":"*","policy":"instant"}]}`,
	`{"context":"vessels.*","subscribe":[` +
		`{"path":"navigation.position","policy":"instant"},` +
		`{"path":"navigation.speedOverGround","policy":"instant"},` +
		`{"path":"navigation.courseOverGroundTrue","policy":"instant"},` +
		`{"path":"navigation.headingTrue","policy":"instant"},` +
		`{"path":"navigation.state","policy":"instant"}]}`,
}

// NewClient returns a Client that will feed v. An error is about the address or
// the token, and says what is allowed.
func NewClient(v *Vessel, o Options) (*Client, error) {
	base, err := parseAddress(o.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0x7e }) {
		return nil, errors.New("the token has blanks, line ends or other characters that no token has")
	}
	c := &Client{vessel: v, base: base, token: o.Token, log: o.Logger, dial: o.Dial}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.dial == nil {
		c.dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	c.http = &http.Client{
		Transport: &http.Transport{DialContext: c.dial, TLSHandshakeTimeout: dialTimeout, MaxIdleConns: 2, IdleConnTimeout: 5 * time.Second},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errors.New("too many redirects")
			}
			if r.URL.Hostname() != c.base.Hostname() { // only the server the owner named is trusted
				return fmt.Errorf("it redirects to another host, %s", r.URL.Host)
			}
			return nil
		},
	}
	v.SetServer(base.Host)
	return c, nil
}

// parseAddress reads what an owner writes for a server. Secrets in it are
// dropped, and are in no error.
func parseAddress(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = defaultURL
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the server's address is not one: allowed are http://, https://, ws:// and wss://HOST:PORT, or HOST:PORT")
	}
	scheme, ok := map[string]string{"http": "http", "ws": "http", "https": "https", "wss": "https"}[strings.ToLower(u.Scheme)]
	if !ok {
		return nil, fmt.Errorf("the server's address begins with %q: allowed are http, https, ws and wss", cut(u.Scheme, maxName)+"://")
	}
	path, _, _ := strings.Cut(u.Path, "/signalk") // the API's own address works too
	return &url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimSuffix(path, "/")}, nil
}

// Run keeps the connection up until ctx ends. It tries for ever: waits are
// jittered, grow from half a second to 30 s, and begin anew only after data has
// flowed. When it returns, all that it started is gone.
func (c *Client) Run(ctx context.Context) {
	defer c.http.CloseIdleConnections()
	for attempt := 0; ; attempt++ {
		flowed, err := c.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if flowed {
			attempt = 0
		}
		var refused *refusedError
		reason := explain(err)
		wait := backoff(attempt)
		if errors.As(err, &refused) {
			wait = max(wait, 5*time.Second) // asking again soon changes no token
		}
		c.vessel.Lost(refused != nil, reason)
		c.log.Warn("no connection to the Signal K server", "server", c.base.Host, "reason", reason, "retry_in", wait.Round(time.Millisecond))
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// backoff is the wait after so many failures in a row: half of it is chance, so
// that a fleet of clients does not come back in step.
func backoff(attempt int) time.Duration {
	d := min(lastRetry, firstRetry<<min(attempt, 10))
	return d/2 + rand.N(d/2)
}

// refusedError is the server's refusal of our token, or of not having one.
type refusedError struct{ status int }

func (e *refusedError) Error() string {
	return fmt.Sprintf("the server refused access with status %d", e.status)
}

// session is one connection, from discovery to its end. flowed reports whether
// values came on it.
func (c *Client) session(ctx context.Context) (flowed bool, err error) {
	at, err := c.discover(ctx)
	if err != nil {
		return false, err
	}
	header := http.Header{}
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	}
	dialer := websocket.Dialer{NetDialContext: c.dial, HandshakeTimeout: dialTimeout}
	ws, resp, err := dialer.DialContext(ctx, at.stream.String(), header)
	if err != nil {
		if resp != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
			return false, &refusedError{resp.StatusCode}
		}
		if resp != nil && errors.Is(err, websocket.ErrBadHandshake) {
			return false, fmt.Errorf("the stream was answered with status %d", resp.StatusCode)
		}
		return false, err
	}
	defer ws.Close()
	ctx, cancel := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { ws.Close() })()

	ws.SetReadLimit(readLimit)
	heard := func() { ws.SetReadDeadline(time.Now().Add(silence)) }
	ws.SetPongHandler(func(string) error { heard(); return nil })
	ping := ws.PingHandler()
	ws.SetPingHandler(func(s string) error { heard(); return ping(s) })

	if err := c.greet(ws); err != nil {
		return false, err
	}
	c.log.Info("connected to the Signal K server", "server", at.stream.Host)
	helpers.Go(func() { keepAlive(ctx, ws) })
	routes := make(chan string, 1)
	helpers.Go(func() { c.fetchRoutes(ctx, at.api, routes) })

	var buf []byte
	for heard(); ; heard() {
		if buf, err = readFrame(ws, buf); err != nil {
			return flowed, err
		}
		if err := c.vessel.Feed(buf); err != nil {
			c.log.Debug("frame skipped", "bytes", len(buf))
			if refusal := securityEnd(buf); refusal != nil {
				return flowed, refusal
			}
			continue
		}
		flowed = true
		if href := c.vessel.wantedRoute(); href != "" {
			select {
			case routes <- href:
			default: // one is under way; it is asked for again with the next delta
			}
		}
	}
}

// securityEnd recognises the text with which a server ends a connection that
// may not read, or whose token expired: "Connection disconnected by security
// constraint" (signalk-server 2.23, 2.32; up to 60 s late).
func securityEnd(frame []byte) error {
	if len(frame) < 256 && strings.Contains(string(frame), "security constraint") {
		return &refusedError{http.StatusUnauthorized}
	}
	return nil
}

// greet waits for the hello and subscribes.
func (c *Client) greet(ws *websocket.Conn) error {
	ws.SetReadDeadline(time.Now().Add(helloTimeout))
	for {
		_, hello, err := ws.ReadMessage()
		if err != nil {
			return fmt.Errorf("waiting for the server's hello: %w", err)
		}
		if c.vessel.Feed(hello) == nil {
			break
		}
	}
	for _, s := range subscriptions {
		ws.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err := ws.WriteMessage(websocket.TextMessage, []byte(s)); err != nil {
			return fmt.Errorf("subscribing: %w", err)
		}
	}
	return nil
}

// readFrame reads one frame into a buffer that is used again.
func readFrame(ws *websocket.Conn, buf []byte) ([]byte, error) {
	_, r, err := ws.NextReader()
	if err != nil {
		return buf, err
	}
	buf = buf[:0]
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// keepAlive pings, so that a dead peer is found by the read deadline.
func keepAlive(ctx context.Context, ws *websocket.Conn) {
	t := time.NewTicker(pingInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout)) != nil {
				return // the read loop ends on its own
			}
		}
	}
}

// endpoints are where a server's stream and its v2 API are.
type endpoints struct{ stream, api url.URL }

// discover asks the server for its stream, and follows redirects on its host,
// as from http to https. What the answer says of hosts is what our request
// said, or a proxy's idea of it, so only the path and, on our host, the port are
// taken from it: the token goes to no other host.
func (c *Client) discover(ctx context.Context) (endpoints, error) {
	resp, err := c.get(ctx, c.base.JoinPath(discoveryPath), "")
	if err != nil {
		return endpoints{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return endpoints{}, &refusedError{resp.StatusCode}
	case resp.StatusCode >= 500:
		return endpoints{}, fmt.Errorf("it answered with status %d", resp.StatusCode)
	}
	var doc struct {
		Endpoints map[string]struct {
			WS string `json:"signalk-ws"`
		}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxDiscovery)).Decode(&doc); err != nil || doc.Endpoints == nil {
		return endpoints{}, fmt.Errorf("what answers there is no Signal K server (status %d)", resp.StatusCode)
	}
	final := *resp.Request.URL
	final.Path, final.RawQuery = c.base.Path, ""
	at := endpoints{stream: *final.JoinPath(streamPath), api: *final.JoinPath(apiPath)}
	if u, err := url.Parse(doc.Endpoints["v1"].WS); err == nil && u.Hostname() == c.base.Hostname() && u.Path != "" {
		at.stream.Host, at.stream.Path = u.Host, u.Path
		if u.Scheme == "wss" {
			at.stream.Scheme = "https"
		}
	}
	at.stream.Scheme = strings.Replace(at.stream.Scheme, "http", "ws", 1)
	at.stream.RawQuery = streamQuery
	return at, nil
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

// fetchRoutes fetches the resource of each route that is made active.
func (c *Client) fetchRoutes(ctx context.Context, api url.URL, wanted <-chan string) {
	for {
		var href string
		select {
		case <-ctx.Done():
			return
		case href = <-wanted:
		}
		for try := range fetchTries {
			body, err := c.fetch(ctx, api.JoinPath(href))
			if err == nil {
				err = c.vessel.FeedRoute(href, body)
			}
			if err == nil {
				break
			}
			c.log.Warn("no route resource", "route", href, "reason", explain(err))
			select {
			case <-ctx.Done():
				return
			case <-time.After(fetchFirstWait << (2 * try)):
			}
		}
	}
}

// fetch gets a resource, whatever its status: 2.23 answers 200 with {} and 2.32
// 404 with JSON for one that is not there, and both are no route.
func (c *Client) fetch(ctx context.Context, at *url.URL) ([]byte, error) {
	resp, err := c.get(ctx, at, c.token)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, maxResource))
}

// explain puts an error of the network into words for the crew. It repeats no
// address, which may hold secrets, but a name that was not found.
func explain(err error) string {
	var (
		dns     *net.DNSError
		errno   syscall.Errno
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		refused *refusedError
		closed  *websocket.CloseError
		asked   *url.Error
	)
	switch {
	case errors.As(err, &refused):
		return "the server refuses access"
	case errors.As(err, &dns):
		return "the name " + cut(dns.Name, maxName) + " was not found"
	case errors.As(err, &cert):
		return "its TLS certificate is not trusted"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS: try http instead of https"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "no answer in time"
	case errors.As(err, &closed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &asked):
		return asked.Err.Error()
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
