//go:build browser

package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBrowser looks at the mock's page with Chromium, by Playwright. MOCK_SCREENSHOT
// names a file that gets a picture of it.
func TestBrowser(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "chromium"))
	require.NoError(t, err, "Debian's package chromium has one")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var log syncBuffer
	ended := make(chan int, 1)
	go func() {
		args := []string{"mock", "-addr", "127.0.0.1:0", "-control", "-speed", "4"}
		ended <- run(ctx, args, env{nil, &log, &log, noEnv})
	}()
	var url []string
	require.Eventually(t, func() bool {
		url = regexp.MustCompile(`boat is at (http://\S+),`).FindStringSubmatch(log.String())
		return url != nil
	}, 10*time.Second, 10*time.Millisecond)
	args := []string{"testdata/browser/page.mjs", url[1], chromium}
	if picture := os.Getenv("MOCK_SCREENSHOT"); picture != "" {
		args = append(args, picture)
	}
	said, err := exec.CommandContext(ctx, "node", args...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	cancel()
	require.Equal(t, exitOK, <-ended)
}
