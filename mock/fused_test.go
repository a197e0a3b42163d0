//go:build fused

package mock

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// No sum of products is left to be rounded once: the compiler's own listing for
// arm64, which would fuse it, has no such instruction.
func TestNoFusedArithmetic(t *testing.T) {
	t.Parallel()
	build := exec.Command("go", "build", "-trimpath", "-gcflags=-S", ".")
	build.Env = append(build.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := build.CombinedOutput()
	require.NoError(t, err, "%s", listing)
	require.Contains(t, string(listing), "FMULD", "the listing is one of arm64")
	fused := regexp.MustCompile(`([\w.]+\.go:\d+)\)\s+(FN?M(ADD|SUB)[SD])\b`)
	for _, m := range fused.FindAllStringSubmatch(string(listing), -1) {
		t.Errorf("%s: %s: put float64() around the product", m[1], m[2])
	}
}
