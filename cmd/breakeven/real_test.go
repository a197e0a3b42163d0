//go:build real

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const realScript = "../signalk-mcp/testdata/realserver/start.sh"

// realServer starts a real Signal K server, which ends with the test.
func realServer(t *testing.T) (url string) {
	t.Helper()
	version := strings.FieldsFunc(cmp.Or(os.Getenv("SIGNALK_REAL_VERSIONS"), "2.23.0"), func(r rune) bool { return r == ',' || r == ' ' })[0]
	out, err := exec.Command("bash", realScript, "--install", "--version", version).CombinedOutput()
	require.NoError(t, err, string(out))
	l, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	cmd := exec.Command("bash", realScript, "--version", version, "--data", "ours", "--dir", t.TempDir(), "--port", fmt.Sprint(port))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close() // which ends it
		cmd.Wait()
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), "URL="); is {
			url = value
		}
		if strings.HasPrefix(lines.Text(), "PID=") {
			break
		}
	}
	require.NotEmpty(t, url, "no server")
	return url
}

// The recipe as it stands, by a shell, on a real server; its documented
// arithmetic gives the tools' numbers; and the tools pay from the first read.
func TestRealRecipe(t *testing.T) {
	t.Parallel()
	url := realServer(t)
	r, err := readRecipe(ourRecipe, url)
	require.NoError(t, err)
	set, done, err := toolsOver(t.Context(), url, false)
	require.NoError(t, err)
	defer done()
	for _, c := range r.commands {
		assert.NotEmpty(t, canonical(t, shell(t, r, c)), c.line)
	}
	paths := map[string]conversion{
		"environment.wind.speedApparent":                    {factor: knots, tolerance: 0.51},
		"navigation.speedOverGround":                        {factor: knots, tolerance: 0.051},
		"navigation.headingTrue":                            {factor: degrees, tolerance: 0.51, circle: true},
		"electrical.batteries.house.capacity.stateOfCharge": {factor: percent, tolerance: 0.51},
		"electrical.batteries.house.voltage":                {factor: 1, tolerance: 0.051},
	}
	assert.Equal(t, len(paths)+2, agreement(t, reader{r, time.Now()}, set, paths))

	c, err := compare(t.Context(), cl100k(t), r, url, questions, 1, false)
	require.NoError(t, err)
	c.pays(t, "a real server")
}
