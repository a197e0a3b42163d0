package signalk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// AccessRequest asks a server for a token of its own for this program: somebody
// with an administrator's rights approves it in the server's pages. It is the
// only thing that is ever written to a server, and sounds an alert on board
// until it is answered.
type AccessRequest struct {
	// Client reaches the server.
	Client *Client
	// StateDir keeps the identity of this installation, an open request, and the
	// token.
	StateDir string
	// Description is what the administrator reads.
	Description string
	// Asked is called once when the request waits for its approval, with the
	// page where it is given.
	Asked func(server, page string)
}

// ErrDenied is the administrator's no.
var ErrDenied = errors.New("the request was denied")

const pollInterval = 2 * time.Second

// pendingRequest is what is kept of an open request, so that a program that was
// ended can go on waiting: the server refuses a second one from the same client.
type pendingRequest struct{ Server, Href string }

// Run asks, waits for the answer until ctx ends, and stores the token. It returns
// the file of the token.
func (a AccessRequest) Run(ctx context.Context) (file string, err error) {
	base, err := a.Client.locate(ctx)
	if err != nil {
		return "", err
	}
	at, err := a.Client.discover(ctx, base)
	if err != nil {
		return "", fmt.Errorf("%s: %s", base.Host, explain(err))
	}
	id, err := a.identity()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(a.StateDir, "request.json")
	href, err := a.ask(ctx, at.base, id, kept)
	if err != nil {
		return "", err
	}
	if a.Asked != nil {
		a.Asked(base.Host, at.base.JoinPath("/admin/").String()+"#/security/access/requests")
	}
	token, err := a.wait(ctx, at.base.JoinPath(href))
	if err != nil {
		if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			os.Remove(kept) // answered, or lost: the next time it is asked anew
		}
		return "", err
	}
	file = TokenFileOf(a.StateDir, at.base.Host) // where redirects led: there it is looked for
	if err := storeToken(file, token); err != nil {
		return "", fmt.Errorf("the token was given, and could not be kept; run login again: %w", err)
	}
	os.Remove(kept)
	return file, nil
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// identity is this installation's client id, made at the first use.
func (a AccessRequest) identity() (string, error) {
	if err := os.MkdirAll(a.StateDir, 0o700); err != nil {
		return "", fmt.Errorf("the state directory: %w", err)
	}
	file := filepath.Join(a.StateDir, "client-id")
	if text, err := os.ReadFile(file); err == nil && uuid.MatchString(strings.TrimSpace(string(text))) {
		return strings.TrimSpace(string(text)), nil
	}
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4, RFC 9562
	id := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	return id, replaceFile(file, []byte(id+"\n"))
}

// requestHref is the only form of reference to a request that is followed.
var requestHref = regexp.MustCompile(`^/signalk/v1/requests/[A-Za-z0-9-]{1,64}$`)

// ask makes the request, or finds the one that is open already.
func (a AccessRequest) ask(ctx context.Context, base url.URL, id, kept string) (href string, err error) {
	var answer struct{ Href, Message string }
	status, decoded, err := post(ctx, a.Client.http, base.JoinPath("/signalk/v1/access/requests"),
		map[string]string{"clientId": id, "description": a.Description, "permissions": "readonly"}, &answer)
	switch {
	case err != nil:
		return "", errors.New(explain(err))
	case status == http.StatusAccepted && decoded && requestHref.MatchString(answer.Href):
		text, err := json.Marshal(pendingRequest{base.Host, answer.Href})
		if err != nil {
			return "", err
		}
		return answer.Href, replaceFile(kept, text)
	case status == http.StatusBadRequest && strings.Contains(answer.Message, "already requested"):
		var p pendingRequest
		if text, err := os.ReadFile(kept); err == nil && json.Unmarshal(text, &p) == nil && p.Server == base.Host && requestHref.MatchString(p.Href) {
			return p.Href, nil
		}
		return "", errors.New("a request of this installation is open already; deny it in the server's pages, and ask again")
	case status == http.StatusForbidden:
		return "", errors.New("the server does not take access requests of devices; use a user and a password, or switch them on in its security settings")
	case status == http.StatusNotFound, status == http.StatusInternalServerError:
		return "", errors.New("the server's security is switched off: no token is needed")
	}
	return "", fmt.Errorf("the server answered the request with status %d", status)
}

// wait asks for the answer again and again. A server that is away for a while is
// waited for; one that restarted has forgotten the request.
func (a AccessRequest) wait(ctx context.Context, at *url.URL) (token string, err error) {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-t.C:
		}
		resp, err := a.Client.get(ctx, at, "")
		if err != nil {
			continue
		}
		var answer struct {
			State         string
			AccessRequest struct{ Permission, Token string }
		}
		err = json.NewDecoder(io.LimitReader(resp.Body, maxDiscovery)).Decode(&answer)
		resp.Body.Close()
		switch r := answer.AccessRequest; {
		case resp.StatusCode == http.StatusInternalServerError || resp.StatusCode == http.StatusNotFound:
			return "", errors.New("the server has forgotten the request, as after a restart; ask again")
		case err != nil || answer.State != "COMPLETED":
			continue
		case r.Permission == "APPROVED" && r.Token != "":
			return r.Token, checkToken(r.Token)
		default:
			return "", ErrDenied
		}
	}
}
