package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

var copyrightLine = regexp.MustCompile(`(?mi)^\s*copyright (.*)$`)

// copyright writes a machine-readable copyright file of Debian, format 1.0. Its
// stanzas name modules where Debian's name files, since a package has one file
// made of them all.
func (b *binary) copyright(out io.Writer) error {
	fmt.Fprint(out, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"+
		"Upstream-Name: signalk-mcp\n")
	stanza(out, "*", b.self)
	fmt.Fprint(out, "\nFiles: tools/zone/zones.bin\nCopyright: OpenStreetMap contributors\nLicense: ODbL-1.0\n"+
		" The boundaries of time zones in the binary come from OpenStreetMap, by\n"+
		" timezone-boundary-builder, release 2025b. They are made available under the\n"+
		" Open Database License: https://opendatacommons.org/licenses/odbl/1-0/\n")
	for _, m := range b.modules {
		stanza(out, m.path+"@"+m.version+"/*", m.licence)
	}
	return nil
}

func stanza(out io.Writer, files string, l licence) {
	var holders []string
	for _, m := range copyrightLine.FindAllStringSubmatch(l.text, -1) {
		// The text of Apache-2.0 itself has lines that begin so.
		if h := strings.TrimSpace(m[1]); strings.ContainsAny(h, "0123456789") || strings.Contains(h, "(c)") {
			holders = append(holders, h)
		}
	}
	name := strings.ReplaceAll(l.spdx, " AND ", " and ")
	fmt.Fprintf(out, "\nFiles: %s\nCopyright: %s\nLicense: %s\n", files, strings.Join(holders, "\n "), name)
	for line := range strings.Lines(strings.TrimSpace(l.text)) {
		if line = strings.TrimRight(line, " \n\r\t"); line == "" {
			line = "."
		}
		fmt.Fprintf(out, " %s\n", line)
	}
}
