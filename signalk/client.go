package signalk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Options configures a Client. The zero value looks for a server on this
// machine, and then on the boat's network.
type Options struct {
	// URL is the server's address: http, https, ws or wss, or host:port. If
	// empty, http://localhost:3000, else the first that announces itself by mDNS.
	URL string
	// Credentials are what the server is shown; it alone.
	Credentials Credentials
	// TLS says which certificates are trusted besides the system's.
	TLS TLS
	// Logger receives what happens to the link. If nil, nothing is logged.
	Logger *slog.Logger
	// Dial opens connections. If nil, the client's own, which finds .local names
	// without the help of the system.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client keeps a Vessel fed from a server.
type Client struct {
	vessel *Vessel
	given  *url.URL                // nil: the server has to be found
	kept   atomic.Pointer[url.URL] // the one that was found, and said hello
	keys   *keyring
	log    *slog.Logger
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	tls    TLS
	http   *http.Client
	mdns   resolver
	local  string // where a server on this machine is looked for

	reload chan struct{} // holds a wish to connect anew
	said   trouble       // for Run alone
}

const (
	localServer    = "localhost:3000"
	readLimit      = 16 << 20         // bytes of a frame; a server has no limit of its own
	dialTimeout    = 5 * time.Second  // also of the upgrade, which a wrong path never answers
	helloTimeout   = 10 * time.Second // from the upgrade to the hello
	pingInterval   = 10 * time.Second
	silence        = 25 * time.Second // without a frame or a pong the socket is dead
	firstRetry     = 500 * time.Millisecond
	lastRetry      = 30 * time.Second
	refusedRetry   = 5 * time.Second  // asking sooner changes no token
	quietFor       = 10 * time.Minute // between log lines of the same trouble
	quietBetween   = time.Minute      // the same, of a link that comes and goes
	mutePatience   = time.Second      // from the hello to the first value
	maxDiscovery   = 64 << 10         // bytes
	maxUpgrade     = 256 << 10        // bytes of the answer to an upgrade, TLS included
	maxResource    = 4 << 20          // bytes
	fetchTries     = 3
	fetchFirstWait = time.Second
	maxRedirects   = 5
	writeTimeout   = 5 * time.Second
	discoveryPath  = "/signalk"
	streamPath     = "/signalk/v1/stream"
	apiPath        = "/signalk/v2/api"
	selfPath       = "/signalk/v1/api/self"
	streamQuery    = "subscribe=none&sendMeta=all"
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
		`{"path":"navigation.state","policy":"instant"},` +
		`{"path":"notifications.*","policy":"instant"}]}`,
}

// NewClient returns a Client that will feed v. An error is about what the owner
// wrote: the address, the token or its file, the certificates.
func NewClient(v *Vessel, o Options) (*Client, error) {
	c := &Client{vessel: v, log: o.Logger, dial: o.Dial, tls: o.TLS, local: localServer, reload: make(chan struct{}, 1)}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if strings.TrimSpace(o.URL) != "" {
		if c.given, err = parseAddress(o.URL); err != nil {
			return nil, err
		}
	}
	if c.keys, err = newKeyring(o.Credentials); err != nil {
		return nil, err
	}
	if c.dial == nil {
		c.dial = c.dialBoat
	}
	if c.http, err = c.newHTTP(); err != nil {
		return nil, err
	}
	if c.given != nil {
		v.SetServer(c.given.Host)
	}
	return c, nil
}

// Reload reads the token's file again, and connects anew with it.
func (c *Client) Reload() {
	c.keys.refused()
	select {
	case c.reload <- struct{}{}:
	default:
	}
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
		if errors.Is(err, errReload) {
			c.vessel.Lost(false, explain(err))
			attempt = -1
			continue
		}
		if flowed {
			attempt = 0
		}
		var refused *refusedError
		wait := backoff(attempt)
		if errors.As(err, &refused) {
			c.keys.refused()
			wait = max(wait, refusedRetry)
		}
		reason := explain(err)
		c.vessel.Lost(refused != nil, reason)
		if c.said.isNews(reason, flowed) {
			c.log.Warn("no connection to the Signal K server; trying again until there is one", "server", c.server(), "reason", reason)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.reload:
		case <-time.After(wait):
		}
	}
}

// trouble keeps the log quiet while nothing changes.
type trouble struct {
	at   map[string]time.Time // when a reason was last logged
	mute bool                 // nothing was logged since the last connection
}

const maxReasons = 32

