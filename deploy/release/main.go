// Command release says what is inside a binary, from what the Go tool chain wrote
// into it:
//
//	release sbom BINARY       a CycloneDX bill of materials, as JSON
//	release copyright BINARY  Debian's copyright file, with every licence's text
//
// and packs an MCP bundle:
//
//	release bundle FOLDER
//
// It writes to stdout, and runs in the repository, whose modules have the
// licences. The same input gives the same bytes.
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("it takes sbom, copyright or bundle, and a path; not %q", args)
	}
	if args[0] == "bundle" {
		return bundle(args[1], out)
	}
	b, err := read(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "sbom":
		return b.sbom(out)
	case "copyright":
		return b.copyright(out)
	}
	return fmt.Errorf("no command %q: sbom, copyright or bundle", args[0])
}

// binary is what is known of a binary.
type binary struct {
	file    string
	info    *debug.BuildInfo
	self    licence
	modules []module // linked into it; the standard library comes last
}

// module is a Go module with its licence.
type module struct {
	path, version string
	sum           string // h1:, empty for the standard library
	licence
}

// licence is the text under which something is given, and its name in SPDX.
type licence struct{ spdx, text string }

// read looks into a binary that was built here.
func read(file string) (*binary, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b := &binary{file: file, info: info}
	folders, err := moduleFolders(info.Deps)
	if err != nil {
		return nil, err
	}
	if b.self, err = readLicence(folders[info.Main.Path]); err != nil {
		return nil, err
	}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("%s is replaced: what is released is built from published modules", d.Path)
		}
		l, err := readLicence(folders[d.Path])
		if err != nil {
			return nil, err
		}
		b.modules = append(b.modules, module{d.Path, d.Version, d.Sum, l})
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	l, err := readLicence(strings.TrimSpace(string(goroot)))
	if err != nil {
		return nil, err
	}
	// Scanners know the standard library by this name; govulncheck uses it too.
	b.modules = append(b.modules, module{"stdlib", strings.TrimPrefix(info.GoVersion, "go"), "", l})
	return b, nil
}

// moduleFolders tells where the sources of the linked modules and of this one are.
func moduleFolders(deps []*debug.Module) (map[string]string, error) {
	args := []string{"list", "-m", "-json", "signalk-mcp"}
	for _, d := range deps {
		args = append(args, d.Path)
	}
	c := exec.Command("go", args...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	folders := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); err == io.EOF {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		if m.Dir == "" {
			return nil, fmt.Errorf("%s is not in the module cache: run go mod download", m.Path)
		}
		folders[m.Path] = m.Dir
	}
}

// kinds tell licences by words that only they have, the narrower first.
var kinds = []struct {
	spdx  string
	words []string
}{
	{"MIT AND Apache-2.0", []string{"Apache License", "Permission is hereby granted, free of charge"}},
	{"Apache-2.0", []string{"Apache License"}},
	{"MIT", []string{"Permission is hereby granted, free of charge"}},
	{"BSD-3-Clause", []string{"Redistributions in binary form", "Neither the name"}},
	{"BSD-2-Clause", []string{"Redistributions in binary form"}},
}

var space = regexp.MustCompile(`\s+`)

// readLicence reads the licence in a folder. One of an unknown kind is an error:
// somebody has to read it.
func readLicence(folder string) (licence, error) {
	text, err := os.ReadFile(filepath.Join(folder, "LICENSE"))
	if err != nil {
		return licence{}, err
	}
	flat := space.ReplaceAllString(string(text), " ")
next:
	for _, k := range kinds {
		for _, w := range k.words {
			if !strings.Contains(flat, w) {
				continue next
			}
		}
		return licence{k.spdx, string(text)}, nil
	}
	return licence{}, fmt.Errorf("%s has a licence that is not known here: read it, and add it to kinds", folder)
}

// setting is one of the settings that the binary was built with.
func (b *binary) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
