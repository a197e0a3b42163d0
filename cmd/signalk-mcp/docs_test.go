package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"signalk-mcp/tools"
)

// The manual and the completions are made of the table of commands and their
// flags; go test -update writes them.
const deploy = "../../deploy/"

// atLength is what the manual says of a flag beyond its one line.
var atLength = map[string]string{
	"url": "http, https, ws or wss://HOST:PORT, or HOST:PORT. Without it the server on this machine at port 3000 is taken, " +
		"else the first that announces itself on the network; discover lists them.",
	"token-file": "The file may be read by its owner alone. It is read again when the server refuses what was in it, and on SIGHUP. " +
		"Without it the token that login got is used.",
	"login-file": "For a login that gives a token, instead of a token.",
	"insecure":   "It is said in the log and by doctor, since then nobody knows who answers.",
	"battery-current": "discharging-positive if the monitor counts a discharge as positive; for one bank BANK=discharging-positive. " +
		"Several stand with commas between them. In Signal K a positive current charges.",
	"fault":   "Written KIND[=TARGET][@AFTER][+FOR], such as null=environment.depth.*@2m+90s.",
	"control": "Programs on this machine, and the page's buttons, do it by POST to /mock/COMMAND.",
	"prefer":  "The best first. The beginning of a name is enough. Among others the choice is stable, and never the last writer.",
}

// variables are those of the environment that have no flag.
var variables = []struct{ name, about string }{
	{"SIGNALK_TOKEN", "the access token itself"},
	{"SIGNALK_USER, SIGNALK_PASSWORD", "for a login that gives a token"},
	{"XDG_STATE_HOME", "where signalk-mcp/ holds the token that login got; else .local/state in the home directory"},
}

// flagsOf are a command's flags.
func flagsOf(c command) *flags {
	f := newFlags(c.name, noEnv)
	c.flags(f)
	return f
}

func each(f *flags, do func(x *flag.Flag, value, about string)) {
	f.VisitAll(func(x *flag.Flag) {
		value, about := flag.UnquoteUsage(x)
		do(x, value, about)
	})
}