// isNews reports whether a failure is worth a line: a reason that was not logged
// for ten minutes; a minute, if it ended a connection that worked.
func (t *trouble) isNews(reason string, worked bool) bool {
	quiet := quietFor
	if worked {
		quiet = quietBetween
	}
	if at, said := t.at[reason]; said && time.Since(at) < quiet {
		return false
	}
	if t.at == nil || len(t.at) >= maxReasons {
		t.at = map[string]time.Time{}
	}
	t.at[reason] = time.Now()
	t.mute = false
	return true
}

// level is that of the line for a connection: the end of one that was not logged
// needs no beginning of the next.
func (t *trouble) level() slog.Level {
	level := slog.LevelInfo
	if t.mute {
		level = slog.LevelDebug
	}
	t.mute = true
	return level
}

// backoff is the wait after so many failures in a row: half of it is chance, so
// that a fleet of clients does not come back in step.
func backoff(attempt int) time.Duration {
	d := min(lastRetry, firstRetry<<min(attempt, 10))
	return d/2 + rand.N(d/2)
}

// server is the address as it is known now.
func (c *Client) server() (s string) {
	c.vessel.Read(func(w View) { s = w.Link().Server })
	return s
}

var errReload = errors.New("connecting anew, as the token was read again")

// session is one connection, from finding the server to its end. flowed reports
// whether values came on it.
func (c *Client) session(ctx context.Context) (flowed bool, err error) {
	base, err := c.locate(ctx)
	if err != nil {
		return false, err
	}
	at, err := c.discover(ctx, base)
	if err != nil {
		return false, err
	}
	ws, token, err := c.open(ctx, at)
	if err != nil {
		return false, err
	}
	defer ws.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { ws.Close() })()

	ws.SetReadLimit(readLimit)
	if err := c.greet(ws); err != nil {
		return false, err
	}
	heard := func() {
		ws.SetReadDeadline(time.Now().Add(silence))
		c.vessel.alive()
	}
	ws.SetPongHandler(func(string) error { heard(); return nil })
	ping := ws.PingHandler()
	ws.SetPingHandler(func(s string) error { heard(); return ping(s) })
	connection := c.vessel.connection()

	c.kept.Store(base)
	c.log.Log(ctx, c.said.level(), "connected to the Signal K server", "server", at.stream.Host, "version", at.version)
	routes := make(chan string, 1)
	helpers.Go(func() { keepAlive(ctx, ws) })
	helpers.Go(func() { c.fetchRoutes(ctx, at.base, token, routes) })
	helpers.Go(func() { c.watch(ctx, cancel, at.base, token) })

	var buf []byte
	for heard(); ; heard() {
		if buf, err = readFrame(ws, buf); err != nil {
			if cause := context.Cause(ctx); cause != nil { // we ended it ourselves
				err = cause
			}
			return flowed, err
		}
		if err := c.vessel.Feed(buf); err != nil {
			c.log.Debug("frame skipped", "bytes", len(buf))
			if refusal := securityEnd(buf); refusal != nil {
				return flowed, refusal
			}
			continue
		}
		if c.vessel.connection() != connection { // who says hello again knows nothing of our subscriptions
			return flowed, errors.New("the server began anew")
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

// watch tells when the first picture is complete, and ends a connection that has
// no use: one on which nothing comes because reading is not allowed (a hello
// comes all the same), and, on Reload, one with an old token.
func (c *Client) watch(ctx context.Context, end context.CancelCauseFunc, base url.URL, token string) {
	mute := time.NewTimer(mutePatience)
	defer mute.Stop()
	picture := time.NewTicker(settleTime / 6)
	defer picture.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.reload:
			end(errReload)
			return
		case <-picture.C:
			if c.vessel.pictured() {
				c.vessel.Complete()
				picture.Stop()
			}
		case <-mute.C:
			if c.vessel.silent() {
				if err := c.mayRead(ctx, base, token); err != nil {
					end(err)
					return
				}
			}
		}
	}
}

// mayRead asks whether the server lets us read. Version 1 of the API is asked,
// since 2.23 does not protect version 2.
func (c *Client) mayRead(ctx context.Context, base url.URL, token string) error {
	resp, err := c.get(ctx, base.JoinPath(selfPath), token)
	if err != nil {
		return nil // the stream tells more
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden:
		return nil
	case token == "":
		return &refusedError{"it lets nobody read without a token"}
	}
	return &refusedError{"the token is not allowed to read"}
}

// securityEnd recognises the text with which a server ends a connection that
// may not read, or whose token expired: "Connection disconnected by security
// constraint" (signalk-server 2.23, 2.32; up to 60 s late).
func securityEnd(frame []byte) error {
	if len(frame) < 256 && strings.Contains(string(frame), "security constraint") {
		return &refusedError{"the token expired, or may not read any more"}
	}
	return nil
}

