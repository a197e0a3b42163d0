package signalk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Credentials say how the client proves who it is. The first that is set is
// used; without any the server is asked as anybody. Nothing of them is in a log,
// an error, a URL or an answer.
type Credentials struct {
	// Token is sent as a bearer token.
	Token string
	// TokenFile holds the token. It must be readable by its owner alone, and is
	// read again when the server refuses what was in it, and by Reload.
	TokenFile string
	// User and Password are exchanged for a token at the server's login; LoginFile
	// holds USER:PASSWORD instead, readable by its owner alone.
	User, Password, LoginFile string
	// StateDir has the tokens that device access requests gave, a file a server.
	StateDir string
}

const maxToken = 16 << 10 // bytes

// TokenFileOf is the file for the token of a server, HOST:PORT, below a state
// directory.
func TokenFileOf(stateDir, server string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, strings.ToLower(server))
	return filepath.Join(stateDir, safe+".token")
}

// readSecret reads what is in a file that nobody else may read.
func readSecret(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", err // names the file
	case !info.Mode().IsRegular(): // the opening of a pipe waits for whoever writes
		return "", fmt.Errorf("%s is no regular file", file)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%s may be read by others: chmod 600 it", file)
	case info.Size() > maxToken:
		return "", fmt.Errorf("%s is too large for what it should hold", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) // some editors begin with a mark
	if secret == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	return secret, nil
}

// readToken reads a token from its file.
func readToken(file string) (string, error) {
	token, err := readSecret(file)
	if err == nil {
		if err = checkToken(token); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err != nil {
		return "", fmt.Errorf("the token file: %w", err)
	}
	return token, nil
}

// checkToken refuses what would forge headers, without repeating it.
func checkToken(token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the token has blanks, line ends or other characters that no token has")
	}
	return nil
}

// keyring holds the token in use.
type keyring struct {
	Credentials

	mu    sync.Mutex // guards the rest
	token string     // of a file or a login; empty if it has to be got
}

// newKeyring checks the credentials: an error is for the owner, at start.
func newKeyring(c Credentials) (*keyring, error) {
	k := &keyring{Credentials: c}
	switch {
	case c.Token != "":
		return k, checkToken(c.Token)
	case c.TokenFile != "":
		token, err := readToken(c.TokenFile)
		k.token = token
		return k, err
	case c.LoginFile != "":
		secret, err := readSecret(c.LoginFile)
		if err != nil {
			return k, fmt.Errorf("the login file: %w", err)
		}
		var ok bool
		if k.User, k.Password, ok = strings.Cut(secret, ":"); !ok || k.User == "" || k.Password == "" {
			return k, fmt.Errorf("the login file: %s does not hold USER:PASSWORD", c.LoginFile)
		}
	case (c.User == "") != (c.Password == ""):
		return k, errors.New("a user and a password belong together, and one is not given")
	}
	return k, nil
}

// stored is the file of a token that login got for a server, if there is one.
func (k *keyring) stored(server string) string {
	if k.StateDir == "" {
		return ""
	}
	file := TokenFileOf(k.StateDir, server)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// get gives the token for a server, getting one if it has to; empty if there is
// none to be had.
func (k *keyring) get(ctx context.Context, c *http.Client, at url.URL) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Token != "" || k.token != "" {
		return k.Token + k.token, nil
	}
	var err error
	file := k.TokenFile
	if file == "" && k.User == "" {
		file = k.stored(at.Host)
	}
	switch {
	case file != "":
		k.token, err = readToken(file)
	case k.User != "":
		k.token, err = logIn(ctx, c, at, k.User, k.Password)
	}
	return k.token, err
}

// refused notes that the server did not take a token: what a file or a login
// gave is got anew for the next try.
func (k *keyring) refused() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.token = ""
}

// logIn exchanges a user's password for a token.
func logIn(ctx context.Context, c *http.Client, at url.URL, user, password string) (string, error) {
	var answer struct{ Token string }
	status, _, err := post(ctx, c, at.JoinPath("/signalk/v1/auth/login"), map[string]string{"username": user, "password": password}, &answer)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusUnauthorized:
		return "", &refusedError{"the user or the password is wrong"}
	case status == http.StatusTooManyRequests:
		return "", &refusedError{"there were too many attempts to log in"}
	case status == http.StatusNotFound:
		return "", errors.New("it has no login, as its security is switched off; no user is needed")
	case answer.Token == "":
		return "", fmt.Errorf("its login answered with status %d and no token", status)
	}
	return answer.Token, checkToken(answer.Token)
}

// storeToken writes a token for its owner's eyes alone, all of it or nothing.
func storeToken(file, token string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replaceFile(file, []byte(token+"\n"))
}

// replaceFile puts a file in the place of another, so that neither a full disk
// nor a power cut leaves half of it.
func replaceFile(file string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".new-*") // for its owner only
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
