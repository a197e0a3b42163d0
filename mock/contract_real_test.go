//go:build real

package mock_test

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

const realScript = "../cmd/signalk-mcp/testdata/realserver/start.sh"

// TestRealContract shows signalk-server what TestContract shows the mock, and
// compares what both know of the paths of the mock's vessel. Both versions, or
// those in SIGNALK_REAL_VERSIONS, run at once; each is started twice, with security
// and without.
func TestRealContract(t *testing.T) {
	t.Parallel()
	versions := cmp.Or(os.Getenv("SIGNALK_REAL_VERSIONS"), "2.23.0 2.32.0")
	for i, version := range strings.FieldsFunc(versions, func(r rune) bool { return r == ',' || r == ' ' }) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command("bash", realScript, "--install", "--version", version).CombinedOutput()
			if err != nil && i > 0 { // it brings a Node of its own, which not every machine can have
				t.Skipf("signalk-server %s cannot be installed here: %s", version, out)
			}
			require.NoError(t, err, string(out))
			t.Run("open", func(t *testing.T) {
				t.Parallel()
				real := startReal(t, version)
				runContract(t, version, contract, real.at)
				t.Run("meta of the vessel's paths", func(t *testing.T) { realMeta(real.at(t)) })
			})
			t.Run("secured", func(t *testing.T) {
				t.Parallel()
				runContract(t, version+" secured", securedContract, startReal(t, version, "--secure").at)
			})
		})
	}
}

// startReal starts a server without data. It ends with the test, also with one
// that is killed: the script ends it when its input ends.
func startReal(t *testing.T, version string, more ...string) *bench {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	dir := t.TempDir()
	var stderr bytes.Buffer
	cmd := exec.Command("bash", append([]string{realScript, "--version", version, "--data", "none", "--dir", dir, "--port", strconv.Itoa(port)}, more...)...)
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	b := &bench{version: version}
	for lines, ready := bufio.NewScanner(stdout), false; !ready; {
		if !lines.Scan() {
			stdin.Close()
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			require.FailNow(t, "no server", "%s\n%s", &stderr, log)
		}
		switch name, value, _ := strings.Cut(lines.Text(), "="); name {
		case "URL":
			b.url = value
		case "ADMIN":
			b.admin = value
		case "READER":
			b.reader = value
		case "PID":
			ready = true
		}
	}
	if b.admin != "" {
		var security struct{ SecretKey string }
		text, err := os.ReadFile(filepath.Join(dir, "security.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &security))
		b.token = func(user string, life time.Duration) string { return signed(security.SecretKey, user, life) }
	}
	return b
}

// at is the bench for one row.
func (b *bench) at(t *testing.T) *bench {
	row := *b
	row.T, row.mark, row.feed = t, newMark(), nil
	return &row
}

// signed makes a token as the server makes them (RFC 7519), with its own key.
func signed(key, user string, life time.Duration) string {
	encode := base64.RawURLEncoding.EncodeToString
	now := time.Now()
	claims := fmt.Sprintf(`{"id":%q,"iat":%d`, user, now.Unix())
	if life != 0 {
		claims += fmt.Sprintf(`,"exp":%d`, now.Add(life).Unix())
	}
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(claims+"}"))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// realMeta compares the units of every path that the mock's vessel has, without
// what the vessel's own settings add, with a real server's.
func realMeta(b *bench) {
	fake := newBench(b.T, mock.Options{Version: b.version, DisplayUnits: true})
	var boat any
	fake.getJSON("/signalk/v1/api/vessels/self", &boat)
	var paths []string
	var walk func(prefix string, node any)
	walk = func(prefix string, node any) {
		members, _ := node.(map[string]any)
		if _, leaf := members["$source"]; leaf {
			paths = append(paths, prefix)
			return
		}
		for name, child := range members {
			walk(strings.TrimPrefix(prefix+"."+name, "."), child)
		}
	}
	walk("", boat)
	require.Greater(b, len(paths), 30)
	v := b.vessel()
	for _, p := range paths {
		if strings.HasPrefix(p, "notifications.") || strings.HasPrefix(p, "navigation.course.calcValues.") {
			continue // the one has the value's, the other is told by a plugin
		}
		for _, x := range []*bench{b, fake} {
			x.publish(value(v, "s.a", p, "1"))
		}
		at := "/signalk/v1/api/" + strings.Replace(v, ".", "/", 1) + "/" + slashed(p)
		for _, end := range []string{"", "/meta"} {
			realStatus, _, realText := b.get(at + end)
			fakeStatus, _, fakeText := fake.get(at + end)
			if !assert.Equal(b, realStatus, fakeStatus, at+end) || realStatus != 200 {
				continue
			}
			assert.Equal(b, metaOf(realText), metaOf(fakeText), p+end+" "+fakeText)
		}
	}
}

// metaOf is what a document says of a path's units. The wording of descriptions
// is not compared.
func metaOf(text string) any {
	type meta struct {
		Units        string
		DisplayUnits map[string]string
		Properties   map[string]struct{ Units string }
	}
	var m struct {
		meta
		Meta meta
	}
	_ = json.Unmarshal([]byte(text), &m)
	return m
}