func manual() string {
	var b strings.Builder
	roff := strings.NewReplacer(`\`, `\e`, "-", `\-`)
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`.\" made by go test -update from the table of commands`)
	p(`.TH SIGNALK\-MCP 1`)
	p(".SH NAME\nsignalk\\-mcp \\- a boat's instruments for AI agents and voice pipelines")
	p(".SH SYNOPSIS")
	for i, c := range commands {
		if i > 0 {
			p(".br")
		}
		p(".B %s", roff.Replace(c.usage(flagsOf(c))))
	}
	p(".SH DESCRIPTION\nsignalk\\-mcp keeps the state of a vessel from a Signal K server in memory, with signs and units settled,")
	p("and answers questions about it over the Model Context Protocol, in sentences that can be read aloud as they stand.")
	p("It only reads. It replaces no lookout, no chart and no sounder.")
	p(".SH COMMANDS\nWithout a command it is serve.")
	described := map[string]bool{}
	for _, c := range commands {
		p(".SS %s", c.name)
		p("%s.", roff.Replace(strings.ToUpper(c.about[:1])+c.about[1:]))
		if c.exit != "" {
			p("The exit code is %s.", roff.Replace(c.exit))
		}
		f := flagsOf(c)
		var known []string
		each(f, func(x *flag.Flag, value, about string) {
			if described[x.Name] {
				known = append(known, `\-`+roff.Replace(x.Name))
				return
			}
			described[x.Name] = true
			p(".TP\n.B %s", strings.TrimSpace(`\-`+roff.Replace(x.Name)+" "+value))
			text := strings.ToUpper(about[:1]) + about[1:] + "."
			if f.twins[x.Name] != "" {
				text += " In the environment: " + f.twins[x.Name] + "."
			}
			if more := atLength[x.Name]; more != "" {
				text += " " + more
			}
			p("%s", roff.Replace(text))
		})
		if len(known) > 0 {
			p(".P\nAs above: %s.", strings.Join(known, ", "))
		}
	}
	p(".SH ENVIRONMENT\nBesides the flags' twins:")
	for _, v := range variables {
		p(".TP\n.B %s\n%s.", v.name, roff.Replace(strings.ToUpper(v.about[:1])+v.about[1:]))
	}
	p(".SH EXIT STATUS\n0 if all is well, 1 if something failed, 2 for a wrong use, which is explained in one line, 3 if there is nothing live to say.")
	p(".SH EXAMPLES\n.nf")
	for _, example := range []string{"signalk-mcp say -mock", "signalk-mcp doctor -url http://boat.local:3000", "signalk-mcp say depth_state | espeak-ng"} {
		p("%s", roff.Replace(example))
	}
	p(".fi")
	return b.String()
}

// toolNames are what say may be asked for.
func toolNames() (names []string) {
	for _, t := range tools.Catalog() {
		names = append(names, t.Name)
	}
	return names
}

// dashed are a command's flags as they are typed.
func dashed(c command) (names []string) {
	each(flagsOf(c), func(x *flag.Flag, _, _ string) { names = append(names, "-"+x.Name) })
	return names
}

// behind are the words that may follow a command.
func behind(c command) []string {
	list := dashed(c)
	if c.name == "say" {
		list = append(list, toolNames()...)
	}
	return list
}

// ofFiles are the flags whose value is a file, as a pattern of shells.
func ofFiles() string {
	var names []string
	for _, c := range commands {
		each(flagsOf(c), func(x *flag.Flag, value, _ string) {
			if value == "file" && !slices.Contains(names, "-"+x.Name) {
				names = append(names, "-"+x.Name)
			}
		})
	}
	return strings.Join(names, "|")
}

func bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for signalk-mcp; made by go test -update
_signalk_mcp() {
  local cur=${COMP_WORDS[COMP_CWORD]} words
  case ${COMP_WORDS[COMP_CWORD-1]} in
    %s) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
  esac
  case ${COMP_WORDS[1]} in
`, ofFiles())
	for _, c := range commands {
		fmt.Fprintf(&b, "    %s) words=%q ;;\n", c.name, strings.Join(behind(c), " "))
	}
	fmt.Fprintf(&b, `    *) words=%q ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _signalk_mcp signalk-mcp
