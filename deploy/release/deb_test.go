//go:build deb

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/mock"
)

// deb is the package for one of Debian's architectures.
func deb(t *testing.T, arch string) string {
	t.Helper()
	list, err := filepath.Glob(dist + "signalk-mcp_*_" + arch + ".deb")
	require.NoError(t, err)
	require.Len(t, list, 1, "make deb makes one for each architecture")
	return list[0]
}

// output runs a command that must succeed.
func output(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, "%s: %s", strings.Join(command, " "), out)
	return string(out)
}

func TestPackages(t *testing.T) {
	t.Parallel()
	for arch, target := range map[string]string{"arm64": "linux-arm64", "armhf": "linux-armv6", "amd64": "linux-amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			file := deb(t, arch)
			root := t.TempDir()
			output(t, "dpkg-deb", "--raw-extract", file, root)
			same := func(inPackage, from string) {
				got, err := os.ReadFile(filepath.Join(root, inPackage))
				require.NoError(t, err)
				want, err := os.ReadFile(from)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(got, want), "%s is %s", inPackage, from)
			}
			same("usr/bin/signalk-mcp", dist+"signalk-mcp-"+target)
			same("etc/signalk-mcp.env", "../signalk-mcp.env")
			same("usr/share/doc/signalk-mcp/copyright", dist+"copyright")
			assert.Equal(t, arch+"\n", output(t, "dpkg-deb", "--field", file, "Architecture"))
			assert.NotContains(t, output(t, "dpkg-deb", "--info", file), "Depends", "static: it needs nothing")
			assert.Equal(t, "/etc/signalk-mcp.env\n", output(t, "cat", filepath.Join(root, "DEBIAN/conffiles")))
			for _, path := range []string{
				"usr/lib/systemd/system/signalk-mcp.socket", "usr/lib/systemd/system/signalk-mcp@.service",
				"usr/share/man/man1/signalk-mcp.1.gz", "usr/share/bash-completion/completions/signalk-mcp",
				"usr/share/zsh/vendor-completions/_signalk-mcp", "usr/share/fish/vendor_completions.d/signalk-mcp.fish",
				"usr/share/doc/signalk-mcp/examples/token.conf",
			} {
				assert.FileExists(t, filepath.Join(root, path))
			}
		})
	}
}

// TestPackageLint looks at one of the packages, which differ in the binary alone.
// What is overridden says why.
func TestPackageLint(t *testing.T) {
	t.Parallel()
	t.Log(output(t, "lintian", "--allow-root", "--fail-on", "error", deb(t, "arm64")))
}

// TestSamePackage makes a package again, elsewhere: the same bytes.
func TestSamePackage(t *testing.T) {
	t.Parallel()
	again := t.TempDir()
	version := strings.Split(filepath.Base(deb(t, "amd64")), "_")[1]
	file := strings.TrimSpace(output(t, "../debian/package.sh", version, "amd64",
		dist+"signalk-mcp-linux-amd64", dist+"copyright", again))
	first, err := os.ReadFile(deb(t, "amd64"))
	require.NoError(t, err)
	second, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(first, second))
}

func TestVersions(t *testing.T) {
	t.Parallel()
	// As Go orders them, from the oldest to the newest (go.dev/ref/mod#versions).
	versions := []string{
		"0.0.0-20260701120000-abcdefabcdef", "0.1.0-rc.1", "0.1.0",
		"0.1.1-0.20260801120000-abcdefabcdef", "0.1.1", "0.10.0",
	}
	last := ""
	for _, v := range versions {
		file := strings.TrimSpace(output(t, "../debian/package.sh", v, "amd64", "/usr/bin/true", dist+"copyright", t.TempDir()))
		version := strings.TrimSpace(output(t, "dpkg-deb", "--field", file, "Version"))
		if last != "" {
			output(t, "dpkg", "--compare-versions", last, "lt", version)
		}
		last = version
	}
}