// open upgrades to the stream, with a token if there is one.
func (c *Client) open(ctx context.Context, at endpoints) (*websocket.Conn, string, error) {
	token, err := c.keys.get(ctx, c.http, at.base)
	if err != nil {
		return nil, "", err
	}
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	// The upgrade itself does not end with the context (gorilla/websocket v1.5.3).
	var (
		conn    *bounded
		release func() bool
	)
	dial := func(dialing context.Context, network, address string) (net.Conn, error) {
		raw, err := c.dial(dialing, network, address)
		if err != nil {
			return nil, err
		}
		conn, release = &bounded{raw, maxUpgrade}, context.AfterFunc(ctx, func() { raw.Close() })
		return conn, nil
	}
	dialer := websocket.Dialer{NetDialContext: dial, TLSClientConfig: c.tls.config(), HandshakeTimeout: dialTimeout}
	ws, resp, err := dialer.DialContext(ctx, at.stream.String(), header)
	if release != nil {
		release()
	}
	if err == nil {
		conn.left = math.MaxInt64
		return ws, token, nil
	}
	switch {
	case resp == nil:
		return nil, "", &url.Error{Op: "upgrade", Err: err}
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return nil, "", refusal(resp, token)
	case resp.StatusCode == http.StatusTooManyRequests:
		return nil, "", errors.New("the server has too many connections from this computer")
	}
	return nil, "", fmt.Errorf("the stream was answered with status %d", resp.StatusCode)
}

// refusal reads what a server says of a token that it refuses
// ({"error":"jwt expired"}; signalk-server 2.23, 2.32).
func refusal(resp *http.Response, token string) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
	switch {
	case token == "":
		return &refusedError{"it lets nobody read without a token"}
	case strings.Contains(string(body), "expired"):
		return &refusedError{"the token has expired"}
	}
	return &refusedError{"the token is not valid for this server"}
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

// endpoints are where a server is after redirects, and where its stream is.
type endpoints struct {
	base, stream url.URL
	version      string // of the server; hostile text
}

// discover asks a server for its stream, and follows redirects on its host, as
// from http to https. What the answer says of hosts is what our request said, or
// a proxy's idea of it, so only the path and, on our host, the port are taken
// from it: the token goes to no other host.
func (c *Client) discover(ctx context.Context, base *url.URL) (endpoints, error) {
	resp, err := c.get(ctx, base.JoinPath(discoveryPath), "")
	if err != nil {
		return endpoints{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return endpoints{}, &refusedError{"it answers nobody without a token"}
	case resp.StatusCode >= 500:
		return endpoints{}, fmt.Errorf("it answered with status %d", resp.StatusCode)
	}
	var doc struct {
		Endpoints map[string]struct {
			WS string `json:"signalk-ws"`
		}
		Server struct{ Version string }
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxDiscovery)).Decode(&doc); err != nil || doc.Endpoints == nil {
		return endpoints{}, fmt.Errorf("what answers there is no Signal K server (status %d)", resp.StatusCode)
	}
	final := *resp.Request.URL
	final.RawQuery = ""
	final.Path, _, _ = strings.Cut(final.Path, discoveryPath)
	at := endpoints{base: final, stream: *final.JoinPath(streamPath), version: cut(doc.Server.Version, maxName)}
	if u, err := url.Parse(doc.Endpoints["v1"].WS); err == nil && strings.EqualFold(u.Hostname(), base.Hostname()) &&
		u.Path != "" && strings.HasPrefix(u.Path, final.Path) { // a server does not know the prefix of its proxy
		at.stream.Host, at.stream.Path = u.Host, u.Path
		if u.Scheme == "wss" {
			at.stream.Scheme = "https"
		}
	}
	at.stream.Scheme = strings.Replace(at.stream.Scheme, "http", "ws", 1)
	at.stream.RawQuery = streamQuery
	return at, nil
}

// fetchRoutes fetches the resource of each route that is made active.
func (c *Client) fetchRoutes(ctx context.Context, base url.URL, token string, wanted <-chan string) {
	for {
		var href string
		select {
		case <-ctx.Done():
			return
		case href = <-wanted:
		}
		for try := range fetchTries {
			body, err := c.fetch(ctx, base.JoinPath(apiPath, href), token)
			if err == nil {
				err = c.vessel.FeedRoute(href, body)
			}
			if err == nil || ctx.Err() != nil {
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
func (c *Client) fetch(ctx context.Context, at *url.URL, token string) ([]byte, error) {
	resp, err := c.get(ctx, at, token)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, maxResource))
}