`, strings.Join(append(commandNames(), dashed(commands[0])...), " "))
	return b.String()
}

func zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef signalk-mcp\n# made by go test -update\ncase $words[CURRENT-1] in\n  %s) _files; return ;;\nesac\n", ofFiles())
	b.WriteString("local -a list\ncase $words[2] in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %s) list=(%s) ;;\n", c.name, strings.Join(behind(c), " "))
	}
	fmt.Fprintf(&b, "  *) list=(%s) ;;\nesac\nif (( CURRENT == 2 )); then\n  local -a names=(\n", strings.Join(dashed(commands[0]), " "))
	for _, c := range commands {
		fmt.Fprintf(&b, "    '%s:%s'\n", c.name, c.about)
	}
	b.WriteString("  )\n  _describe command names\nfi\ncompadd -- $list\n")
	return b.String()
}

func fish() string {
	var b strings.Builder
	b.WriteString("# fish completion for signalk-mcp; made by go test -update\ncomplete -c signalk-mcp -f\n")
	for i, c := range commands {
		fmt.Fprintf(&b, "complete -c signalk-mcp -n __fish_use_subcommand -a %s -d '%s'\n", c.name, c.about)
		in := "__fish_seen_subcommand_from " + c.name
		if i == 0 { // what is meant without a command
			in = "__fish_use_subcommand; or " + in
		}
		each(flagsOf(c), func(x *flag.Flag, value, about string) {
			takes := ""
			switch {
			case value == "file":
				takes = " -rF"
			case !isBool(x):
				takes = " -x"
			}
			fmt.Fprintf(&b, "complete -c signalk-mcp -n '%s' -o %s%s -d %q\n", in, x.Name, takes, about)
		})
	}
	fmt.Fprintf(&b, "complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -a '%s'\n", strings.Join(toolNames(), " "))
	return b.String()
}

func TestDocs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"signalk-mcp.1": manual(), "completions/signalk-mcp.bash": bash(), "completions/signalk-mcp.zsh": zsh(), "completions/signalk-mcp.fish": fish(),
	} {
		if *update {
			require.NoError(t, os.MkdirAll(deploy+"completions", 0o755))
			require.NoError(t, os.WriteFile(deploy+name, []byte(want), 0o644))
		}
		got, err := os.ReadFile(deploy + name)
		require.NoError(t, err, "make docs writes it")
		assert.Equal(t, want, string(got), name)
	}
	var all []string
	for _, c := range commands {
		all = append(all, dashed(c)...)
	}
	for name := range atLength {
		assert.Contains(t, all, "-"+name, "the manual explains a flag that there is")
	}
}

// Help fits on a screen of 24 lines and 80 columns.
func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	texts := map[string][]string{"all": {"-h"}}
	for _, c := range commands {
		texts[c.name] = []string{c.name, "-h"}
	}
	for name, args := range texts {
		var out bytes.Buffer
		assert.Equal(t, exitOK, run(t.Context(), args, env{strings.NewReader(""), &out, &out, noEnv}))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		assert.Less(t, len(lines), 24, name)
		for _, l := range lines {
			assert.LessOrEqual(t, utf8.RuneCountInString(l), 80, l)
		}
	}
}

// A shell completes what there is: bash, and the others where they are installed.
func TestCompletion(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(deploy + "completions")
	require.NoError(t, err)
	here := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(here, "secret.txt"), nil, 0o600))
	for name, script := range map[string]string{
		"bash": `source "$1"; COMP_WORDS=($2); [[ $2 = *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_signalk_mcp; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`,
		// Outside of its line editor zsh offers nothing: what the function asks it for
		// is filtered here as it would be.
		"zsh": `offer() { local word=$words[CURRENT] x; for x; do [[ $x = $word* ]] && print -r -- $x; done; true }
			compadd() { shift; offer "$@" }; _files() { offer *(N) }; _describe() { offer ${${(P)2}%%:*} }
			complete() { source $1 }; file=$1; words=("${(@s: :)2}"); CURRENT=$#words; complete $file`,
	} {
		shell, err := exec.LookPath(name)
		if err != nil && name != "bash" {
			continue
		}
		for line, want := range map[string]string{
			"signalk-mcp d":                        "discover doctor",
			"signalk-mcp -tok":                     "-token-file",
			"signalk-mcp say dep":                  "depth_state",
			"signalk-mcp say -toke":                "-token-file",
			"signalk-mcp say -token-file se":       "secret.txt",
			"signalk-mcp mock -se":                 "-seed -server",
			"signalk-mcp say -prefer gps get_l":    "get_local_time",
			"signalk-mcp serve -battery-current x": "",
			"signalk-mcp version -":                "",
		} {
			args := []string{"-c", script, name, filepath.Join(folder, "signalk-mcp."+name), line}
			if name == "fish" { // it counts from what is behind the script
				args = slices.Delete(args, 2, 3)
			}
			cmd := exec.CommandContext(t.Context(), shell, args...)
			cmd.Dir, cmd.Env = here, append(os.Environ(), "HOME="+here)
			out, err := cmd.Output()
			require.NoError(t, err, "%s: %s: %s", name, line, out)
			got := strings.Fields(string(out))
			slices.Sort(got)
			assert.Equal(t, want, strings.Join(got, " "), "%s: %s", name, line)
		}
	}
}