// TestUnit holds the service to its hardening. 2.0 on systemd's scale is written 20.
func TestUnit(t *testing.T) {
	t.Parallel()
	report := output(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", "../systemd/signalk-mcp@.service")
	t.Log(regexp.MustCompile(`Overall exposure level.*`).FindString(report))
	folder := t.TempDir()
	for _, name := range []string{"signalk-mcp.socket", "signalk-mcp@.service"} {
		text, err := os.ReadFile("../systemd/" + name)
		require.NoError(t, err)
		text = bytes.ReplaceAll(text, []byte("/usr/bin/signalk-mcp"), []byte("/usr/bin/true")) // it is not installed here
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
	}
	assert.Empty(t, output(t, "systemd-analyze", "verify", "--man=no", folder+"/signalk-mcp.socket", folder+"/signalk-mcp@.service"))
}

// debian is a freshly made Debian with systemd, booted in a container.
type debian struct {
	t      *testing.T
	root   string
	leader string // the process that is number 1 inside
}

// boot starts a Debian from the archive that make test-deb made.
func boot(t *testing.T) *debian {
	t.Helper()
	d := &debian{t: t, root: t.TempDir()}
	output(t, "tar", "-xf", "../../bin/debian.tar", "-C", d.root, "--exclude=./dev/*")
	container := exec.Command("systemd-nspawn", "--quiet", "--register=no", "--keep-unit",
		"--boot", "--console=pipe", "--directory="+d.root)
	console, err := container.StdoutPipe()
	require.NoError(t, err)
	container.Stderr = container.Stdout
	require.NoError(t, container.Start())
	var said bytes.Buffer
	ended := make(chan struct{})
	go func() {
		for s := bufio.NewScanner(console); s.Scan(); {
			fmt.Fprintln(&said, s.Text())
		}
		container.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		container.Process.Kill() // the container dies with it
		<-ended
		if t.Failed() {
			t.Logf("the container's console: %s", &said)
		}
	})
	children := fmt.Sprintf("/proc/%d/task/%d/children", container.Process.Pid, container.Process.Pid)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(children)
		if pids := strings.Fields(string(text)); err == nil && len(pids) > 0 {
			d.leader = pids[len(pids)-1]
		}
		if d.leader == "" {
			return false
		}
		state, _ := exec.Command("nsenter", d.inside("systemctl", "is-system-running")...).Output()
		return strings.TrimSpace(string(state)) == "running" || strings.TrimSpace(string(state)) == "degraded"
	}, time.Minute, 200*time.Millisecond, "Debian boots")
	return d
}

// inside is what nsenter needs to run a command in the container.
func (d *debian) inside(command ...string) []string {
	return append([]string{
		"--target", d.leader, "--mount", "--uts", "--ipc", "--pid", "--root", "--wdns=/", "--",
		"env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
	}, command...)
}

// run runs a command in the container.
func (d *debian) run(command ...string) (string, int) {
	out, err := exec.Command("nsenter", d.inside(command...)...).CombinedOutput()
	if e, ok := err.(*exec.ExitError); ok {
		return string(out), e.ExitCode()
	}
	require.NoError(d.t, err)
	return string(out), 0
}

// must runs a command in the container that has to succeed.
func (d *debian) must(command ...string) string {
	d.t.Helper()
	out, code := d.run(command...)
	require.Zero(d.t, code, "%s: %s", strings.Join(command, " "), out)
	return out
}

// write writes a file in the container.
func (d *debian) write(path, text string, mode os.FileMode) {
	d.t.Helper()
	path = filepath.Join(d.root, path)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(d.t, os.WriteFile(path, []byte(text), mode))
	require.NoError(d.t, os.Chmod(path, mode))
}

// confined looks at the service while it has a connection.
func (d *debian) confined(connect []string) {
	d.t.Helper()
	c := exec.Command("nsenter", d.inside(connect...)...)
	stdin, err := c.StdinPipe()
	require.NoError(d.t, err)
	require.NoError(d.t, c.Start())
	defer c.Wait()
	defer stdin.Close()
	var status string
	require.Eventually(d.t, func() bool {
		out, code := d.run("sh", "-c", "cat /proc/$(pidof signalk-mcp)/status")
		status = out
		return code == 0 && strings.Contains(out, "Name:\tsignalk-mcp")
	}, 10*time.Second, 100*time.Millisecond)
	assert.NotRegexp(d.t, `(?m)^Uid:\t0\t`, status, "it is not root")
	for _, line := range []string{"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		assert.Contains(d.t, status, line)
	}
	unit := strings.Fields(d.must("systemctl", "list-units", "--plain", "--no-legend", "signalk-mcp@*"))[0]
	assert.Equal(d.t, "MemoryMax=67108864\n", d.must("systemctl", "show", "--property=MemoryMax", unit))
}

// files lists what is installed, but for what dpkg, apt and systemd keep of themselves.
func (d *debian) files() []string {
	return strings.Split(d.must("sh", "-c", "find /boot /etc /home /opt /root /srv /usr /var -xdev | "+
		"grep -Ev '^/var/(lib/(dpkg|apt|systemd|private)|cache|log|tmp)(/|$)' | sort"), "\n")
}

// more lists what is in b and not in a.
func more(a, b []string) (list []string) {
	had := map[string]bool{}
	for _, f := range a {
		had[f] = true
	}
	for _, f := range b {
		if !had[f] {
			list = append(list, f)
		}
	}
	return list
}

// page is the installation page: its shell blocks and its one host configuration.
func page(t *testing.T) (shell []string, host []string) {
	t.Helper()
	text, err := os.ReadFile("../install.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" {
			shell = append(shell, m[2])
			continue
		}
		require.Equal(t, "json", m[1])
		var c struct {
			Servers map[string]struct {
				Command string
				Args    []string
			} `json:"mcpServers"`
		}
		require.NoError(t, json.Unmarshal([]byte(m[2]), &c))
		host = append([]string{c.Servers["signalk"].Command}, c.Servers["signalk"].Args...)
	}
	return shell, host
}

// follow does what a block of the page says, as root, who needs no sudo.
func (d *debian) follow(block string, env ...string) string {
	d.t.Helper()
	block = strings.NewReplacer("sudo ", "env ", "apt ", "apt-get --yes --quiet ", "_arm64", "_amd64").Replace(block)
	return d.must(append(append([]string{"env"}, env...), "sh", "-ec", "cd /media\n"+block)...)
}

// TestNewcomer goes with a fresh Debian from the package to the boat and back, as
// the installation page says.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	const token = "eyJhbGciOiJIUzI1NiJ9.e30.secret"
	open, secured := boat(t, mock.Options{}), boat(t, mock.Options{Token: token})
	shell, host := page(t)
	require.Len(t, shell, 4)
	install, remove, enable, hand := shell[0], shell[1], shell[2], shell[3]
	d := boot(t)
	d.must("useradd", "--create-home", "--groups", "users", "sailor")
	d.must("useradd", "--create-home", "stranger")
	as := func(user string, command ...string) []string {
		return append([]string{"runuser", "-u", user, "--"}, command...)
	}
	session := func(command ...string) mcp.Transport {
		return over(t, nil, append([]string{"nsenter"}, d.inside(command...)...)...)
	}
	before := d.files()

	// The package for another processor is refused in a sentence.
	for _, arch := range []string{"armhf", "amd64"} {
		text, err := os.ReadFile(deb(t, arch))
		require.NoError(t, err)
		d.write("media/"+filepath.Base(deb(t, arch)), string(text), 0o644)
	}
	out, code := d.run("dpkg", "-i", "/media/"+filepath.Base(deb(t, "armhf")))
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "package architecture (armhf) does not match system (amd64)")

	// An older version, whose settings the owner changed, becomes this one.
	output(t, "../debian/package.sh", "0~0", "amd64", "/usr/bin/true", dist+"copyright", filepath.Join(d.root, "media"))
	d.must("dpkg", "-i", "/media/signalk-mcp_0~0_amd64.deb")
	d.must("rm", "/media/signalk-mcp_0~0_amd64.deb")
	d.write("etc/signalk-mcp.env", "SIGNALK_URL="+secured.URL+"\n", 0o644)
	d.follow(enable)
	out = d.follow(install, "SIGNALK_URL="+open.URL)
	assert.Regexp(t, `(?m)^ok +stream +live`, out, "doctor")
	assert.Contains(t, out, "metres below the keel.", "say")
	assert.Contains(t, d.must("cat", "/etc/signalk-mcp.env"), secured.URL, "an upgrade keeps the owner's settings")
	assert.Equal(t, "active\n", d.must("systemctl", "is-active", "signalk-mcp.socket"))
	assert.Equal(t, "install ok installed", d.must("dpkg-query", "-W", "-f", "${Status}", "signalk-mcp"))

	// As a host does it, and as anybody without a boat.
	askAll(t, session(as("stranger", "signalk-mcp", "-url", open.URL)...))
	d.must(as("stranger", "signalk-mcp", "say", "-mock", "depth_state")...)

	// What is written wrongly is said in one sentence.
	d.write("etc/locked.token", token, 0o600)
	for file, why := range map[string]string{
		"/nowhere.token":    "no such file or directory",
		"/etc/locked.token": "permission denied",
		"/etc/passwd":       "chmod 600 it",
	} {
		out, code := d.run(as("stranger", "signalk-mcp", "-token-file", file)...)
		assert.Equal(t, 2, code, out)
		assert.Regexp(t, "^signalk-mcp: the token file: .*"+why+"\\n$", out)
	}
	d.must("rm", "/etc/locked.token")

	// The service refuses who is not in its group. It alone has the token.
	out, code = d.run(as("stranger", host...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "Permission denied")
	login, drop, ok := strings.Cut(hand, "\n")
	require.True(t, ok)
	out, code = d.run("env", "sh", "-c", strings.NewReplacer("sudo ", "env ", "http://localhost:3000", open.URL).Replace(login))
	assert.Equal(t, 1, code, "nobody approves: the server has no security. %s", out)
	d.write("var/lib/signalk-mcp/localhost_3000.token", token+"\n", 0o600)
	d.follow(drop)
	answers := askAll(t, session(as("sailor", host...)...))
	assert.Contains(t, answers["depth_state"]["display"], "below the keel.")
	_, code = d.run(as("sailor", "cat", "/var/lib/signalk-mcp/localhost_3000.token")...)
	assert.NotZero(t, code)
	assert.NotContains(t, d.must("journalctl", "--unit", "signalk-mcp@*"), token)
	d.confined(as("sailor", host...))

	// What is removed is gone but for settings and state; purged, all of it.
	d.must("rm", "-r", "/etc/systemd/system/signalk-mcp@.service.d")
	drop, purge, ok := strings.Cut(remove, "\n")
	require.True(t, ok)
	d.follow(drop)
	left := more(before, d.files())
	assert.Equal(t, []string{"/etc/signalk-mcp.env", "/var/lib/signalk-mcp"}, left[:min(2, len(left))])
	for _, file := range left[min(2, len(left)):] {
		assert.Contains(t, file, "/var/lib/signalk-mcp/")
	}
	_, code = d.run("test", "-e", "/run/signalk-mcp.sock")
	assert.NotZero(t, code, "the socket went with it")
	d.follow(purge)
	assert.Empty(t, more(before, d.files()))
	assert.Empty(t, more(d.files(), before))
}
